package text

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
)

// layout is a text as its model sees it.
type layout struct {
	behind   []behind // by place
	contexts []int    // of the phrases of the text: the place before each
	indices  []uint64
}

// behind is what follows at a place.
type behind struct {
	phrases     []uint64
	numbers     []uint64 // as they are coded
	differences bool
}

// layOut lays out the text; nil if it has too many places.
func (c *cut) layOut() *layout {
	p := newPlaces(c.phrases)
	l := &layout{behind: make([]behind, 1), contexts: make([]int, len(c.row)), indices: make([]uint64, len(c.row))}
	place := uint32(0)
	for i, at := range c.row {
		l.contexts[i], l.indices[i] = int(place), uint64(at)
		l.behind[place].phrases = append(l.behind[place].phrases, uint64(at))
		if place = p.behind(at); int(place) == len(l.behind) {
			if place == mostPlaces {
				return nil
			}
			l.behind = append(l.behind, behind{})
		}
		if b := &l.behind[place]; c.phrases[at].numbered {
			b.numbers = append(b.numbers, c.numbers[i])
		}
	}
	for i := range l.behind {
		l.behind[i].choose()
	}
	return l
}

// choose makes differences of numbers where they take fewer bits.
func (b *behind) choose() {
	var d digits
	for _, n := range b.numbers {
		d.add(n)
	}
	if b.differences = d.differences.cost() < d.plain.cost(); b.differences {
		last := uint64(0)
		for i, n := range b.numbers {
			b.numbers[i], last = difference(n, last), n
		}
	}
}

// numbers returns all numbers, and how many each context of the model has.
func (l *layout) numbers() (counts []int, all []uint64) {
	counts = make([]int, 2*len(l.behind))
	for i := range l.behind {
		counts[len(l.behind)+i] = len(l.behind[i].numbers)
		all = append(all, l.behind[i].numbers...)
	}
	return counts, all
}

// model fits the model of phrases and numbers; counts are those of the numbers.
func (l *layout) model(counts []int, numbers []uint64) *column.Model {
	all, values := slices.Clone(counts), make([]uint64, 0, len(l.indices)+len(numbers))
	for i := range l.behind {
		all[i] = len(l.behind[i].phrases)
		values = append(values, l.behind[i].phrases...)
	}
	b := column.NewBuilder(len(all))
	b.Take(all, append(values, numbers...))
	return b.Build()
}
