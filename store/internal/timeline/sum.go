package timeline

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/trace"
)

// lanesAtOnce is the number of lanes whose cells are held before they are added up: it bounds the memory of a sum.
const lanesAtOnce = 32

// Sum divides the window into pixels like Make, and adds up the time of all its locations: there is one row, which belongs to no location. A
// part of the time of a lane is added up as soon as it is known, so that many locations take no more memory than few.
func Sum(w *query.Window, pixels int) (*trace.Timeline, error) {
	q, err := newQuery(w, Options{Pixels: pixels})
	if err != nil {
		return nil, err
	}
	q.together = true
	t := &trace.Timeline{From: w.From, To: max(w.To, w.From), Pixels: pixels, Errors: make([]uint64, pixels)}
	var all []partCell
	for lanes := range slices.Chunk(q.lanes, lanesAtOnce) {
		plans, err := q.plans(lanes)
		if err != nil {
			return nil, err
		}
		for _, p := range plans {
			p.errors(t.Errors)
			for _, part := range p.found {
				all = append(all, part.cells...)
			}
		}
		all = q.added(all)
	}
	ids, rank := q.Numbers.Ranks()
	shown := q.shown(ids)
	for _, c := range all {
		if shown[c.region] {
			t.Cells = append(t.Cells, trace.TimelineCell{Pixel: c.pixel, Region: rank[c.region], Ticks: c.ticks})
		}
	}
	slices.SortFunc(t.Cells, func(a, b trace.TimelineCell) int {
		return cmp.Or(cmp.Compare(a.Pixel, b.Pixel), cmp.Compare(a.Region, b.Region))
	})
	t.Starts = []int{0, len(t.Cells)}
	nameRegions(t, ids, rank)
	return t, nil
}

// added adds up cells of several locations or parts.
func (q *timelineQuery) added(cells []partCell) []partCell {
	ids, _ := q.Numbers.Ranks()
	return added(cells, q.raster.Pixels, len(ids))
}

// maxDense is the largest number of sums, pixels times regions, that a part keeps in a table. Where there may be more, its cells are put in order.
const maxDense = 1 << 17

// added orders cells by pixel and region, and adds up those that have both in common. It works in place.
func added(cells []partCell, pixels, regions int) []partCell {
	if uint64(pixels)*uint64(regions) <= min(maxDense, uint64(len(cells))*8) {
		return addedDense(cells, pixels, regions)
	}
	slices.SortFunc(cells, func(a, b partCell) int {
		return cmp.Compare(uint64(a.pixel)<<32|uint64(a.region), uint64(b.pixel)<<32|uint64(b.region))
	})
	n := 0
	for _, c := range cells {
		if n > 0 && cells[n-1].pixel == c.pixel && cells[n-1].region == c.region {
			cells[n-1].ticks += c.ticks
			continue
		}
		cells[n] = c
		n++
	}
	return cells[:n]
}

func addedDense(cells []partCell, pixels, regions int) []partCell {
	sums := make([]uint64, pixels*regions)
	for i := range cells {
		sums[int(cells[i].pixel)*regions+int(cells[i].region)] += cells[i].ticks
	}
	n := 0
	for i, ticks := range sums {
		if ticks > 0 {
			cells[n] = partCell{uint32(i / regions), uint32(i % regions), ticks}
			n++
		}
	}
	return cells[:n]
}
