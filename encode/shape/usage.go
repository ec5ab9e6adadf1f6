package shape

import (
	"maps"
	"math"
	"slices"
)

// Usage counts how often each shape stands in slices.
type Usage struct {
	tokens []uint32          // by shape, saturating
	times  []uint64          // by shape: how often it stands there; of recursions, however deep
	levels map[uint32]uint64 // of recursions, how many levels they have together
}

// Add counts tokens.
func (u *Usage) Add(d *Dictionary, tokens []Token) {
	for _, t := range tokens {
		u.add(d, t, 1)
		if n := &u.tokens[t.Shape]; *n < math.MaxUint32 {
			*n++
		}
	}
}

// add counts an edge that is followed some times.
func (u *Usage) add(d *Dictionary, e Edge, times uint64) {
	for len(u.times) <= int(e.Shape) {
		u.tokens, u.times = append(u.tokens, 0), append(u.times, 0)
	}
	if d.recurs(e.Shape) {
		if u.levels == nil {
			u.levels = map[uint32]uint64{}
		}
		u.times[e.Shape] += times
		u.levels[e.Shape] += times * uint64(e.Count)
	} else {
		u.times[e.Shape] += times * uint64(e.Count)
	}
}

// leaves returns the number of events of each leaf.
func (u *Usage) leaves(d *Dictionary) []uint64 {
	all := Usage{slices.Clone(u.tokens), slices.Clone(u.times), maps.Clone(u.levels)}
	for shape := len(all.times) - 1; shape >= 0; shape-- {
		s := &d.shapes[shape]
		for i, e := range d.edgesOf(s) {
			if s.hole > 0 && i != int(s.hole) {
				all.add(d, e, all.levels[uint32(shape)])
			} else {
				all.add(d, e, all.times[shape])
			}
		}
	}
	return all.times
}
