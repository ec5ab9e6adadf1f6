package tables

import (
	"cmp"
	"slices"
)

// BinGrid adds up the time of a lane in a node whose end is not known yet: cells get wider as it goes on. Locations are named by
// their places in the lane, regions by numbers, which get their names at the end.
type BinGrid struct {
	binTime
	places []placeLines // by place
	lines  []binName
	cells  int      // of a line
	ticks  []uint64 // of all lines
}

// binTime is the time of a node in cells.
type binTime struct {
	start, end int64
	shift      uint  // ticks of a cell, log2
	first      int64 // the first cell: start >> shift
	bad        bool  // nothing can be said of the node
}

// binName names a line.
type binName struct{ place, region uint32 }

func (n binName) compare(o binName) int {
	return cmp.Or(cmp.Compare(n.place, o.place), cmp.Compare(n.region, o.region))
}

// placeLines finds the lines of a place: a few in a list in the order of regions, many in a map, so that none costs more than others.
type placeLines struct {
	few  []regionLine
	many map[uint32]uint32
}

// fewLines is the largest number of lines in a list.
const fewLines = 128

// regionLine is the number of a line of a region.
type regionLine struct{ region, line uint32 }

// find returns the line of a region; if there is none, where it belongs in the list.
func (p *placeLines) find(region uint32) (line uint32, at int, ok bool) {
	if p.many != nil {
		line, ok = p.many[region]
		return line, 0, ok
	}
	at, ok = slices.BinarySearchFunc(p.few, region, func(l regionLine, region uint32) int { return cmp.Compare(l.region, region) })
	if ok {
		line = p.few[at].line
	}
	return line, at, ok
}

// insert adds a line at the place where find says that it belongs.
func (p *placeLines) insert(at int, l regionLine) {
	if p.many == nil && len(p.few) < fewLines {
		p.few = slices.Insert(p.few, at, l)
		return
	}
	if p.many == nil {
		p.many = map[uint32]uint32{}
		for _, l := range p.few {
			p.many[l.region] = l.line
		}
		p.few = nil
	}
	p.many[l.region] = l.line
}

// NewBinGrid makes a grid of a node that begins at a time.
func NewBinGrid(start int64) *BinGrid {
	return &BinGrid{binTime: newBinTime(start), cells: MaxCells}
}

func newBinTime(start int64) binTime { return binTime{start: start, first: start, end: start} }

// Spoil says that nothing can be said of the node.
func (g *BinGrid) Spoil() { g.bad = true }

// Lines returns the number of lines.
func (g *BinGrid) Lines() int { return len(g.lines) }

// Limit sets the greatest number of cells of a line, a power of 2 up to MaxCells. It is lower when there are many lines.
func (g *BinGrid) Limit(cells int) {
	if cells >= g.cells {
		return
	}
	before := g.cells
	if g.end > g.start {
		if shift := shiftFor(g.start, g.end, cells); shift > g.shift {
			g.coarsen(shift)
		}
	}
	g.cells = cells
	ticks := make([]uint64, 0, cells*len(g.lines))
	for line := range g.lines {
		ticks = append(ticks, g.ticks[line*before:][:cells]...)
	}
	g.ticks = ticks
}

// Reserve makes room for a number of lines.
func (g *BinGrid) Reserve(lines int) {
	g.ticks = slices.Grow(g.ticks, max(0, lines*g.cells-len(g.ticks)))
}

// Extend says that the node has all times before end.
func (g *BinGrid) Extend(end int64) {
	if end <= g.end {
		return
	}
	g.end = end
	if shift := shiftFor(g.start, end, g.cells); shift > g.shift {
		g.coarsen(shift)
	}
}

// End says where the node ends after all: not behind what it was said to have.
func (g *BinGrid) End(end int64) { g.end = end }

// coarsen makes the cells wider.
func (g *BinGrid) coarsen(shift uint) {
	by, before := shift-g.shift, g.first
	g.shift, g.first = shift, g.start>>shift
	for ticks := g.ticks; len(ticks) > 0; ticks = ticks[g.cells:] {
		for i, v := range ticks[:g.cells] {
			ticks[i] = 0
			ticks[(before+int64(i))>>by-g.first] += v
		}
	}
}

// Line returns the number of a line.
func (g *BinGrid) Line(place, region uint32) int {
	for int(place) >= len(g.places) {
		g.places = append(g.places, placeLines{})
	}
	found, at, ok := g.places[place].find(region)
	if ok {
		return int(found)
	}
	line := len(g.lines)
	g.places[place].insert(at, regionLine{region, uint32(line)})
	g.lines = append(g.lines, binName{place, region})
	n := len(g.ticks)
	g.ticks = slices.Grow(g.ticks, g.cells)[:n+g.cells]
	clear(g.ticks[n:])
	return line
}

// Add adds the time from `from` to `to`, which the node has, to a line.
func (g *BinGrid) Add(line int, from, to int64) {
	cell := from >> (g.shift & 63)
	if at := line*g.cells + int(cell-g.first); to <= (cell+1)<<(g.shift&63) {
		g.ticks[at] += uint64(to - from) // as it mostly is
		return
	}
	g.spread(line, from, to)
}

func (g *BinGrid) spread(line int, from, to int64) {
	ticks := g.ticks[line*g.cells:][:g.cells]
	for from < to {
		cell := from >> g.shift
		end := min(to, (cell+1)<<g.shift)
		ticks[cell-g.first] += uint64(end - from)
		from = end
	}
}
