package sums

import (
	"github.com/pandotrace/pando/index/tables"
)

// Bins is the grid of a lane for the group under way: whenever the innermost call of a location changes, the time since the last change
// goes into it. When a group is complete, so is its grid; grids of higher nodes are made of their children's ([BinTree]). The time of a
// slice goes from its start to that of the next slice, so that no instant is missing where slices are apart, and none counts twice where
// they share one.
type Bins struct {
	grid  *tables.BinGrid // nil between groups
	had   int             // lines in the group before, as a forecast of this one's
	lines []int32         // by number of a region: line of the location at hand + 1, 0 if that has not been looked up
	known []uint32        // regions with lines
}

// Location begins with a location.
func (b *Bins) Location() {
	for _, region := range b.known {
		b.lines[region] = 0
	}
	b.known = b.known[:0]
}

// line returns the line of the location at hand for a region.
func (b *Bins) line(place, region uint32) int {
	if region < uint32(len(b.lines)) && b.lines[region] > 0 {
		return int(b.lines[region]) - 1
	}
	for uint32(len(b.lines)) <= region {
		b.lines = append(b.lines, 0)
	}
	line := b.grid.Line(place, region)
	b.lines[region], b.known = int32(line)+1, append(b.known, region)
	return line
}

// Busy says up to when the bins have what a location did.
type Busy struct {
	Since int64
	Place uint32 // of the location in the lane
}

// Add gives the time since the innermost call of a location last changed to a region.
func (b *Bins) Add(s *Busy, region uint32, t int64) {
	switch {
	case t <= s.Since:
	case region == UnknownRegion:
		b.grid.Spoil()
	default:
		b.grid.Add(b.line(s.Place, region), s.Since, t)
	}
	s.Since = t
}

// Open reports whether there is a grid.
func (b *Bins) Open() bool { return b.grid != nil }

// Start makes the grid of a group that begins at a time, if there is none yet.
func (b *Bins) Start(t int64) {
	if b.grid == nil {
		b.grid = tables.NewBinGrid(t)
	}
}

// Reach makes the grid reach up to a time, in lines of some cells.
func (b *Bins) Reach(cells int, t int64) {
	b.grid.Limit(cells)
	b.grid.Reserve(b.had)
	b.grid.Extend(t)
}

// Extend makes the grid reach up to a time.
func (b *Bins) Extend(t int64) { b.grid.Extend(t) }

// Lines returns how many lines the grid of a lane with some locations has, or will have: if it is like that of the group before, and at least one
// for each location.
func (b *Bins) Lines(locations int) int { return max(b.grid.Lines(), b.had, locations) }

// Take returns what the grid came to at the end of the group, nil if there is none, and ends it.
func (b *Bins) Take(end int64) (sum *tables.BinSum) {
	if b.grid != nil {
		b.grid.End(end)
		sum, b.had = b.grid.Sum(), b.grid.Lines()
	}
	b.grid = nil
	return sum
}

// cellLines is the number of lines in the grids of all lanes beyond which cells become wider. A line has two at least: of 16 children, a node has 32 even so.
const (
	cellLines  = 1 << 14
	leastCells = 2
)

// Cells returns the number of cells of a line, if the grids of all lanes have some lines.
func Cells(lines int) int {
	cells := tables.MaxCells
	for n := lines; n > cellLines && cells > leastCells; n /= 2 {
		cells /= 2
	}
	return cells
}
