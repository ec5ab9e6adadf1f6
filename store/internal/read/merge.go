package read

import (
	"cmp"
	"math/bits"
	"slices"
)

// Merge puts things into the order of their times, and those of one time into the order in which they were added. It takes no longer for each of
// them where they come in many runs: they are dealt out into more cells of time than there are things, and put in order in each cell.
type Merge struct {
	keys, spare []uint64 // of each thing, how long after the first time it is, and in the lowest bits its number
	number      int      // how many bits numbers have
	first       int64
	times       []int64 // of the things, if they are too far apart for keys
	far         bool
	cells       []uint32
}

// Reset empties the merge for at most a number of things from a first to a last time. Of those that lie outside, which damaged files may have, the order is
// undefined.
func (m *Merge) Reset(most int, first, last int64) {
	m.number, m.first = bits.Len(uint(most)), first
	m.far = bits.Len64(uint64(last-first))+m.number > 64
	m.keys, m.times = slices.Grow(m.keys[:0], most), m.times[:0]
}

// Add adds a thing of a time. Its number is that of the things before it.
func (m *Merge) Add(time int64) {
	if m.far {
		m.times = append(m.times, time)
		return
	}
	m.keys = append(m.keys, uint64(time-m.first)<<(m.number&63)|uint64(len(m.keys)))
}

// Sorted returns a key for each thing, in their order. They are good until the merge is reset.
func (m *Merge) Sorted() []uint64 {
	if m.far {
		return m.sortedFar()
	}
	if slices.IsSorted(m.keys) {
		return m.keys
	}
	m.spare = slices.Grow(m.spare[:0], len(m.keys))[:len(m.keys)]
	m.arrange(m.keys, m.spare)
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

// arrange puts keys in order, which all differ, from one slice into another one of the same length. Cells that have too many are dealt out again, by what
// differs in them.
func (m *Merge) arrange(keys, to []uint64) {
	low, high := keys[0], keys[0]
	for _, k := range keys {
		low, high = min(low, k), max(high, k)
	}
	shift := max(0, bits.Len64(high-low)-bits.Len(uint(len(keys)))-1)
	used := len(m.cells)
	m.cells = slices.Grow(m.cells, int((high-low)>>shift)+1)[:used+int((high-low)>>shift)+1]
	cells := m.cells[used:]
	clear(cells)
	for _, k := range keys {
		cells[(k-low)>>(shift&63)]++
	}
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
	m.cells = m.cells[:used]
}

// divide puts the keys of cells in order that have too many. Cells are known by their ends.
func (m *Merge) divide(cells []uint32, spare, keys []uint64) {
	from := uint32(0)
	for _, end := range cells {
		if in := keys[from:end]; len(in) > mostInCell {
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
