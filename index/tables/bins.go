package tables

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// # Bins
//
// The time of a node is divided into cells of 2^shift ticks that begin at multiples of that, so that cells of neighbouring
// nodes do not overlap, and those of a node nest in those of its parent. Bins say, for each location of a lane and each
// region, how many ticks of each cell the location spent with a call of that region as the innermost one. What is left of a
// cell is time without any call. The first and the last cell end where the node's time does.

// MaxCells is the largest number of cells that bins of a writer have; a reader takes up to maxReadCells.
const (
	MaxCells     = 64
	maxReadCells = 1 << 12
)

// Bins is a block of bins: those of one node and one lane.
type Bins struct {
	Node index.Node
	Lane uint32
	// Start and End are the node's time: from the start of its first slice to that of the slice behind its last one; where there
	// is none, to the last event of the trace. Start is less than End.
	Start, End int64
	Shift      uint
	// Lines are ordered, by location and region, and each has some time.
	Lines []BinLine
	// Ticks are those of the lines, cell by cell, line by line.
	Ticks []uint64
}

// BinLine names a line: the location by its index in the trace.
type BinLine struct{ Location, Region uint64 }

// Compare orders lines.
func (l BinLine) Compare(o BinLine) int {
	return cmp.Or(cmp.Compare(l.Location, o.Location), cmp.Compare(l.Region, o.Region))
}

// Cells returns the number of cells.
func (b *Bins) Cells() int { return cellsOf(b.Start, b.End, b.Shift) }

func cellsOf(start, end int64, shift uint) int { return int((end-1)>>shift-start>>shift) + 1 }

// Cell returns begin and end of a cell, cut to the time of the node.
func (b *Bins) Cell(i int) (from, to int64) {
	from = (b.Start>>b.Shift + int64(i)) << b.Shift
	return max(from, b.Start), min(from+1<<b.Shift, b.End)
}

// widths returns the ticks of each cell.
func (b *Bins) widths() []uint64 {
	w := make([]uint64, b.Cells())
	for i := range w {
		from, to := b.Cell(i)
		w[i] = uint64(to - from)
	}
	return w
}

// Coarser returns the same in cells of twice the width.
func (b *Bins) Coarser() *Bins {
	c := *b
	c.Shift++
	n, cells := b.Cells(), c.Cells()
	c.Ticks = make([]uint64, cells*len(b.Lines))
	odd := int(b.Start >> b.Shift & 1)
	for line := range b.Lines {
		for i, v := range b.Ticks[line*n:][:n] {
			c.Ticks[line*cells+(i+odd)/2] += v
		}
	}
	return &c
}

// Values returns the number of cells of lines with any time.
func (b *Bins) Values() (n int) {
	for _, v := range b.Ticks {
		if v > 0 {
			n++
		}
	}
	return n
}

// Memory is about the number of bytes that the bins take.
func (b *Bins) Memory() int64 { return int64(16*len(b.Lines) + 8*len(b.Ticks) + 200) }

// Encode returns the block's bytes, nil if they were too few for its size: a reader would not believe them.
func (b *Bins) Encode() []byte {
	if all := b.append(form(b.columns())); !tooDense(uint64(len(b.Ticks)), len(all)) {
		return all
	}
	return nil
}

// append appends
//
//	uvarint  level
//	uvarint  index of the node in its level
//	uvarint  lane
//	varint   start
//	uvarint  end - start
//	uvarint  shift
//	uvarint  number of lines
//	byte     form of the blocks
//	bytes    in form 1: the model
//	block    keys and marks of the lines
//	block    the number of values in each context of the next block, from the first one that is used there
//	block    cells
func (b *Bins) append(form []byte) []byte {
	dst := format.AppendUvarint(nil, uint64(b.Node.Level))
	dst = format.AppendUvarint(dst, b.Node.Index)
	dst = format.AppendUvarint(dst, uint64(b.Lane))
	dst = format.AppendVarint(dst, b.Start)
	dst = format.AppendUvarint(dst, uint64(b.End-b.Start))
	dst = format.AppendUvarint(dst, uint64(b.Shift))
	dst = format.AppendUvarint(dst, uint64(len(b.Lines)))
	return append(dst, form...)
}

