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
	var all []Run
	for lanes := range slices.Chunk(q.lanes, lanesAtOnce) {
		plans, err := q.plans(lanes)
		if err != nil {
			return nil, err
		}
		for _, p := range plans {
			p.errors(t.Errors)
			for _, part := range p.found {
				all = append(all, part.runs...)
			}
		}
		all = q.added(all)
	}
	j := q.joiner()
	for _, c := range all {
		if j.shown[c.Region] {
			j.used[j.rank[c.Region]] = true
			t.Cells = append(t.Cells, trace.TimelineCell{Pixel: c.Pixel, Region: j.rank[c.Region], Ticks: c.Ticks})
		}
	}
	slices.SortFunc(t.Cells, func(a, b trace.TimelineCell) int {
		return cmp.Or(cmp.Compare(a.Pixel, b.Pixel), cmp.Compare(a.Region, b.Region))
	})
	regions, places := j.regions()
	for i := range t.Cells {
		t.Cells[i].Region = places[t.Cells[i].Region]
	}
	t.Starts, t.Regions = []int{0, len(t.Cells)}, regions
	return t, nil
}

// added adds up runs of several locations or parts.
func (q *timelineQuery) added(runs []Run) []Run {
	ids, _ := q.Numbers.Ranks()
	pixels := uint64(0)
	for i := range runs {
		pixels += uint64(runs[i].Pixels)
	}
	if uint64(q.raster.Pixels)*uint64(len(ids)) <= min(maxDense, pixels*8) {
		return addedDense(runs, &q.raster, len(ids))
	}
	return addedSparse(runs, &q.raster)
}

// maxDense is the largest number of sums, pixels times regions, that a part keeps in a table. Where there may be more, its runs are put in order.
const maxDense = 1 << 17

// addedSparse orders runs by pixel and region, and adds up those that have both in common. Each is of one pixel then.
func addedSparse(runs []Run, raster *trace.Raster) []Run {
	runs = divided(runs, raster)
	slices.SortFunc(runs, func(a, b Run) int {
		return cmp.Compare(uint64(a.Pixel)<<32|uint64(a.Region), uint64(b.Pixel)<<32|uint64(b.Region))
	})
	n := 0
	for _, c := range runs {
		if n > 0 && runs[n-1].Pixel == c.Pixel && runs[n-1].Region == c.Region {
			runs[n-1].Ticks += c.Ticks
			continue
		}
		runs[n] = c
		n++
	}
	return runs[:n]
}

// divided divides runs into such of one pixel.
func divided(runs []Run, raster *trace.Raster) []Run {
	for i := range runs {
		r := runs[i]
		for pixel := r.Pixel + 1; pixel < r.Pixel+r.Pixels; pixel++ {
			runs = append(runs, Run{pixel, 1, r.Region, ticksOf(raster, pixel)})
		}
		if r.Pixels > 1 {
			runs[i].Pixels, runs[i].Ticks = 1, ticksOf(raster, r.Pixel)
		}
	}
	return runs
}

// addedDense does the same in a table.
func addedDense(runs []Run, raster *trace.Raster, regions int) []Run {
	sums := make([]uint64, raster.Pixels*regions)
	for i := range runs {
		r := &runs[i]
		if r.Pixels == 1 {
			sums[int(r.Pixel)*regions+int(r.Region)] += r.Ticks
			continue
		}
		for pixel := r.Pixel; pixel < r.Pixel+r.Pixels; pixel++ {
			sums[int(pixel)*regions+int(r.Region)] += ticksOf(raster, pixel)
		}
	}
	found := runs[:0]
	for i, ticks := range sums {
		if ticks > 0 {
			found = append(found, Run{uint32(i / regions), 1, uint32(i % regions), ticks})
		}
	}
	return found
}

// ticksOf returns the length of a pixel.
func ticksOf(raster *trace.Raster, pixel uint32) uint64 {
	return uint64(raster.Border(int(pixel)+1) - raster.Border(int(pixel)))
}
