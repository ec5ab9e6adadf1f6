package timeline

import (
	"math"

	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// PlanCells finds what the cells of bins are made of, each cell a pixel.
func PlanCells(r *read.File, b *nodeBins) (*lanePlan, error) {
	its, err := r.Lane(b.Lane)
	if err != nil {
		return nil, err
	}
	p := &lanePlan{lane: b.Lane, of: its, chosen: make([]bool, len(its.Locations))}
	for i := range p.chosen {
		p.chosen[i] = true
	}
	cells, width := b.Cells(), uint64(1)<<b.Shift
	q := &timelineQuery{
		File: r, w: query.NewWindow(r, math.MinInt64, math.MaxInt64),
		raster: trace.Raster{From: b.Start >> b.Shift << b.Shift, Length: uint64(cells) * width, Pixels: cells},
		widest: width, blurred: width,
	}
	planner := timelinePlanner{timelineQuery: q, lanePlan: p}
	all, _ := r.Children(b.Node)
	if err := planner.below(b.Node, all, b.Start, b.End); err != nil {
		return nil, err
	}
	return p, q.run([]*lanePlan{p})
}

// Same reports whether bins are what a plan came to.
func (p *lanePlan) Same(b *nodeBins) bool {
	lines, cells := map[read.TableLine]int{}, b.Cells()
	for i, l := range b.lines {
		lines[l] = i
	}
	left := make([]uint64, len(b.Ticks))
	copy(left, b.Ticks)
	for _, part := range p.found {
		at := 0
		for _, its := range part.places {
			for ; at < its.end; at++ {
				r := &part.runs[at]
				line, ok := lines[read.TableLine{Place: its.place, Number: r.Region}]
				if !ok {
					return false
				}
				for i := range r.Pixels { // all as long
					left[line*cells+int(r.Pixel+i)] -= r.Ticks / uint64(r.Pixels)
				}
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