// Contexts of the first block: the words of keys, and whether a line has most of its location's time; of the second block: numbers
// of values; of the third block: time without a call, then for each class of lines, which are those of equal regions, one for
// each state of the cell before.
const (
	binMost    = 2
	binCounts  = 3
	binIdle    = 4
	binClasses = 5
	binStates  = 3
)

// States of a cell: what it has of the time that the lines before have left.
const (
	binNone = iota
	binSome
	binAll
)

// codeOf returns the code of v out of `left` ticks: 0 for none, 1 for all, else v + 1.
func codeOf(v, left uint64) uint64 {
	switch v {
	case 0:
		return 0
	case left:
		return 1
	}
	return v + 1
}

// columns lays out the block. A location's cells are written line by line, but for the line with most time, and then the time
// without a call; where nothing is left of a cell, nothing is written.
func (b *Bins) columns() []columns {
	class, n := b.classes()
	contexts := binClasses + n*binStates
	heads, sizes, cells := newColumns(contexts), newColumns(contexts), newColumns(contexts)
	keys, most := make([]Key, len(b.Lines)), b.most()
	for i, l := range b.Lines {
		keys[i] = Key{l.Location, l.Region}
		heads.put(binMost, most[i])
	}
	putKeys(heads, keys, 2)
	b.walk(class, most, func(context int, v, left uint64) uint64 {
		cells.put(context, codeOf(v, left))
		return v
	})
	for _, list := range cells[binIdle:] {
		sizes.put(binCounts, uint64(len(list)))
	}
	return []columns{heads, sizes, cells}
}

// most returns 1 for the first line of those of a location that have most time, 0 for other lines.
func (b *Bins) most() []uint64 {
	marks, cells := make([]uint64, len(b.Lines)), b.Cells()
	best, most := 0, uint64(0)
	for line := range b.Lines {
		total := uint64(0)
		for _, v := range b.Ticks[line*cells:][:cells] {
			total += v
		}
		switch first := line == 0 || b.Lines[line].Location != b.Lines[line-1].Location; {
		case !first && total <= most:
			continue
		case !first:
			marks[best] = 0
		}
		best, most, marks[line] = line, total, 1
	}
	return marks
}

// classes numbers the lines by their regions: 0 for all if there are too many.
func (b *Bins) classes() (class []int, n int) {
	class = make([]int, len(b.Lines))
	ids := make([]uint64, len(b.Lines))
	for i, l := range b.Lines {
		ids[i] = l.Region
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if binClasses+len(ids)*binStates > maxContexts {
		return class, 1
	}
	for i, l := range b.Lines {
		class[i], _ = slices.BinarySearch(ids, l.Region)
	}
	return class, max(len(ids), 1)
}

// walk visits the values of cells in the order in which they are written, with their contexts and what is left of the cell, and sets
// them to what visit returns. The line of a location with most time has what is left.
func (b *Bins) walk(class []int, most []uint64, visit func(context int, v, left uint64) uint64) {
	cells, widths := b.Cells(), b.widths()
	left := make([]uint64, cells)
	for first, end := 0, 0; first < len(b.Lines); first = end {
		rest := first
		copy(left, widths)
		for end = first; end < len(b.Lines) && b.Lines[end].Location == b.Lines[first].Location; end++ {
			if most[end] > 0 {
				rest = end
				continue
			}
			walkLine(b.Ticks[end*cells:][:cells], left, binClasses+class[end]*binStates, visit)
		}
		for i, v := range b.Ticks[rest*cells:][:cells] {
			if left[i] > 0 {
				b.Ticks[rest*cells+i] = left[i] - visit(binIdle, left[i]-v, left[i])
			}
		}
	}
}

func walkLine(ticks, left []uint64, context int, visit func(context int, v, left uint64) uint64) {
	state := binNone
	for i, v := range ticks {
		if left[i] == 0 {
			state = binNone
			continue
		}
		v = visit(context+state, v, left[i])
		switch ticks[i] = v; v {
		case 0:
			state = binNone
		case left[i]:
			state = binAll
		default:
			state = binSome
		}
		left[i] -= v
	}
}

// shiftFor returns the smallest shift with which an interval has at most a number of cells.
func shiftFor(start, end int64, cells int) uint {
	shift := uint(max(0, bits.Len64(uint64(end-start))-bits.Len(uint(cells))))
	for cellsOf(start, end, shift) > cells {
		shift++
	}
	return shift
}
