package store

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// callCell is what calls of one region on one location add up to.
type callCell struct {
	region       uint32 // its number
	count, ended uint64 // calls that began, and those of them that ended
	// time is that of all calls, nested that of those within others of the region, below that of all whose enclosing call is
	// one of the region.
	time, nested, below trace.Sum
}

func (c *callCell) add(o *callCell) {
	c.count, c.ended = c.count+o.count, c.ended+o.ended
	c.time, c.nested, c.below = c.time.Plus(o.time), c.nested.Plus(o.nested), c.below.Plus(o.below)
}

// leaveOut takes away what lies before a window: calls that ended there, and the time of all.
func (c *callCell) leaveOut(o *callCell) {
	c.count -= o.ended
	c.time, c.nested, c.below = c.time.Minus(o.time), c.nested.Minus(o.nested), c.below.Minus(o.below)
}

// callRow holds the cells of one location.
type callRow struct {
	cells []callCell
	found []int32 // by number of region: index of the cell + 1
	order []int32
}

// reset empties the row. It keeps its memory.
func (r *callRow) reset() {
	for i := range r.cells {
		r.found[r.cells[i].region] = 0
	}
	r.cells = r.cells[:0]
}

// at returns the cell of a region, which is valid until the next one is asked for.
func (r *callRow) at(region uint32) *callCell {
	if region < uint32(len(r.found)) && r.found[region] > 0 {
		return &r.cells[r.found[region]-1]
	}
	return r.add(region)
}

func (r *callRow) add(region uint32) *callCell {
	if n := int(region) + 1 - len(r.found); n > 0 {
		r.found = append(r.found, make([]int32, n)...)
	}
	r.cells = append(r.cells, callCell{region: region})
	r.found[region] = int32(len(r.cells))
	return &r.cells[len(r.cells)-1]
}

// sorted returns the indices of the cells by the rank of their region. They are good until they are asked for again.
func (r *callRow) sorted(rank []uint32) []int32 {
	r.order = r.order[:0]
	for i := range r.cells {
		r.order = append(r.order, int32(i))
	}
	slices.SortFunc(r.order, func(a, b int32) int { return cmp.Compare(rank[r.cells[a].region], rank[r.cells[b].region]) })
	return r.order
}
