package store

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode"
)

// part carries out a part of a plan.
func (q *timelineQuery) part(p *lanePlan, part *timelinePart) (*partCells, error) {
	if part.bins != nil {
		return q.binCells(p, part), nil
	}
	return q.sliceCells(p, part)
}

// openSpans returns the spanning calls of a lane that go on when a slice begins, ordered by place and ordinal.
func (r *Reader) openSpans(slice uint64, lane uint32) ([]*spanItem, error) {
	all, err := r.itemsOfSlice(slice, lane)
	return slices.DeleteFunc(all, func(c *spanItem) bool { return c.startSlice == slice }), err
}

// sliceCells follows the calls of a slice.
func (q *timelineQuery) sliceCells(p *lanePlan, part *timelinePart) (*partCells, error) {
	items, err := q.openSpans(part.slice, p.lane)
	if err != nil {
		return nil, err
	}
	steps, err := q.callSteps(part.slice, p.lane)
	if err != nil {
		return nil, err
	}
	f := timelineFolders.Get().(*timelineFolder)
	defer timelineFolders.Put(f)
	f.raster, f.from, f.to, f.meaning = q.raster, part.from, part.to, steps.meaning
	f.places(p.chosen, items, steps.runs)
	return &partCells{cells: slices.Clone(f.found.cells), runs: slices.Clone(f.found.runs)}, nil
}

// places follows the locations that have calls which go on when the slice begins, or enters and leaves.
func (f *timelineFolder) places(chosen []bool, items []*spanItem, runs []stepRun) {
	f.found.cells, f.found.runs = f.found.cells[:0], f.found.runs[:0]
	for c := range eachPlace(items, runs) {
		if !chosen[c.place] {
			continue
		}
		f.begin(c.items)
		f.run(c.run.leaves, c.run.times)
		f.credit(f.to)
		f.flush()
		f.found.add(c.place)
	}
}

var timelineFolders = sync.Pool{New: func() any { return new(timelineFolder) }}

// timelineFolder follows the stacks of the locations of a slice from one time to another.
type timelineFolder struct {
	raster   raster
	from, to int64
	meaning  []leafCall
	stack    []callNumber
	since    int64    // up to when the time has been counted
	pixel    int      // the one at hand
	border   int64    // its end
	ticks    []uint64 // by region: of the pixel at hand
	touched  []uint32
	found    partCells
}

func (f *timelineFolder) begin(open []*spanItem) {
	f.stack = f.stack[:0]
	for _, c := range open {
		f.stack = append(f.stack, c.callNumber)
	}
	f.since, f.border = f.from, f.from
}

// run follows a location up to the end of the time.
func (f *timelineFolder) run(leaves []uint32, times []int64) {
	for i, t := range times {
		if t >= f.to {
			return
		}
		switch l := &f.meaning[leaves[i]]; l.class {
		case encode.Enter, encode.ContextEnter:
			f.credit(t)
			f.stack = append(f.stack, l.callNumber)
		case encode.Leave, encode.ContextLeave:
			n := len(f.stack) - 1
			for n >= 0 && f.stack[n].key != l.key {
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
	region := f.stack[n-1].regionNumber
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
	f.pixel = f.raster.find(f.since)
	f.border = f.raster.border(f.pixel + 1)
}

func (f *timelineFolder) flush() {
	for _, region := range f.touched {
		f.found.cells = append(f.found.cells, partCell{uint32(f.pixel), region, f.ticks[region]})
		f.ticks[region] = 0
	}
	f.touched = f.touched[:0]
}
