package text

import (
	"math"
	"strconv"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// UnpackPhrases returns the text of a size of which PackPhrases made some bytes. The section is named by errors.
func UnpackPhrases(section string, stored []byte, size int) ([]byte, error) {
	u := unpacker{Decoder: format.NewDecoder(section, stored), section: section, size: size}
	u.readList()
	u.readPlaces()
	u.readRow(len(stored))
	u.readNumbers()
	text := u.text()
	return text, u.Err()
}

// unpacker puts a text together.
type unpacker struct {
	*format.Decoder
	section     string
	size        int
	phrases     []phrase
	differences []byte // a bit for each place
	model       *column.Model
	row         []uint32 // the place behind each phrase of the text
	of          []uint32 // by place: the phrase before it
	counts      []int    // of numbers: by context of the model
	numbers     []uint64 // place by place
}

// listBytes is how many bytes more than the text the list of phrases has at most.
const listBytes = 5 * mostPhrases

// readList reads the list of phrases.
func (u *unpacker) readList() {
	packed := Read(u.Decoder, math.MaxInt)
	switch {
	case u.Err() != nil:
		return
	case !packed.alone():
		u.Fail("a list of phrases of form %d", packed.form)
		return
	case packed.size > u.size+listBytes:
		u.Fail("a list of phrases of %d bytes for a text of %d", packed.size, u.size)
		return
	}
	list, err := packed.Unpack(u.section, nil)
	if err != nil {
		u.Fail("list of phrases: %v", err)
		return
	}
	d := format.NewDecoder("list of phrases", list)
	u.phrases = make([]phrase, d.Count(1, mostPhrases))
	heads := make([]int, len(u.phrases))
	for i := range heads {
		heads[i] = d.Int(4 * (len(list) + 1))
	}
	for i, head := range heads {
		p := phrase{string(d.Take(head >> 2)), head&2 != 0, head&1 != 0}
		if u.phrases[i] = p; len(p.text) == 0 && !p.numbered {
			d.Fail("phrase %d is empty", i)
		}
	}
	if err := d.Finish(); err != nil {
		u.Fail("%v", err)
	}
}

// readPlaces reads how many places there are, and what is expected there.
func (u *unpacker) readPlaces() {
	n := u.Int(mostPlaces + 1)
	u.differences = u.Take((n + 7) / 8)
	u.counts = make([]int, 2*n)
	if n == 0 || u.Err() == nil && n&7 != 0 && u.differences[n/8]>>(n&7) != 0 {
		u.Fail("bits of %d places", n)
	}
	m, err := column.ParseModel(u.Bytes())
	if u.Err() != nil {
		return
	}
	if err != nil {
		u.Fail("%v", err)
	} else if m.Contexts() != 2*n {
		u.Fail("a model of %d contexts for %d places", m.Contexts(), n)
	}
	u.model = m
}

// readRow reads the phrases of the text; stored is how many bytes there are in all.
func (u *unpacker) readRow(stored int) {
	n := u.Int(u.size + 1)
	if format.TooDense(phraseThings(n), stored) {
		u.Fail("%d phrases in %d bytes", n, stored)
	}
	chain := u.Bytes()
	if u.Err() != nil {
		return
	}
	p, most := newPlaces(u.phrases), len(u.counts)/2
	d := format.NewDecoder(u.section, chain)
	r := u.model.NewChainReader(d)
	u.row = make([]uint32, n)
	place := uint32(0)
	for i := range u.row {
		index := r.Next(int(place))
		if index >= uint64(len(u.phrases)) || d.Err() != nil {
			u.Fail("phrase %d of %d", index, len(u.phrases))
			return
		}
		at := uint32(index)
		if place = p.behind(at); int(place) >= most {
			u.Fail("more than %d places", most)
			return
		}
		u.row[i] = place
		if u.phrases[at].numbered {
			u.counts[most+int(place)]++
		}
	}
	if r.Finish(); d.Err() != nil {
		u.Fail("%v", d.Err())
	} else if len(p.of) != most {
		u.Fail("%d places of %d", len(p.of), most)
	}
	u.of = p.of
}

// readNumbers reads the numbers, place by place.
func (u *unpacker) readNumbers() {
	if u.Err() != nil {
		return
	}
	all := 0
	for _, n := range u.counts {
		all += n
	}
	u.numbers = make([]uint64, all)
	if err := u.model.Decode(u.numbers, u.Take(u.Len()), u.counts); err != nil {
		u.Fail("%v", err)
		return
	}
	at, places := 0, len(u.counts)/2
	for place, n := range u.counts[places:] {
		if own := u.numbers[at : at+n]; u.differences[place>>3]>>(place&7)&1 != 0 {
			last := uint64(0)
			for i, v := range own {
				last += uint64(format.Unzigzag(v))
				own[i] = last
			}
		}
		at += n
	}
	for _, v := range u.numbers {
		if v >= beyondNumber {
			u.Fail("the number %d", v)
			return
		}
	}
}

// text writes phrases and numbers one behind the other.
func (u *unpacker) text() []byte {
	if u.Err() != nil {
		return nil
	}
	next, at := make([]int, len(u.of)), 0 // by place: its next number
	for place, n := range u.counts[len(u.of):] {
		next[place] = at
		at += n
	}
	const longest = 18 // digits of a number
	text := make([]byte, 0, u.size+longest)
	for _, place := range u.row {
		p := &u.phrases[u.of[place]]
		if len(text)+len(p.text) > u.size {
			u.Fail("a text of more than %d bytes", u.size)
			return nil
		}
		if text = append(text, p.text...); p.numbered {
			text = strconv.AppendUint(text, u.numbers[next[place]], 10)
			next[place]++
		}
	}
	if len(text) != u.size {
		u.Fail("a text of %d bytes, not %d", len(text), u.size)
		return nil
	}
	return text
}
