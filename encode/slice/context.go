package slice

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// A value's context is its column, or, where that tells more, its column together with the event before: how long an
// MPI call takes depends on what was done before it. Which pairs have a context of their own is chosen for each group.

// contexts numbers contexts: first the columns, then the pairs. Where that takes little room, a table says the context of each
// column and event before; else the pairs stand in a hash table, so that it takes no more room than they do.
type contexts struct {
	columns, all int
	paired       []bool       // by column: it has pairs
	rows         []contextRow // by column; nil if there is no table
	table        []uint32
	slots        []pairSlot
	shift        int // 32 - log2(len(slots))
	pairs        []Pair

	groups atomic.Pointer[contextGroups]
}

// contextRow is where the contexts of a column stand in the table: one for each event before up to limit, which stands
// for all from there on.
type contextRow struct{ at, limit uint32 }

// maxTable bounds the entries of the table.
const maxTable = 1 << 18

// spread is drawn anew by each process, so that no file can choose pairs that all fall onto one place.
var spread = rand.Uint32() | 1

// pairSlot is a place of the hash table, free if the context is 0.
type pairSlot struct{ pair, context uint32 }

// newContexts numbers the contexts of columns and pairs, which are ordered.
func newContexts(columns int, pairs []Pair) *contexts {
	c := &contexts{columns: columns, all: columns + len(pairs), paired: make([]bool, columns), pairs: pairs}
	size := columns
	for i, p := range pairs {
		c.paired[p.Column] = true
		if i+1 == len(pairs) || pairs[i+1].Column != p.Column {
			size += int(p.Before) + 1
		}
	}
	if size <= maxTable {
		c.makeTable(pairs, size)
	} else {
		c.makeSlots(pairs)
	}
	return c
}

func (c *contexts) makeTable(pairs []Pair, size int) {
	c.rows, c.table = make([]contextRow, c.columns), make([]uint32, 0, size)
	next := 0
	for column := range c.rows {
		row := &c.rows[column]
		row.at = uint32(len(c.table))
		for ; next < len(pairs) && int(pairs[next].Column) == column; next++ {
			for ; row.limit < uint32(pairs[next].Before); row.limit++ {
				c.table = append(c.table, uint32(column))
			}
			c.table = append(c.table, uint32(c.columns+next))
			row.limit++
		}
		c.table = append(c.table, uint32(column))
	}
}

func (c *contexts) makeSlots(pairs []Pair) {
	log := bits.Len(uint(2 * len(pairs)))
	c.slots, c.shift = make([]pairSlot, 1<<log), 32-log
	for i, p := range pairs {
		pair := p.Column<<16 | uint32(p.Before)
		*c.slot(pair) = pairSlot{pair, uint32(c.columns + i)}
	}
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

// of returns the context of a value of a column after an event of a number.
func (c *contexts) of(column, before uint32) uint32 {
	if c.rows != nil {
		r := &c.rows[column]
		return c.table[r.at+min(before, r.limit)]
	}
	return c.search(column, before)
}

// row returns the contexts of a column by the event before, the last one of them for all further events. It is nil if there is no table.
func (c *contexts) row(column uint32) []uint32 {
	if c.rows == nil {
		return nil
	}
	r := c.rows[column]
	return c.table[r.at : r.at+r.limit+1]
}

func (c *contexts) search(column, before uint32) uint32 {
	if c.paired[column] {
		if s := c.slot(column<<16 | before); s.context != 0 {
			return s.context
		}
	}
	return column
}

// appendPairs appends
//
//	uvarint  2 · number of pairs, and 1 if there are divisions
//	each     uvarint column - column of the one before, uvarint before - before of the one before - 1 in the same column, else before
//	divisions of contexts, if there are any
func appendPairs(dst []byte, pairs []Pair, divisions []column.Division) []byte {
	dst = format.AppendUvarint(dst, uint64(2*len(pairs)+min(len(divisions), 1)))
	before, next := uint32(0), uint16(0)
	for _, p := range pairs {
		dst = format.AppendUvarint(dst, uint64(p.Column-before))
		if p.Column != before {
			before, next = p.Column, 0
		}
		dst = format.AppendUvarint(dst, uint64(p.Before-next))
		next = p.Before + 1
	}
	return column.AppendDivisions(dst, divisions)
}

func readPairs(r *format.Decoder) ([]Pair, []column.Division) {
	n := r.Count(0, 2*column.MaxContexts+1)
	if n/2 > r.Len()/2 {
		r.Fail("count %d of pairs is too large", n/2)
		return nil, nil
	}
	pairs := make([]Pair, n/2)
	number, next := uint64(0), uint64(0)
	for i := range pairs {
		if d := uint64(r.Int(column.MaxContexts)); d > 0 {
			number, next = number+d, 0
		}
		before := next + uint64(r.Int(1<<16))
		if number >= column.MaxContexts || before >= 1<<16 {
			r.Fail("bad pair of contexts")
			return nil, nil
		}
		pairs[i] = Pair{uint32(number), uint16(before)}
		next = before + 1
	}
	if n&1 == 0 {
		return pairs, nil
	}
	return pairs, column.ReadDivisions(r)
}
