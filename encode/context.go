package encode

import (
	"math/bits"
	"math/rand/v2"

	"github.com/pandotrace/pando/format"
)

// A value's context is its column, or, where that tells more, its column together with the event before: how long an
// MPI call takes depends on what was done before it. Which pairs have a context of their own is chosen for each group.

// Pair is a column with an event before; its values have a context of their own.
type Pair struct {
	Column uint32
	// Before is the number of the time column of the event before, see LeafInfo; 0 at the begin of a run.
	Before uint16
}

// minPairValues is the number of values in a group from which on a pair gets a context of its own.
const minPairValues = 48

// contexts numbers contexts: first the columns, then the pairs. The pairs stand in a hash table, so that it takes no more room
// than they do.
type contexts struct {
	columns, all int
	paired       []bool // by column: it has pairs
	slots        []pairSlot
	shift        int // 32 - log2(len(slots))
}

// spread is drawn anew by each process, so that no file can choose pairs that all fall onto one place.
var spread = rand.Uint32() | 1

// pairSlot is a place of the hash table, free if the context is 0.
type pairSlot struct{ pair, context uint32 }

func newContexts(columns int, pairs []Pair) *contexts {
	log := bits.Len(uint(2 * len(pairs)))
	c := &contexts{
		columns: columns, all: columns + len(pairs), paired: make([]bool, columns), slots: make([]pairSlot, 1<<log), shift: 32 - log,
	}
	for i, p := range pairs {
		c.paired[p.Column] = true
		*c.slot(p.Column<<16 | uint32(p.Before)) = pairSlot{p.Column<<16 | uint32(p.Before), uint32(columns + i)}
	}
	return c
}

// slot returns the place of a pair, or the free one where it belongs.
func (c *contexts) slot(pair uint32) *pairSlot {
	for at := pair * spread >> (c.shift & 31); ; at++ {
		s := &c.slots[int(at)&(len(c.slots)-1)]
		if s.pair == pair || s.context == 0 {
			return s
		}
	}
}

// of returns the context of a value.
func (c *contexts) of(column uint32, before uint16) uint32 {
	if c.paired[column] {
		if s := c.slot(column<<16 | uint32(before)); s.context != 0 {
			return s.context
		}
	}
	return column
}

// FitPairs chooses the pairs for the slices of a group with the given number of columns.
func FitPairs(group []*Slice, columns int) []Pair {
	var pairs []Pair
	var counts []int
	for column := range columns {
		counts = counts[:0]
		kinds := 0
		for _, s := range group {
			if column >= len(s.Befores) {
				continue
			}
			for _, b := range s.Befores[column] {
				for len(counts) <= int(b) {
					counts = append(counts, 0)
				}
				if counts[b] == 0 {
					kinds++
				}
				counts[b]++
			}
		}
		for b, n := range counts {
			if n >= minPairValues && kinds > 1 && columns+len(pairs) < maxContexts {
				pairs = append(pairs, Pair{uint32(column), uint16(b)})
			}
		}
	}
	return pairs
}

// appendPairs appends
//
//	uvarint  number of pairs
//	each     uvarint column - column of the one before, uvarint before - before of the one before - 1 in the same column, else before
func appendPairs(dst []byte, pairs []Pair) []byte {
	dst = format.AppendUvarint(dst, uint64(len(pairs)))
	column, next := uint32(0), uint16(0)
	for _, p := range pairs {
		dst = format.AppendUvarint(dst, uint64(p.Column-column))
		if p.Column != column {
			column, next = p.Column, 0
		}
		dst = format.AppendUvarint(dst, uint64(p.Before-next))
		next = p.Before + 1
	}
	return dst
}

func readPairs(r *format.Decoder) []Pair {
	pairs := make([]Pair, r.Count(2, maxContexts))
	column, next := uint64(0), uint64(0)
	for i := range pairs {
		if d := uint64(r.Int(maxContexts)); d > 0 {
			column, next = column+d, 0
		}
		before := next + uint64(r.Int(1<<16))
		if column >= maxContexts || before >= 1<<16 {
			r.Fail("bad pair of contexts")
			return nil
		}
		pairs[i] = Pair{uint32(column), uint16(before)}
		next = before + 1
	}
	return pairs
}
