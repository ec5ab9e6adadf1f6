package read

import (
	"math/bits"
	"slices"
)

// Merge puts the items of several runs into one order: by time, then by the number of the run, then by the place in it. It takes no longer for
// each item where runs are many: items are dealt out into more cells of time than there are items, and put in order in each cell. Where many
// fall into one, they are dealt out by one digit of their times after the other, the lowest first.
type Merge struct {
	items, spare []mergeItem
	cells        []uint32 // where the items of each cell begin
	unordered    bool     // an item was added that is earlier than one before it
	first, last  int64
}

// mergeItem is an item of a run, 16 bytes.
type mergeItem struct {
	time    int64
	Run, At uint32
}

// digitBits is the size of a digit: as many counters as the first cache of a processor has room for.
const digitBits = 11

// Reset empties the merge and makes room for items.
func (m *Merge) Reset(room int) { m.items, m.unordered = slices.Grow(m.items[:0], room), false }

// Add adds an item behind those of its run, and behind those of all runs of lower number.
func (m *Merge) Add(time int64, run, at int) {
	if n := len(m.items); n == 0 {
		m.first, m.last = time, time
	} else if time < m.items[n-1].time {
		m.unordered, m.first = true, min(m.first, time)
	}
	m.last = max(m.last, time)
	m.items = append(m.items, mergeItem{time, uint32(run), uint32(at)})
}

// Sorted returns the items in order. They are good until something is added.
func (m *Merge) Sorted() []mergeItem {
	if !m.unordered {
		return m.items
	}
	if cap(m.spare) < len(m.items) {
		m.spare = make([]mergeItem, len(m.items))
	}
	if !m.spread() {
		for shift := 0; shift < 64 && uint64(m.last-m.first)>>shift > 0; shift += digitBits {
			m.deal(shift)
		}
	}
	m.unordered = false
	return m.items
}

// mostInCell is the number of items in a cell up to which they are put in order one by one.
const mostInCell = 32

// spread orders the items by cells of time, at most twice as many as items. It returns false, and leaves them as they are, if one has too many.
func (m *Merge) spread() bool {
	n := bits.Len(uint(len(m.items)))
	shift := max(0, bits.Len64(uint64(m.last-m.first))-n)
	m.cells = slices.Grow(m.cells[:0], 1<<n)[:1<<n]
	clear(m.cells)
	for i := range m.items {
		m.cells[uint64(m.items[i].time-m.first)>>shift]++
	}
	next := uint32(0)
	for i, in := range m.cells {
		if in > mostInCell {
			return false
		}
		m.cells[i] = next
		next += in
	}
	to := m.spare[:len(m.items)]
	for i := range m.items {
		at := &m.cells[uint64(m.items[i].time-m.first)>>shift]
		to[*at] = m.items[i]
		*at++
	}
	m.items, m.spare = to, m.items
	m.settle()
	return true
}

// settle orders items that are nearly in order: each is moved before those right before it that are later.
func (m *Merge) settle() {
	items := m.items
	for i := 1; i < len(items); i++ {
		if items[i-1].time <= items[i].time {
			continue
		}
		moved, at := items[i], i
		for ; at > 0 && items[at-1].time > moved.time; at-- {
			items[at] = items[at-1]
		}
		items[at] = moved
	}
}

// deal orders the items by a digit of their times, those with the same one as they are.
func (m *Merge) deal(shift int) {
	const mask = 1<<digitBits - 1
	var starts [mask + 2]uint32
	first, to := m.first, m.spare[:len(m.items)]
	for i := range m.items {
		starts[uint64(m.items[i].time-first)>>shift&mask+1]++
	}
	for d := range mask {
		starts[d+1] += starts[d]
	}
	for i := range m.items {
		at := &starts[uint64(m.items[i].time-first)>>shift&mask]
		to[*at] = m.items[i]
		*at++
	}
	m.items, m.spare = to, m.items
}
