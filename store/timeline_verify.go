package store

import (
	"math"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// bins checks a block of bins: that it can be read, and that its cells are what the slices below the node, or the bins of its
// children, add up to. What makes those unreadable is a problem of theirs.
func (v *verifier) bins(e *index.Entry, payload []byte) error {
	b, err := v.r.readBins(payload)
	if err != nil {
		return err
	}
	if err := v.node(e, b.Node, b.Lane); err != nil {
		return err
	}
	p, err := v.r.planCells(b)
	if err == nil && !p.same(b) {
		return format.Corruptf("bins block", -1, "the cells of node %d of level %d are not what its slices hold", b.Node.Index, b.Node.Level)
	}
	return nil
}

// planCells finds what the cells of bins are made of, each cell a pixel.
func (r *Reader) planCells(b *nodeBins) (*lanePlan, error) {
	p := &lanePlan{lane: b.Lane, chosen: make([]bool, len(r.lanes[b.Lane]))}
	for i := range p.chosen {
		p.chosen[i] = true
	}
	cells, width := b.Cells(), uint64(1)<<b.Shift
	q := &timelineQuery{
		Reader: r, w: r.Window(math.MinInt64, math.MaxInt64),
		raster: raster{b.Start >> b.Shift << b.Shift, uint64(cells) * width, cells},
		widest: width, blurred: width,
	}
	planner := timelinePlanner{timelineQuery: q, lanePlan: p}
	all, _ := r.children(b.Node)
	if err := planner.below(b.Node, all, b.Start, b.End); err != nil {
		return nil, err
	}
	return p, q.run([]*lanePlan{p})
}

// same reports whether bins are what a plan came to.
func (p *lanePlan) same(b *nodeBins) bool {
	lines, cells := map[tableLine]int{}, b.Cells()
	for i, l := range b.lines {
		lines[l] = i
	}
	left := make([]uint64, len(b.Ticks))
	copy(left, b.Ticks)
	for _, part := range p.found {
		at := 0
		for _, run := range part.runs {
			for ; at < run.end; at++ {
				c := &part.cells[at]
				line, ok := lines[tableLine{run.place, c.region}]
				if !ok {
					return false
				}
				left[line*cells+int(c.pixel)] -= c.ticks
			}
		}
	}
	for _, ticks := range left {
		if ticks != 0 {
			return false
		}
	}
	return true
}
