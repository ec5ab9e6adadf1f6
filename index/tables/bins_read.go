package tables

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

const binsSection = "bins block"

// ReadBins reads a block of bins. What it holds is bounded by the length of p.
func ReadBins(p []byte) (*Bins, error) {
	r := format.NewDecoder(binsSection, p)
	b := &Bins{Node: index.Node{Level: r.Int(64), Index: r.Uvarint()}, Lane: uint32(r.Int(1 << 32)), Start: r.Varint()}
	b.End = b.Start + int64(r.Int(format.SpanLimit))
	b.Shift = uint(r.Int(63))
	lines := r.Int(1 << 31)
	if b.Start < -format.SpanLimit || b.Start > format.SpanLimit || b.Start >= b.End || (b.End-b.Start)>>b.Shift >= maxReadCells {
		r.Fail("cells of 2^%d ticks from %d to %d", b.Shift, b.Start, b.End)
	}
	if r.Err() == nil {
		if slots := uint64(lines) * uint64(b.Cells()); tooDense(slots, len(p)) {
			r.Fail("%d lines of %d cells in %d bytes", lines, b.Cells(), len(p))
		}
	}
	if r.Err() == nil {
		b.read(r, lines)
	}
	return b, r.Finish()
}

func (b *Bins) read(r *format.Decoder, lines int) {
	f := newBlockReader(r)
	heads := f.block(slices.Repeat([]int{lines}, binMost+1))
	if r.Err() != nil {
		return
	}
	for _, k := range getKeys(r, heads, lines, 2) {
		b.Lines = append(b.Lines, BinLine{k[0], k[1]})
	}
	most := heads.take(binMost, lines)
	class, n := b.classes()
	contexts := binClasses + n*binStates
	f.contexts(contexts)
	counts := make([]int, binCounts+1)
	counts[binCounts] = contexts - binIdle
	sizes := f.block(counts)
	if r.Err() != nil {
		return
	}
	if !b.oneEach(most) {
		r.Fail("not one line of each location has most")
		return
	}
	b.cells(r, f, class, most, b.sizes(r, sizes.take(binCounts, contexts-binIdle)))
}

// oneEach reports whether there is one mark among the lines of each location.
func (b *Bins) oneEach(most []uint64) bool {
	marks := uint64(0)
	for line, m := range most {
		if m > 1 {
			return false
		}
		if marks += m; line+1 == len(most) || b.Lines[line+1].Location != b.Lines[line].Location {
			if marks != 1 {
				return false
			}
			marks = 0
		}
	}
	return true
}

// sizes returns the number of values in each context of the last block: at most one for each cell of each line, and one more of each
// location.
func (b *Bins) sizes(r *format.Decoder, list []uint64) []int {
	all := make([]int, binIdle, binIdle+len(list))
	sum, slots := uint64(0), uint64(b.Cells()*len(b.Lines))
	for _, n := range list {
		if n > slots || sum+n > slots {
			r.Fail("more values than the %d of all cells", slots)
			return nil
		}
		sum += n
		all = append(all, int(n))
	}
	return all
}

// cells reads the cells, and makes sure that a writer could have written the same.
func (b *Bins) cells(r *format.Decoder, f *blockReader, class []int, most []uint64, sizes []int) {
	if r.Err() != nil {
		return
	}
	c := f.block(sizes)
	if r.Err() != nil {
		return
	}
	b.Ticks = make([]uint64, b.Cells()*len(b.Lines))
	left := slices.Clone(sizes)
	b.walk(class, most, func(context int, _, room uint64) uint64 {
		if left[context] == 0 {
			r.Fail("values of context %d are missing", context)
			return 0
		}
		left[context]--
		switch v := c.get(context); {
		case v == 1:
			return room
		case v > room:
			r.Fail("%d ticks of %d", v-1, room)
			return 0
		case v > 1:
			return v - 1
		}
		return 0
	})
	if slices.ContainsFunc(left, func(n int) bool { return n > 0 }) {
		r.Fail("values are left over")
	}
	b.check(r, most)
}

// check makes sure that no line is empty, and that the marks are right.
func (b *Bins) check(r *format.Decoder, most []uint64) {
	cells := b.Cells()
	for line := range b.Lines {
		if !slices.ContainsFunc(b.Ticks[line*cells:][:cells], func(v uint64) bool { return v > 0 }) {
			r.Fail("line %d is empty", line)
		}
	}
	if r.Err() == nil && !slices.Equal(b.most(), most) {
		r.Fail("another line has most")
	}
}
