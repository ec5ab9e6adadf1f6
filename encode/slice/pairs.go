package slice

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/shape"
)

// Pair is a column with an event before; its values have a context of their own.
type Pair struct {
	Column uint32
	// Before is the number of the time column of the event before, see LeafInfo; 0 at the begin of a run.
	Before uint16
}

// pairCounter numbers the pairs that occur in a slice, whether they get contexts or not, and counts their values. A pair's key is its
// column × 2^16 + the event before.
type pairCounter struct {
	slots  []uint64 // hash table: key << 32 + number + 1
	shift  int      // 32 - log2(len(slots))
	keys   []uint32 // by number
	counts []int    // by number

	scratch []uint32
}

// pairSlots is log2 of the size of an empty table.
const pairSlots = 10

func (c *pairCounter) reset() {
	c.keys, c.counts = c.keys[:0], c.counts[:0]
	c.resize(pairSlots)
}

func (c *pairCounter) resize(log int) {
	c.slots = slices.Grow(c.slots[:0], 1<<log)[:1<<log]
	clear(c.slots)
	c.shift = 32 - log
	for i, key := range c.keys {
		at := c.free(key)
		c.slots[at] = uint64(key)<<32 | uint64(i+1)
	}
}

// free returns the free place where a key belongs.
func (c *pairCounter) free(key uint32) int {
	at := int(key * spread >> (c.shift & 31))
	for c.slots[at] != 0 {
		at = (at + 1) & (len(c.slots) - 1)
	}
	return at
}

// add counts a value of a pair, and returns the pair's number.
func (c *pairCounter) add(key uint32) uint32 {
	at := int(key * spread >> (c.shift & 31))
	for ; c.slots[at] != 0; at = (at + 1) & (len(c.slots) - 1) {
		if s := c.slots[at]; uint32(s>>32) == key {
			c.counts[uint32(s)-1]++
			return uint32(s) - 1
		}
	}
	c.keys, c.counts = append(c.keys, key), append(c.counts, 1)
	c.slots[at] = uint64(key)<<32 | uint64(len(c.keys))
	if len(c.keys) > len(c.slots)/4 {
		c.resize(32 - c.shift + 2)
	}
	return uint32(len(c.keys) - 1)
}

// run counts the times of a run, and sets the pair of each. lattice is 1 if they are ticks.
func (c *pairCounter) run(pairs, leaves []uint32, info []shape.LeafInfo, lattice uint32) {
	before := uint32(0)
	pairs = pairs[:len(leaves)]
	for i, leaf := range leaves {
		l := &info[leaf]
		key := (l.TimeColumn+lattice)<<16 | before
		before = uint32(l.Number)
		if s := c.slots[int(key*spread>>(c.shift&31))&(len(c.slots)-1)]; uint32(s>>32) == key { // nearly always
			c.counts[uint32(s)-1]++
			pairs[i] = uint32(s) - 1
		} else {
			pairs[i] = c.add(key)
		}
	}
}

// contexts returns the contexts of the pairs.
func (c *pairCounter) contexts(of *contexts) []uint32 {
	c.scratch = c.scratch[:0]
	for _, key := range c.keys {
		c.scratch = append(c.scratch, of.of(key>>16, key&0xffff))
	}
	return c.scratch
}

// fitPairs chooses the pairs that get contexts for the drafts of a group with a number of columns.
func fitPairs(group []*Draft, columns int) []Pair {
	type count struct {
		key uint32
		n   int
	}
	var all []count
	for _, d := range group {
		for i, key := range d.pairs.keys {
			all = append(all, count{key, d.pairs.counts[i]})
		}
	}
	slices.SortFunc(all, func(a, b count) int { return cmp.Compare(a.key, b.key) })
	to := 0
	for _, c := range all {
		if to > 0 && all[to-1].key == c.key {
			all[to-1].n += c.n
		} else {
			all[to] = c
			to++
		}
	}
	all = all[:to]
	var pairs []Pair
	for i, c := range all {
		alone := (i == 0 || all[i-1].key>>16 != c.key>>16) && (i+1 == len(all) || all[i+1].key>>16 != c.key>>16)
		if c.n >= column.MinPairValues && !alone && columns+len(pairs) < column.MaxContexts {
			pairs = append(pairs, Pair{c.key >> 16, uint16(c.key)})
		}
	}
	return pairs
}
