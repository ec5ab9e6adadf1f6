package column

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	coarseCells  = 256 // cells of a context from which on rare values are counted together
	coarseDigits = 4   // binary digits, behind the first, that values counted together share
	coarseCount  = 4   // values from which on a cell is not counted with others
	radixCells   = 48  // cells from which on radix sort is faster
	firstSlots   = 8   // log2 of the hash table's size at first
)

// cell counts equal values, or rare values close to each other.
type cell struct {
	first, last uint64
	n           int
}

// counter counts values: a hash table of cells.
type counter struct {
	slots []int32 // 0, or 1 + the number of a cell
	shift int     // 64 - log2(len(slots))
	cells []cell
	other []cell // scratch for sorting
}

func (c *counter) reset() {
	c.cells = c.cells[:0]
	c.resize(firstSlots)
}

// resize makes a table with 1<<log slots for the cells.
func (c *counter) resize(log int) {
	c.slots = slices.Grow(c.slots[:0], 1<<log)[:1<<log]
	c.shift = 64 - log
	clear(c.slots)
	for i := range c.cells {
		h := hash(c.cells[i].first, c.shift)
		for c.slots[h] != 0 {
			h = (h + 1) & (len(c.slots) - 1)
		}
		c.slots[h] = int32(i + 1)
	}
}

func hash(v uint64, shift int) int { return int(v * 0x9e3779b97f4a7c15 >> (shift & 63)) }

// add counts values.
func (c *counter) add(values []uint64) {
	for _, v := range values {
		h := hash(v, c.shift)
		i := c.slots[h]
		for i != 0 && c.cells[i-1].first != v {
			h = (h + 1) & (len(c.slots) - 1)
			i = c.slots[h]
		}
		if i != 0 {
			c.cells[i-1].n++
			continue
		}
		c.cells = append(c.cells, cell{v, v, 1})
		c.slots[h] = int32(len(c.cells))
		if len(c.cells) > len(c.slots)/2 {
			c.resize(64 - c.shift + 2)
		}
	}
}

// sorted returns the cells in ascending order; of many cells, rare ones are joined, but not across cuts.
func (c *counter) sorted(cuts []uint64) []cell {
	if len(c.cells) < radixCells {
		slices.SortFunc(c.cells, func(a, b cell) int { return cmp.Compare(a.first, b.first) })
	} else {
		c.sort()
	}
	if len(c.cells) > coarseCells {
		return coarsen(c.cells, cuts)
	}
	return c.cells
}

// sort sorts byte by byte from the lowest, without the bytes that all values share.
func (c *counter) sort() {
	differ := uint64(0)
	for i := range c.cells {
		differ |= c.cells[i].first ^ c.cells[0].first
	}
	c.other = slices.Grow(c.other[:0], len(c.cells))[:len(c.cells)]
	for shift := 0; differ>>shift != 0; shift += 8 {
		if differ>>shift&0xff != 0 {
			scatter(c.other, c.cells, shift)
			c.cells, c.other = c.other, c.cells
		}
	}
}

// scatter copies cells in the order of one byte of their values.
func scatter(dst, src []cell, shift int) {
	var at [256]int
	for i := range src {
		at[uint8(src[i].first>>(shift&63))]++
	}
	next := 0
	for i, n := range at {
		at[i], next = next, next+n
	}
	for i := range src {
		b := uint8(src[i].first >> (shift & 63))
		dst[at[b]] = src[i]
		at[b]++
	}
}

// coarsen joins neighbouring rare cells, in place.
func coarsen(cells []cell, cuts []uint64) []cell {
	to := 0
	for _, c := range cells[1:] {
		p := &cells[to]
		for len(cuts) > 0 && cuts[0] <= p.first {
			cuts = cuts[1:]
		}
		if cut := len(cuts) > 0 && cuts[0] <= c.first; !cut && c.n < coarseCount && (p.n < coarseCount || p.first < p.last) && near(p.first, c.last) {
			p.last = c.last
			p.n += c.n
			continue
		}
		to++
		cells[to] = c
	}
	return cells[:to+1]
}

// near reports whether two numbers share their first binary digits, and offsets of a bin reach from one to the other.
func near(a, b uint64) bool {
	shift := min(max(bits.Len64(b)-1-coarseDigits, 0), maxBits)
	return a>>shift == b>>shift
}
