package read

import (
	"cmp"
	"math/bits"
	"slices"
)

// Merge puts things into the order of their times, and those of one time into the order in which they were added. It takes no longer for each of
// them where they come in many runs: they are counted by cells of time, of which there are more than things, dealt out into these, and put in order in each.
type Merge struct {
	keys, spare []uint64 // of each thing, how long after the first time it is, and in the lowest bits its number
	number      int      // how many bits numbers have
	first       int64
	shift       int      // of keys, to their cells
	cells       []uint32 // things in each, and after it cells of what is dealt out again
	ordered     bool     // the things came in order
	outside     bool     // some lie outside of the times that were said
	times       []int64  // of the things, if they are too far apart for keys
	far         bool
}

// cellsOf returns the number of bits below which keys of some range are of one cell, for a number of things.
func cellsOf(reach uint64, things int) (shift int) {
	return max(0, bits.Len64(reach)-bits.Len(uint(things))-1)
}

// Reset empties the merge for at most a number of things from a first to a last time. Of those that lie outside, which damaged files may have, the order is
// undefined.
func (m *Merge) Reset(most int, first, last int64) {
	m.number, m.first = bits.Len(uint(most)), first
	m.ordered, m.outside = true, false
	m.far = bits.Len64(uint64(last-first))+m.number > 64
	m.keys, m.times, m.cells = slices.Grow(m.keys[:0], most), m.times[:0], m.cells[:0]
	if m.far {
		return
	}
	reach := uint64(last-first)<<m.number | (1<<m.number - 1)
	m.shift = cellsOf(reach, most)
	n := int(reach>>m.shift) + 1
	m.cells = slices.Grow(m.cells, n)[:n]
	clear(m.cells)
}

// Add adds things of some times. The number of a thing is that of the things before it.
func (m *Merge) Add(times []int64) {
	if m.far {
		m.times = append(m.times, times...)
		return
	}
	n := len(m.keys)
	m.keys = slices.Grow(m.keys, len(times))[:n+len(times)]
	added, cells, number, shift, before := m.keys[n:], m.cells, m.number&63, m.shift&63, uint64(0)
	if n > 0 {
		before = m.keys[n-1]
	}
	ordered, outside := m.ordered, m.outside
	for i, t := range times {
		k := uint64(t-m.first)<<number | uint64(n+i)
		if cell := k >> shift; cell < uint64(len(cells)) {
			cells[cell]++
		} else {
			outside = true
		}
		if k < before {
			ordered = false
		}
		added[i], before = k, k
	}
	m.ordered, m.outside = ordered, outside
}

// Sorted returns a key for each thing, in their order. They are good until the merge is reset.
func (m *Merge) Sorted() []uint64 {
	switch {
	case m.far:
		return m.sortedFar()
	case m.ordered:
		return m.keys
	case m.outside:
		slices.Sort(m.keys)
		return m.keys
	}
	m.spare = slices.Grow(m.spare[:0], len(m.keys))[:len(m.keys)]
	m.deal(m.cells, m.keys, m.spare, 0, m.shift)
	return m.spare
}

// Number returns the number of the thing that a key is of.
func (m *Merge) Number(key uint64) int { return int(key & (1<<(m.number&63) - 1)) }

// sortedFar is Sorted for times that are too far apart: keys are numbers.
func (m *Merge) sortedFar() []uint64 {
	for i := range m.times {
		m.keys = append(m.keys, uint64(i))
	}
	slices.SortStableFunc(m.keys, func(a, b uint64) int { return cmp.Compare(m.times[a], m.times[b]) })
	return m.keys
}

// mostInCell is the number of keys in a cell up to which they are put in order one by one.
const mostInCell = 32

// arrange puts keys in order, which all differ, from one slice into another one of the same length.
func (m *Merge) arrange(keys, to []uint64) {
	low, high := slices.Min(keys), slices.Max(keys)
	shift := cellsOf(high-low, len(keys))
	used, n := len(m.cells), int((high-low)>>shift)+1
	m.cells = slices.Grow(m.cells, n)[:used+n]
	cells := m.cells[used:]
	clear(cells)
	for _, k := range keys {
		cells[(k-low)>>(shift&63)]++
	}
	m.deal(cells, keys, to, low, shift)
	m.cells = m.cells[:used]
}

// deal puts keys in order that are counted in cells, from one slice into another one of the same length. Cells that have too many are dealt out again, by what
// differs in them.
func (m *Merge) deal(cells []uint32, keys, to []uint64, low uint64, shift int) {
	next, most := uint32(0), uint32(0)
	for i, in := range cells {
		cells[i] = next
		next += in
		most = max(most, in)
	}
	for _, k := range keys {
		at := &cells[(k-low)>>(shift&63)]
		to[*at] = k
		*at++
	}
	if most > mostInCell {
		m.divide(cells, keys, to)
	}
	settle(to)
}

// divide puts the keys of cells in order that have too many. Cells are known by their ends.
func (m *Merge) divide(cells []uint32, spare, keys []uint64) {
	from := uint32(0)
	for _, end := range cells {
		if in := keys[from:end]; len(in) > mostInCell && !slices.IsSorted(in) { // those of one time are in order
			to := spare[from:end]
			m.arrange(in, to)
			copy(in, to)
		}
		from = end
	}
}

// settle orders keys that are nearly in order: each is moved before those right before it that are greater.
func settle(keys []uint64) {
	for i := 1; i < len(keys); i++ {
		moved, at := keys[i], i
		for ; at > 0 && keys[at-1] > moved; at-- {
			keys[at] = keys[at-1]
		}
		if at < i {
			keys[at] = moved
		}
	}
}
