package spec

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// records reads the log of definitions.
func (f *plainFile) records() []trace.Record {
	at := map[uint64]trace.Record{}
	for i, b := range f.definitions {
		f.definitionPage(b, f.defines[i], at)
	}
	all := make([]trace.Record, len(at))
	for i := range all {
		r, ok := at[uint64(i)]
		if !ok {
			panic("a record is missing")
		}
		all[i] = r
	}
	return all
}

// definitionPage puts the records of a page into their places.
func (f *plainFile) definitionPage(b []byte, kinds []uint64, at map[uint64]trace.Record) {
	p := plain{b}
	n := p.uvarint()
	var places, order []uint64
	end := uint64(0)
	for uint64(len(places)) < n {
		end += p.uvarint()
		for range p.uvarint() + 1 {
			places = append(places, end)
			end++
		}
	}
	own := make([]uint64, p.uvarint())
	for i := range own {
		own[i] = p.uvarint()
		if i > 0 {
			own[i] += own[i-1]
		}
	}
	if !slices.Equal(own, kinds) {
		panic("the root says other kinds")
	}
	for uint64(len(order)) < n {
		kind := own[p.uvarint()]
		order = append(order, slices.Repeat([]uint64{kind}, int(p.uvarint()+1))...)
	}
	for _, kind := range own {
		var of []uint64
		for i, k := range order {
			if k == kind {
				of = append(of, places[i])
			}
		}
		f.kindColumns(&p, kind, of, at)
	}
	for _, zero := range p.b {
		if zero != 0 {
			panic("filled with something else")
		}
	}
}

// plainCell is a word, or a text.
type plainCell struct {
	word uint64
	text []byte
}

// kindColumns reads the columns of the records of a kind, which stand in some places.
func (f *plainFile) kindColumns(p *plain, kind uint64, places []uint64, at map[uint64]trace.Record) {
	fields := f.kinds[kind].fields
	columns := make([][]plainCell, len(fields))
	var counts []plainCell
	for i, field := range fields {
		n := uint64(len(places))
		if field.repeat {
			n = 0
			for _, c := range counts {
				n += c.word
			}
		}
		if field.typ == 13 || field.typ == 14 {
			columns[i] = p.texts(n)
		} else {
			columns[i] = p.numbers(n)
		}
		if field.typ == 10 && counts == nil {
			counts = columns[i]
		}
	}
	isRepeated := func(field plainField) bool { return field.repeat }
	first := slices.IndexFunc(fields, isRepeated)
	for row, place := range places {
		r := trace.Record{Kind: trace.Kind(kind)}
		for i, field := range fields {
			switch {
			case !field.repeat:
				take(&r, &columns[i])
			case i == first:
				for range counts[row].word {
					for g := first; g < len(fields) && fields[g].repeat; g++ {
						take(&r, &columns[g])
					}
				}
			}
		}
		at[place] = r
	}
}

// take adds the next cell of a column to a record.
func take(r *trace.Record, column *[]plainCell) {
	c := (*column)[0]
	*column = (*column)[1:]
	if c.text != nil {
		c.word = uint64(len(r.Text))<<32 | uint64(len(c.text))
		r.Text = append(r.Text, c.text...)
	}
	r.Words = append(r.Words, c.word)
}

func (p *plain) numbers(n uint64) (column []plainCell) {
	if n == 0 {
		return nil
	}
	form := p.byte()
	var last, step uint64
	for range n {
		switch form {
		case 0:
			last = p.uvarint()
		case 1:
			last += p.varint()
		case 2:
			step += p.varint()
			last += step
		default:
			panic("an unknown form")
		}
		column = append(column, plainCell{word: last})
	}
	return column
}

func (p *plain) texts(n uint64) (column []plainCell) {
	shared := p.take(n)
	var lengths []uint64
	for range n {
		lengths = append(lengths, p.uvarint())
	}
	before := []byte{}
	for i, length := range lengths {
		before = append(slices.Clone(before[:shared[i]]), p.take(length)...)
		column = append(column, plainCell{text: before})
	}
	return column
}
