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
	cells       []uint32 // things in each, and after it cells of what is dealt out again
}

// cellsOf returns the number of bits below which keys of some range are of one cell, for a number of things.
func cellsOf(reach uint64, things int) (shift int) {
	return max(0, bits.Len64(reach)-bits.Len(uint(things))-1)
}

// Sorted returns a key for each of some things, in their order. Their times go from a first to a last one. Of those that lie outside, which damaged files may
// have, the order is undefined. The keys are good until the next time.
func (m *Merge) Sorted(times []int64, first, last int64) []uint64 {
	m.number = bits.Len(uint(len(times)))
	m.keys = slices.Grow(m.keys[:0], len(times))[:len(times)]
	ordered := slices.IsSorted(times)
	if far := bits.Len64(uint64(last-first))+m.number > 64; ordered || far {
		for i := range m.keys {
			m.keys[i] = uint64(i)
		}
		if !ordered {
			slices.SortStableFunc(m.keys, func(a, b uint64) int { return cmp.Compare(times[a], times[b]) })
		}
		return m.keys
	}
	reach := uint64(last-first)<<m.number | (1<<m.number - 1)
	shift := cellsOf(reach, len(times))
	if !m.count(times, first, shift, int(reach>>shift)+1) {
		slices.Sort(m.keys)
		return m.keys
	}
	m.spare = slices.Grow(m.spare[:0], len(m.keys))[:len(m.keys)]
	m.deal(m.cells, m.keys, m.spare, 0, shift)
	return m.spare
}

// count makes the keys of things, and counts them in a number of cells. It returns false if some lie outside of these.
func (m *Merge) count(times []int64, first int64, shift, n int) (inside bool) {
	m.cells = slices.Grow(m.cells[:0], n)[:n]
	clear(m.cells)
	keys, cells, number := m.keys[:len(times)], m.cells, m.number&63
	shift, inside = shift&63, true
	for i, t := range times {
		k := uint64(t-first)<<number | uint64(i)
		keys[i] = k
		if cell := k >> shift; cell < uint64(len(cells)) {
			cells[cell]++
		} else {
			inside = false
		}
	}
	return inside
}

// Number returns the number of the thing that a key is of.
func (m *Merge) Number(key uint64) int { return int(key & (1<<(m.number&63) - 1)) }

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
