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
func (q *timelineQuery) part(p *lanePlan, part *timelinePart) (*partCells, error) {
	if part.bins == nil {
		return q.sliceCells(p, part)
	}
	found := q.binCells(p, part)
	if q.together {
		found.cells, found.runs = q.added(found.cells), nil
	}
	return found, nil
}

// openSpans returns the spanning calls of a lane that go on when a slice begins, ordered by place and ordinal.
func openSpans(r *read.File, slice uint64, lane uint32) ([]*read.SpanItem, error) {
	all, err := r.ItemsOfSlice(slice, lane)
	return slices.DeleteFunc(all, func(c *read.SpanItem) bool { return c.StartSlice == slice }), err
}

// sliceCells follows the calls of a slice.
func (q *timelineQuery) sliceCells(p *lanePlan, part *timelinePart) (*partCells, error) {
	items, err := openSpans(q.File, part.slice, p.lane)
	if err != nil {
		return nil, err
	}
	steps, err := q.CallSteps(part.slice, p.lane)
	if err != nil {
		return nil, err
	}
	f := timelineFolders.Get().(*timelineFolder)
	defer timelineFolders.Put(f)
	f.step = stepOf(&q.raster)
	f.raster, f.from, f.to, f.meaning = q.raster, part.from, part.to, steps.Meaning
	f.places(p.chosen, items, steps.Runs)
	if q.together {
		return &partCells{cells: slices.Clone(q.added(f.found.cells))}, nil
	}
	return &partCells{cells: slices.Clone(f.found.cells), runs: slices.Clone(f.found.runs)}, nil
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
	f.found.cells, f.found.runs = f.found.cells[:0], f.found.runs[:0]
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
	meaning  []read.LeafCall
	stack    []read.CallNumber
	since    int64    // up to when the time has been counted
	pixel    int      // the one at hand
	border   int64    // its end
	ticks    []uint64 // by region: of the pixel at hand
	touched  []uint32
	found    partCells
}

func (f *timelineFolder) begin(open []*read.SpanItem) {
	f.stack = f.stack[:0]
	for _, c := range open {
		f.stack = append(f.stack, c.CallNumber)
	}
	f.since, f.border = f.from, f.from
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
		f.since = t
		return
	}
	region := f.stack[n-1].RegionNumber
	for f.since < t {
		if f.since >= f.border {
			f.turn()
		}
		end := min(t, f.border)
		f.add(region, uint64(end-f.since))
		f.since = end
	}
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

// turn goes on to the pixel of the time at hand.
func (f *timelineFolder) turn() {
	f.flush()
	if f.step > 0 {
		f.pixel = int((f.since - f.raster.From) / f.step)
		f.border = f.raster.From + int64(f.pixel+1)*f.step
		return
	}
	f.pixel = f.raster.Find(f.since)
	f.border = f.raster.Border(f.pixel + 1)
}

func (f *timelineFolder) flush() {
	for _, region := range f.touched {
		f.found.cells = append(f.found.cells, partCell{uint32(f.pixel), region, f.ticks[region]})
		f.ticks[region] = 0
	}
	f.touched = f.touched[:0]
}
