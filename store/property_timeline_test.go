package store_test

import (
	"maps"
	"math"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Files of tests have few slices.
func init() { store.FewBlocks(5) }

// windowTimeline compares a timeline of a window: pixel by pixel up to the errors that it speaks of, and all pixels together exactly.
func (c *checker) windowTimeline(w model.Window) {
	c.Helper()
	w.Kinds, w.MinDuration = nil, 0
	pixels := 1 + c.rand.IntN(12)
	got, err := c.ask(w).Timeline(pixels)
	if err != nil {
		c.Fatal(err)
	}
	want := c.model.Timeline(&w, c.calls, pixels)
	c.timelineForm(&w, got)
	cells := cellsOf(got)
	off := map[model.TimelineCell]int64{}
	for k, ticks := range want {
		off[k] += ticks
	}
	for k, ticks := range cells {
		off[k] -= ticks
	}
	sums := map[model.TimelineCell]int64{}
	for k, ticks := range off {
		if uint64(max(ticks, -ticks)) > got.Errors[k.Pixel] {
			c.Errorf("%d of %d pixels: %+v has %d ticks, want %d, with an error of %d", k.Pixel, pixels, k, cells[k], want[k], got.Errors[k.Pixel])
		}
		sums[model.TimelineCell{Location: k.Location, Region: k.Region}] += ticks
	}
	for k, ticks := range sums {
		if ticks != 0 {
			c.Errorf("all %d pixels of %+v are off by %d", pixels, k, ticks)
		}
	}
	c.sameExclusive(w, cells)
	c.timelineParts(w, pixels, cells, want)
	c.timelineSum(w, pixels, want)
}

// timelineSum compares the sum over all locations with that of the model, pixel by pixel up to the errors of the locations, and all pixels together exactly.
func (c *checker) timelineSum(w model.Window, pixels int, want map[model.TimelineCell]int64) {
	c.Helper()
	got, err := c.ask(w).TimelineSum(pixels)
	if err != nil {
		c.Fatal(err)
	}
	off, sums := map[model.TimelineCell]int64{}, map[uint64]int64{}
	for k, ticks := range want {
		off[model.TimelineCell{Pixel: k.Pixel, Region: k.Region}] += ticks
		sums[k.Region] += ticks
	}
	for i, cell := range got.Cells {
		if i > 0 && (got.Cells[i-1].Pixel > cell.Pixel || got.Cells[i-1].Pixel == cell.Pixel && got.Cells[i-1].Region >= cell.Region) || cell.Ticks == 0 {
			c.Errorf("cells %+v and %+v", got.Cells[max(0, i-1)], cell)
		}
		off[model.TimelineCell{Pixel: int(cell.Pixel), Region: got.Regions[cell.Region]}] -= int64(cell.Ticks)
		sums[got.Regions[cell.Region]] -= int64(cell.Ticks)
	}
	for k, ticks := range off {
		if uint64(max(ticks, -ticks)) > got.Errors[k.Pixel]*uint64(len(c.model.Locations)) {
			c.Errorf("%d of %d pixels, all locations: region %d is off by %d, with an error of %d each", k.Pixel, pixels, k.Region, ticks, got.Errors[k.Pixel])
		}
	}
	for region, ticks := range sums {
		if ticks != 0 {
			c.Errorf("all %d pixels of region %d are off by %d", pixels, region, ticks)
		}
	}
	if len(got.Starts) != 2 || got.Starts[1] != len(got.Cells) || len(got.Locations) != 0 {
		c.Errorf("starts %v of %d cells, locations %v", got.Starts, len(got.Cells), got.Locations)
	}
}

// timelineParts compares the timelines of some locations at a time with that of all, and exact ones with the model.
func (c *checker) timelineParts(w model.Window, pixels int, all, want map[model.TimelineCell]int64) {
	c.Helper()
	for _, exact := range []bool{false, true} {
		found, most := map[model.TimelineCell]int64{}, c.rand.IntN(4)
		for part, err := range c.ask(w).Timelines(store.TimelineOptions{Pixels: pixels, Exact: exact, Locations: most}) {
			if err != nil {
				c.Fatal(err)
			}
			if most > 0 && len(part.Locations) > most {
				c.Errorf("%d locations in a timeline of at most %d", len(part.Locations), most)
			}
			c.timelineForm(&w, part)
			maps.Copy(found, cellsOf(part))
		}
		if exact {
			all = want
		}
		if !maps.Equal(found, all) {
			c.Errorf("timelines of %d locations each, exact %t: %v, want %v", most, exact, found, all)
		}
		c.timelineRuns(w, store.TimelineOptions{Pixels: pixels, Exact: exact, Locations: most}, found)
	}
}

// timelineRuns compares runs of pixels with the cells of timelines. A run of several pixels has all their time, and is alone there.
func (c *checker) timelineRuns(w model.Window, o store.TimelineOptions, want map[model.TimelineCell]int64) {
	c.Helper()
	found := map[model.TimelineCell]int64{}
	for part, err := range c.ask(w).TimelineRuns(o) {
		if err != nil {
			c.Fatal(err)
		}
		t := trace.Timeline{From: part.From, To: part.To, Pixels: part.Pixels, Locations: part.Locations, Regions: part.Regions, Errors: part.Errors}
		for i := range part.Locations {
			t.Starts = append(t.Starts, len(t.Cells))
			for _, r := range part.Runs[part.Starts[i]:part.Starts[i+1]] {
				ticks := r.Ticks
				for pixel := r.Pixel; pixel < r.Pixel+r.Pixels; pixel++ {
					if from, to := t.Pixel(int(pixel)); r.Pixels > 1 {
						ticks = uint64(to - from)
						r.Ticks -= ticks
					}
					t.Cells = append(t.Cells, trace.TimelineCell{Pixel: pixel, Region: r.Region, Ticks: ticks})
				}
				if r.Pixels > 1 && r.Ticks != 0 {
					c.Errorf("a run of %d pixels has %d ticks more than they", r.Pixels, int64(r.Ticks))
				}
			}
		}
		t.Starts = append(t.Starts, len(t.Cells))
		c.timelineForm(&w, &t)
		maps.Copy(found, cellsOf(&t))
	}
	if !maps.Equal(found, want) {
		c.Errorf("runs of %d locations each, exact %t: %v, want %v", o.Locations, o.Exact, found, want)
	}
}

// sameExclusive compares the sums of all pixels with the summary.
func (c *checker) sameExclusive(w model.Window, cells map[model.TimelineCell]int64) {
	c.Helper()
	left := map[[2]uint64]int64{}
	for k, ticks := range cells {
		left[[2]uint64{k.Location, k.Region}] += ticks
	}
	for _, t := range c.summary(w, store.SummaryCalls).Calls {
		left[[2]uint64{t.Location, t.Region}] -= int64(t.Exclusive.Lo)
	}
	for k, ticks := range left {
		if ticks != 0 {
			c.Errorf("location %d, region %d: pixels have %d ticks more than the summary", k[0], k[1], ticks)
		}
	}
}

func cellsOf(t *trace.Timeline) map[model.TimelineCell]int64 {
	cells := map[model.TimelineCell]int64{}
	for i, location := range t.Locations {
		for _, cell := range t.Cells[t.Starts[i]:t.Starts[i+1]] {
			cells[model.TimelineCell{Location: location, Pixel: int(cell.Pixel), Region: t.Regions[cell.Region]}] += int64(cell.Ticks)
		}
	}
	return cells
}

// timelineForm checks what holds of every timeline.
func (c *checker) timelineForm(w *model.Window, t *trace.Timeline) {
	c.Helper()
	used := map[uint32]bool{}
	for i := range t.Locations {
		cells, sum := t.Cells[t.Starts[i]:t.Starts[i+1]], uint64(0)
		for n, cell := range cells {
			if n == 0 || cells[n-1].Pixel != cell.Pixel {
				sum = 0
			} else if cells[n-1].Region >= cell.Region {
				c.Errorf("cells are out of order: %+v, %+v", cells[n-1], cell)
			}
			if n > 0 && cells[n-1].Pixel > cell.Pixel {
				c.Errorf("pixels are out of order: %+v, %+v", cells[n-1], cell)
			}
			from, to := t.Pixel(int(cell.Pixel))
			if from != w.Border(int(cell.Pixel), t.Pixels) || to != w.Border(int(cell.Pixel)+1, t.Pixels) {
				c.Errorf("pixel %d is [%d, %d)", cell.Pixel, from, to)
			}
			if sum += cell.Ticks; cell.Ticks == 0 || cell.Ticks > math.MaxInt64 || sum > uint64(to-from) {
				c.Errorf("%+v: %d ticks in a pixel of %d", cell, sum, to-from)
			}
			used[cell.Region] = true
		}
	}
	if len(used) != len(t.Regions) {
		c.Errorf("%d of the %d regions occur", len(used), len(t.Regions))
	}
	if len(t.Starts) != len(t.Locations)+1 || t.Starts[len(t.Locations)] != len(t.Cells) {
		c.Errorf("%d locations, %d starts, %d cells", len(t.Locations), len(t.Starts), len(t.Cells))
	}
}
