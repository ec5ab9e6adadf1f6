package tables

import (
	"encoding/binary"
	"slices"

	"github.com/pandotrace/pando/index"
)

// BinSum is what a lane's time in a node comes to: cells that have any time, in a few bytes each, line by line in the order of places and
// regions. Sums of children are joined in one pass over both, so that a line costs the same however many there are.
//
//	byte     number of cells
//	for each byte cell - the one before, uvarint ticks
type BinSum struct {
	binTime
	lines []binName
	cells []byte
}

// NewBinSum makes the sum of a node that begins at a time.
func NewBinSum(start int64) *BinSum { return &BinSum{binTime: newBinTime(start)} }

// Lines returns the number of lines with any time.
func (s *BinSum) Lines() int { return len(s.lines) }

// Sum returns what the grid comes to.
func (g *BinGrid) Sum() *BinSum {
	s := &BinSum{binTime: g.binTime}
	order := make([]int32, len(g.lines))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return g.lines[a].compare(g.lines[b]) })
	var line binCells
	for _, i := range order {
		line = line[:0]
		for cell, v := range g.ticks[int(i)*g.cells:][:g.cells] {
			if v > 0 {
				line = append(line, binCell{byte(cell), v})
			}
		}
		s.add(g.lines[i], line)
	}
	s.lines, s.cells = slices.Clip(s.lines), slices.Clip(s.cells)
	return s
}

// add adds a line behind all others, if it has any time.
func (s *BinSum) add(name binName, line binCells) {
	if len(line) > 0 {
		s.lines, s.cells = append(s.lines, name), line.append(s.cells)
	}
}

// binCell is a cell of a line that has any time.
type binCell struct {
	at    byte
	ticks uint64
}

// binCells are those of a line, in order.
type binCells []binCell

func (c binCells) append(dst []byte) []byte {
	dst = append(dst, byte(len(c)))
	before := byte(0)
	for _, cell := range c {
		dst = binary.AppendUvarint(append(dst, cell.at-before), cell.ticks)
		before = cell.at
	}
	return dst
}

// read reads the next line into the memory of c.
func (c binCells) read(b []byte) (line binCells, rest []byte) {
	n, at := b[0], byte(0)
	line, b = c[:0], b[1:]
	for range n {
		at += b[0]
		v, size := binary.Uvarint(b[1:])
		line, b = append(line, binCell{at, v}), b[1+size:]
	}
	return line, b
}

// move makes the cells wider by 2^by, and counts them from another first one.
func (c binCells) move(by uint, from, to int64) binCells {
	moved := c[:0]
	for _, cell := range c {
		moved = moved.with(binCell{byte((from+int64(cell.at))>>by - to), cell.ticks})
	}
	return moved
}

// with adds a cell that is not before the last one.
func (c binCells) with(cell binCell) binCells {
	if n := len(c); n > 0 && c[n-1].at == cell.at {
		c[n-1].ticks += cell.ticks
		return c
	}
	return append(c, cell)
}

// plus adds up two lines, in the memory of sum.
func (c binCells) plus(o, sum binCells) binCells {
	sum = sum[:0]
	for len(c) > 0 && len(o) > 0 {
		if c[0].at <= o[0].at {
			sum, c = sum.with(c[0]), c[1:]
		} else {
			sum, o = sum.with(o[0]), o[1:]
		}
	}
	for _, rest := range [2]binCells{c, o} {
		for _, cell := range rest {
			sum = sum.with(cell)
		}
	}
	return sum
}

// binLines goes through the lines of a sum, in other cells.
type binLines struct {
	names []binName
	bytes []byte
	time  binTime // as it was before
	to    *binTime
	line  binCells
}

// next reads the next line.
func (l *binLines) next() (name binName, cells binCells) {
	name, l.names = l.names[0], l.names[1:]
	l.line, l.bytes = l.line.read(l.bytes)
	if l.time.shift != l.to.shift || l.time.first != l.to.first {
		l.line = l.line.move(l.to.shift-l.time.shift, l.time.first, l.to.first)
	}
	return name, l.line
}

// BinSpace is memory to be used again, in which sums are joined one after the other.
type BinSpace struct {
	lines                []binName
	cells                []byte
	own, child, together binCells
}

// Join adds what the next child of the node has.
func (s *BinSum) Join(child *BinSum, space *BinSpace) {
	own := binLines{names: s.lines, bytes: s.cells, time: s.binTime, to: &s.binTime, line: space.own}
	more := binLines{names: child.lines, bytes: child.cells, time: child.binTime, to: &s.binTime, line: space.child}
	s.bad = s.bad || child.bad
	s.end = max(s.end, child.end)
	s.shift = max(s.shift, child.shift, shiftFor(s.start, s.end, MaxCells))
	s.first = s.start >> s.shift
	s.lines, s.cells = space.lines[:0], space.cells[:0]
	for len(own.names) > 0 && len(more.names) > 0 {
		switch c := own.names[0].compare(more.names[0]); {
		case c < 0:
			s.add(own.next())
		case c > 0:
			s.add(more.next())
		default:
			name, a := own.next()
			_, b := more.next()
			space.together = a.plus(b, space.together)
			s.add(name, space.together)
		}
	}
	for _, rest := range []*binLines{&own, &more} {
		for len(rest.names) > 0 {
			s.add(rest.next())
		}
	}
	space.lines, space.cells, space.own, space.child = s.lines, s.cells, own.line, more.line
	s.lines, s.cells = slices.Clone(s.lines), slices.Clone(s.cells)
}

// Bins returns what the sum holds, nil if nothing can be said or there is nothing to say. name returns what places and regions are.
func (s *BinSum) Bins(node index.Node, lane uint32, name func(place, region uint32) BinLine) *Bins {
	if s.bad || s.end <= s.start {
		return nil
	}
	b := &Bins{Node: node, Lane: lane, Start: s.start, End: s.end, Shift: s.shift}
	order, n := s.named(name), b.Cells()
	b.Lines, b.Ticks = make([]BinLine, len(order)), make([]uint64, len(order)*n)
	places := make([]int32, len(order)) // by line: where it belongs
	for to, l := range order {
		b.Lines[to], places[l.line] = l.name, int32(to)
	}
	lines := binLines{names: s.lines, bytes: s.cells, time: s.binTime, to: &s.binTime}
	for _, to := range places {
		_, cells := lines.next()
		for _, c := range cells {
			if int(c.at) < n {
				b.Ticks[int(to)*n+int(c.at)] = c.ticks
			}
		}
	}
	return b
}

// namedLine is a line with what it is called.
type namedLine struct {
	name BinLine
	line int32
}

// named returns the lines in the order of their names.
func (s *BinSum) named(name func(place, region uint32) BinLine) []namedLine {
	order := make([]namedLine, len(s.lines))
	for i, l := range s.lines {
		order[i] = namedLine{name(l.place, l.region), int32(i)}
	}
	slices.SortFunc(order, func(a, b namedLine) int { return a.name.Compare(b.name) })
	return order
}
