package spec

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// plainPhrases is a text of phrases and numbers, as section 8 has it.
type plainPhrases struct {
	list        []plainPhrase
	differences []bool // by place
	model       *plainModel
	row         []plainStop
	numbers     [][]uint64 // by place
}

type plainPhrase struct {
	text             []byte
	paired, numbered bool
}

// plainStop is a phrase of the text, and the place behind it.
type plainStop struct{ phrase, place int }

// readPhrases reads all but the text.
func readPhrases(b []byte) *plainPhrases {
	p, t := plain{b}, &plainPhrases{}
	t.readList(p.bytes())
	places := int(p.uvarint())
	bits := bitStream{b: p.take(uint64(places+7) / 8)}
	for range places {
		t.differences = append(t.differences, bits.bits(1) == 1)
	}
	model := plain{p.bytes()}
	t.model = model.model()
	n := int(p.uvarint())
	t.readRow(newPlainChain(t.model, p.bytes()), n)
	counts := make([]int, 2*places)
	for _, s := range t.row {
		if t.list[s.phrase].numbered {
			counts[places+s.place]++
		}
	}
	t.setNumbers(t.model.decode(p.b, counts), counts[places:])
	return t
}

func (t *plainPhrases) readList(b []byte) {
	list := plain{storedText(b, nil)}
	var lengths []uint64
	for range list.uvarint() {
		head := list.uvarint()
		lengths = append(lengths, head/4)
		t.list = append(t.list, plainPhrase{paired: head/2%2 == 1, numbered: head%2 == 1})
	}
	for i, n := range lengths {
		t.list[i].text = list.take(n)
	}
	list.end()
}

func (t *plainPhrases) readRow(c *plainChain, n int) {
	places, before, place := map[string]int{}, -1, 0
	for range n {
		at := int(c.next(place))
		name := fmt.Sprint(at)
		if t.list[at].paired {
			met["paired phrase"]++
			name = fmt.Sprint(before, at)
		}
		if places[name] == 0 {
			places[name] = len(places) + 1
		}
		place = places[name]
		t.row = append(t.row, plainStop{at, place})
		before = at
	}
	c.end()
}

func (t *plainPhrases) setNumbers(coded []uint64, counts []int) {
	for place, n := range counts {
		own, last := coded[:n], uint64(0)
		coded = coded[n:]
		if t.differences[place] {
			met["differences of numbers"]++
			for i := range own {
				last += unzigzag(own[i])
				own[i] = last
			}
		}
		t.numbers = append(t.numbers, own)
	}
}

// text puts the text together.
func (t *plainPhrases) text() (text []byte) {
	met["phrases"]++
	next := make([]int, len(t.numbers))
	for _, s := range t.row {
		p := t.list[s.phrase]
		if text = append(text, p.text...); p.numbered {
			text = fmt.Append(text, t.numbers[s.place][next[s.place]])
			next[s.place]++
		}
	}
	return text
}

// storedText returns a text (section 7.5); a dictionary may stand before it.
func storedText(b, dictionary []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	p := plain{b}
	form := p.byte()
	if form == 0 {
		met["plain text"]++
		return p.b
	}
	size := p.uvarint()
	text := plainCompressed(form, p.b, dictionary)
	if uint64(len(text)) != size {
		panic("another text")
	}
	return text
}

// plainCompressed returns what is stored in a form of texts.
func plainCompressed(form byte, b, dictionary []byte) []byte {
	options := []zstd.DOption{}
	switch form {
	case 1:
	case 2:
		met["text with a dictionary"]++
		options = append(options, zstd.WithDecoderDictRaw(0, dictionary)) // zstd is not described here
	case 3:
		return readPhrases(b).text()
	default:
		panic("form of a text")
	}
	d, err := zstd.NewReader(nil, options...)
	if err != nil {
		panic(err)
	}
	text, err := d.DecodeAll(b, nil)
	if met["compressed text"]++; err != nil {
		panic(err)
	}
	return text
}
