package index

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// BinGrid adds up the time of a lane in a node whose end is not known yet: cells get wider as it goes on. Locations are named by
// their places in the lane, regions by numbers; what these are is told at the end.
type BinGrid struct {
	start, end int64
	shift      uint           // ticks of a cell, log2
	first      int64          // the first cell: start >> shift
	places     [][]regionLine // by place: its lines, in the order of their regions
	lines      []binName
	cells      int      // of a line
	ticks      []uint64 // of all lines, unless they are folded
	folded     []byte
	bad        bool
}

type binName struct{ place, region uint32 }

// regionLine is the number of a line of a region.
type regionLine struct{ region, line uint32 }

// NewBinGrid makes a grid of a node that begins at a time.
func NewBinGrid(start int64) *BinGrid {
	return &BinGrid{start: start, first: start, end: start, cells: MaxCells}
}

// Spoil says that nothing can be said of the node.
func (g *BinGrid) Spoil() { g.bad = true }

// Lines returns the number of lines.
func (g *BinGrid) Lines() int { return len(g.lines) }

// Limit says that a line has so many cells at most, a power of 2 up to MaxCells: with many lines, there is no room for more.
func (g *BinGrid) Limit(cells int) {
	if cells >= g.cells {
		return
	}
	g.unfold()
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

// Reserve makes room for so many lines.
func (g *BinGrid) Reserve(lines int) {
	g.unfold()
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
	g.unfold()
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
	name := binName{place, region}
	i, ok := g.find(name)
	if ok {
		return int(g.places[place][i].line)
	}
	for int(place) >= len(g.places) {
		g.places = append(g.places, nil)
	}
	line := len(g.lines)
	g.places[place] = slices.Insert(g.places[place], i, regionLine{region, uint32(line)})
	g.lines = append(g.lines, name)
	n := len(g.ticks)
	g.ticks = slices.Grow(g.ticks, g.cells)[:n+g.cells]
	clear(g.ticks[n:])
	return line
}

// find returns where a line stands among those of its place, or where it belongs.
func (g *BinGrid) find(l binName) (i int, ok bool) {
	if int(l.place) >= len(g.places) {
		return 0, false
	}
	return slices.BinarySearchFunc(g.places[l.place], l.region, func(l regionLine, region uint32) int { return cmp.Compare(l.region, region) })
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

// Join adds what the next child of the node has, and folds the grid.
func (g *BinGrid) Join(child *BinGrid, space *TickSpace) {
	g.bad = g.bad || child.bad
	g.unfoldTo(space, child.without(g))
	child.unfold()
	g.Extend(child.end)
	if child.shift > g.shift {
		g.coarsen(child.shift)
	}
	by, from, to := g.shift-child.shift, child.first, g.first
	for i, n := range child.lines {
		ticks := g.ticks[g.Line(n.place, n.region)*g.cells:]
		for cell, v := range child.ticks[i*child.cells:][:child.cells] {
			if v > 0 {
				ticks[(from+int64(cell))>>by-to] += v
			}
		}
	}
	if g.fold(space); g.folded == nil {
		g.ticks = slices.Clone(g.ticks)
	}
}

// without returns how many lines the other grid has not.
func (g *BinGrid) without(o *BinGrid) (n int) {
	for _, l := range g.lines {
		if _, ok := o.find(l); !ok {
			n++
		}
	}
	return n
}

// Bins returns what the grid holds, nil if nothing can be said or there is nothing to say. name returns what places and regions are.
func (g *BinGrid) Bins(n Node, lane uint32, name func(place, region uint32) BinLine) *Bins {
	b := &Bins{Node: n, Lane: lane, Start: g.start, End: g.end, Shift: g.shift}
	if g.bad || g.end <= g.start {
		return nil
	}
	g.unfold()
	order, names, cells := make([]int, 0, len(g.lines)), make([]BinLine, len(g.lines)), b.Cells()
	for i, l := range g.lines {
		if names[i] = name(l.place, l.region); slices.ContainsFunc(g.ticks[i*g.cells:][:g.cells], func(v uint64) bool { return v > 0 }) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return names[a].Compare(names[b]) })
	b.Lines, b.Ticks = make([]BinLine, 0, len(order)), make([]uint64, 0, len(order)*cells)
	for _, i := range order {
		b.Lines = append(b.Lines, names[i])
		b.Ticks = append(b.Ticks, g.ticks[i*g.cells:][:cells]...)
	}
	return b
}

// foldedTicks is the number of ticks from which on a grid is worth folding.
var foldedTicks = 1 << 12

// Fold makes a large grid small, until it is used again: then it takes a few bytes for each cell that has any time. Folded, it is
//
//	uvarints  ticks of a cell; behind a 0: how many more cells without any follow
func (g *BinGrid) Fold() { g.fold(&TickSpace{}) }

// TickSpace is memory to be used again, by which one grid after the other is joined.
type TickSpace struct {
	ticks  []uint64
	folded []byte
}

func (g *BinGrid) fold(space *TickSpace) {
	if len(g.ticks) < foldedTicks {
		return
	}
	folded, none := slices.Grow(space.folded[:0], len(g.ticks)), uint64(0)
	for _, v := range g.ticks {
		if v == 0 {
			none++
			continue
		}
		folded = appendNone(folded, none)
		folded, none = binary.AppendUvarint(folded, v), 0
	}
	space.folded = appendNone(folded, none)
	g.folded, g.ticks = slices.Clone(space.folded), nil
}

// unfoldTo makes ticks of what is folded, in some memory with room for so many more lines.
func (g *BinGrid) unfoldTo(space *TickSpace, lines int) {
	n := g.cells * len(g.lines)
	space.ticks = slices.Grow(space.ticks[:0], n+g.cells*lines)[:n]
	if g.folded == nil {
		copy(space.ticks, g.ticks)
	} else {
		clear(space.ticks)
		unfold(space.ticks, g.folded)
	}
	g.ticks, g.folded = space.ticks, nil
}

func unfold(ticks []uint64, folded []byte) {
	for b, at := folded, 0; len(b) > 0; at++ {
		v, n := binary.Uvarint(b)
		b = b[n:]
		if v > 0 {
			ticks[at] = v
			continue
		}
		none, n := binary.Uvarint(b)
		at, b = at+int(none), b[n:]
	}
}

func (g *BinGrid) unfold() {
	if g.folded != nil {
		g.unfoldTo(&TickSpace{}, 0)
	}
}

func appendNone(dst []byte, cells uint64) []byte {
	if cells == 0 {
		return dst
	}
	return binary.AppendUvarint(append(dst, 0), cells-1)
}
