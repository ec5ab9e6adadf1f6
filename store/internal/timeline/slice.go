package timeline

import (
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// part carries out a part of a plan.
func (q *timelineQuery) part(p *lanePlan, part *timelinePart) (*partRuns, error) {
	if part.bins == nil {
		return q.sliceCells(p, part)
	}
	found := q.binCells(p, part)
	if q.together {
		found.runs, found.places = q.added(found.runs), nil
	}
	return found, nil
}

// openSpans returns the spanning calls of a lane that go on when a slice begins, ordered by place and ordinal.
func openSpans(r *read.File, slice uint64, lane uint32) ([]*read.SpanItem, error) {
	all, err := r.ItemsOfSlice(slice, lane)
	return slices.DeleteFunc(all, func(c *read.SpanItem) bool { return c.StartSlice == slice }), err
}

// sliceCells follows the calls of a slice.
func (q *timelineQuery) sliceCells(p *lanePlan, part *timelinePart) (*partRuns, error) {
	items, err := openSpans(q.File, part.slice, p.lane)
	if err != nil {
		return nil, err
	}
	if q.passing {
		var found *partRuns
		err := q.LendSteps(part.slice, p.lane, func(steps *read.CallSteps) { found = q.follow(p, part, items, steps) })
		return found, err
	}
	steps, err := q.CallSteps(part.slice, p.lane)
	if err != nil {
		return nil, err
	}
	return q.follow(p, part, items, steps), nil
}

// follow adds up the time of the calls of a part, which is of a slice.
func (q *timelineQuery) follow(p *lanePlan, part *timelinePart, items []*read.SpanItem, steps *read.CallSteps) *partRuns {
	f := timelineFolders.Get().(*timelineFolder)
	defer timelineFolders.Put(f)
	f.step = stepOf(&q.raster)
	f.raster, f.from, f.to, f.meaning = q.raster, part.from, part.to, steps.Meaning
	f.first = f.find(part.from)
	f.firstEnd = f.borderOf(f.first + 1)
	f.places(p.chosen, items, steps.Runs)
	if q.together {
		return &partRuns{runs: slices.Clone(q.added(f.found.runs))}
	}
	return &partRuns{runs: slices.Clone(f.found.runs), places: slices.Clone(f.found.places)}
}

// stepOf returns the ticks of a pixel of a raster, 0 if not all have as many.
func stepOf(r *trace.Raster) int64 {
	if r.Length%uint64(r.Pixels) != 0 || r.Length > math.MaxInt64 {
		return 0
	}
	return int64(r.Length / uint64(r.Pixels))
}

// places follows the locations that have calls which go on when the slice begins, or enters and leaves.
func (f *timelineFolder) places(chosen []bool, items []*read.SpanItem, runs []read.StepRun) {
	f.found.runs, f.found.places = f.found.runs[:0], f.found.places[:0]
	for c := range read.EachPlace(items, runs) {
		if !chosen[c.Place] {
			continue
		}
		f.begin(c.Items)
		f.run(c.Run.Leaves, c.Run.Times)
		f.credit(f.to)
		f.flush()
		f.found.add(c.Place)
	}
}

var timelineFolders = sync.Pool{New: func() any { return new(timelineFolder) }}

// timelineFolder follows the stacks of the locations of a slice from one time to another.
type timelineFolder struct {
	raster   trace.Raster
	step     int64 // ticks of a pixel, if all have as many; 0 if not
	from, to int64
	first    int   // pixel of from
	firstEnd int64 // its end
	meaning  []read.LeafCall
	stack    []read.CallNumber
	since    int64    // up to when the time has been counted
	pixel    int      // the one at hand
	border   int64    // its end
	ticks    []uint64 // by region: of the pixel at hand
	touched  []uint32
	found    partRuns
}

func (f *timelineFolder) begin(open []*read.SpanItem) {
	f.stack = f.stack[:0]
	for _, c := range open {
		f.stack = append(f.stack, c.CallNumber)
	}
	f.since, f.pixel, f.border = f.from, f.first, f.firstEnd
}

// run follows a location up to the end of the time.
func (f *timelineFolder) run(leaves []uint32, times []int64) {
	for i, t := range times {
		if t >= f.to {
			return
		}
		switch l := &f.meaning[leaves[i]]; l.Class {
		case shape.Enter, shape.ContextEnter:
			f.credit(t)
			f.stack = append(f.stack, l.CallNumber)
		case shape.Leave, shape.ContextLeave:
			n := len(f.stack) - 1
			for n >= 0 && f.stack[n].Key != l.Key {
				n--
			}
			if n >= 0 {
				f.credit(t)
				f.stack = f.stack[:n]
			}
		}
	}
}

// credit gives the time up to t to the innermost call.
func (f *timelineFolder) credit(t int64) {
	if t <= f.since {
		return
	}
	n := len(f.stack)
	if n == 0 {
		f.skip(t)
		return
	}
	region := f.stack[n-1].RegionNumber
	if t > f.border {
		f.cross(region, t)
	}
	if f.since < t {
		f.add(region, uint64(t-f.since))
		f.since = t
	}
}

// skip gives the time up to t to no call.
func (f *timelineFolder) skip(t int64) {
	if f.since = t; t > f.border {
		f.flush()
		f.pixel = f.find(t - 1)
		f.border = f.borderOf(f.pixel + 1)
	}
}

// cross gives the time up to t, which is behind the pixel at hand, to a region: but for that in the pixel of t.
func (f *timelineFolder) cross(region uint32, t int64) {
	if f.since < f.border {
		f.add(region, uint64(f.border-f.since))
	}
	f.flush()
	first, last := f.pixel+1, f.find(t-1)
	if f.since = f.border; last > first {
		f.since = f.borderOf(last)
		f.fill(region, first, last)
	}
	f.pixel, f.border = last, f.borderOf(last+1)
}

// fill gives all time of the pixels from first to last to a region. Where there are fewer ticks than pixels, some have none.
func (f *timelineFolder) fill(region uint32, first, last int) {
	if f.raster.Length >= uint64(f.raster.Pixels) {
		f.found.runs = append(f.found.runs, Run{uint32(first), uint32(last - first), region, uint64(f.since - f.border)})
		return
	}
	for pixel := first; pixel < last; pixel++ {
		if ticks := f.borderOf(pixel+1) - f.borderOf(pixel); ticks > 0 {
			f.found.runs = append(f.found.runs, Run{uint32(pixel), 1, region, uint64(ticks)})
		}
	}
}

// find returns the pixel that has a time.
func (f *timelineFolder) find(t int64) int {
	if f.step > 0 {
		return int((t - f.raster.From) / f.step)
	}
	return f.raster.Find(t)
}

// borderOf returns the time at which a pixel begins.
func (f *timelineFolder) borderOf(pixel int) int64 {
	if f.step > 0 {
		return f.raster.From + int64(pixel)*f.step
	}
	return f.raster.Border(pixel)
}

func (f *timelineFolder) add(region uint32, ticks uint64) {
	for uint32(len(f.ticks)) <= region {
		f.ticks = append(f.ticks, 0)
	}
	if f.ticks[region] == 0 {
		f.touched = append(f.touched, region)
	}
	f.ticks[region] += ticks
}

func (f *timelineFolder) flush() {
	for _, region := range f.touched {
		f.found.runs = append(f.found.runs, Run{uint32(f.pixel), 1, region, f.ticks[region]})
		f.ticks[region] = 0
	}
	f.touched = f.touched[:0]
}
