package store

import "github.com/pandotrace/pando/trace"

// callCell is what calls of one region on one location add up to.
type callCell struct {
	place, region uint32
	count         uint64
	// time is that of all calls, nested that of those within others of the region, below that of all whose enclosing call is
	// one of the region.
	time, nested, below trace.Sum
}

func (c *callCell) add(o *callCell) {
	c.count += o.count
	c.time, c.nested, c.below = c.time.Plus(o.time), c.nested.Plus(o.nested), c.below.Plus(o.below)
}

// callGrid holds the cells of a lane, by place and region. Cells are found by plain tables, but for regions of large numbers.
type callGrid struct {
	cells []callCell
	rows  [][]int32 // by place, then region: index of the cell + 1
	other map[uint64]int32
}

// rowRegions bounds the tables: files with more regions than that are rare.
const rowRegions = 1 << 14

// reset empties the grid, for a number of places. It keeps its memory.
func (g *callGrid) reset(places int) {
	for i := range g.cells {
		if c := &g.cells[i]; c.region < rowRegions {
			g.rows[c.place][c.region] = 0
		}
	}
	g.cells = g.cells[:0]
	clear(g.other)
	for len(g.rows) < places {
		g.rows = append(g.rows, nil)
	}
}

// at returns a cell, which is valid until the next one is asked for.
func (g *callGrid) at(place, region uint32) *callCell {
	if row := g.rows[place]; region < uint32(len(row)) && row[region] > 0 {
		return &g.cells[row[region]-1]
	}
	return g.find(place, region)
}

func (g *callGrid) find(place, region uint32) *callCell {
	if region < rowRegions {
		if n := int(region) + 1 - len(g.rows[place]); n > 0 {
			g.rows[place] = append(g.rows[place], make([]int32, n)...)
		}
		g.rows[place][region] = g.add(place, region)
		return &g.cells[len(g.cells)-1]
	}
	k := uint64(place)<<32 | uint64(region)
	at, ok := g.other[k]
	if !ok {
		if g.other == nil {
			g.other = map[uint64]int32{}
		}
		at = g.add(place, region)
		g.other[k] = at
	}
	return &g.cells[at-1]
}

func (g *callGrid) add(place, region uint32) int32 {
	g.cells = append(g.cells, callCell{place: place, region: region})
	return int32(len(g.cells))
}

// order returns the indices of the cells by place, then by the rank of the region.
func (g *callGrid) order(rank []uint32) []uint32 {
	order := make([]uint32, len(g.cells))
	for i := range order {
		order[i] = uint32(i)
	}
	order = countingSort(order, len(rank), func(i uint32) uint32 { return rank[g.cells[i].region] })
	return countingSort(order, len(g.rows), func(i uint32) uint32 { return g.cells[i].place })
}

// countingSort returns a list in the order of numbers below n. What has the same number stays in order.
func countingSort(list []uint32, n int, number func(uint32) uint32) []uint32 {
	at := make([]uint32, n+1)
	for _, i := range list {
		at[number(i)+1]++
	}
	for k := range n {
		at[k+1] += at[k]
	}
	sorted := make([]uint32, len(list))
	for _, i := range list {
		k := number(i)
		sorted[at[k]] = i
		at[k]++
	}
	return sorted
}
