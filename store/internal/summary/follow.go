package summary

import (
	"math"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// A window between two times of one slice needs nothing that happened before the slice. Where a slice has few steps of each location, as those of very
// many locations have, the stacks are followed from its begin to the window's end: marks would take longer to make than following takes, and memory for
// each location.

// followedSteps is the largest number of events of a location in a slice, on average, that are followed.
const followedSteps = 4 * markSteps

// follows reports whether the calls of the window are found by following those of its slice.
func (q *SummaryQuery) follows() (bool, error) {
	from, _ := q.edge(q.path.First, q.w.From)
	to, marked := q.edge(q.path.End-1, q.w.To)
	if from != to || !marked {
		return false, nil
	}
	s, err := q.Slice(to)
	return err == nil && s.Events <= followedSteps*q.Info().Locations, err
}

// followed adds up the calls of a lane in a window that follows.
func (w *callWindow) followed(lane uint32) (found lines[trace.CallTotals], err error) {
	slice := w.path.First
	items, err := w.OpenItems(slice, lane)
	if err != nil {
		return found, err
	}
	end := int64(math.MaxInt64)
	if slice+1 == w.Root().Slices {
		end = w.Info().Last
	}
	its := w.KnownLane(lane).Locations
	s, err := w.CallSteps(slice, lane)
	if err != nil {
		return found, err
	}
	w.folder.meaning, w.folder.end = s.Meaning, end
	for c := range read.EachPlace(items, s.Runs) {
		if int(c.Place) >= len(its) || !w.has(uint64(its[c.Place])) {
			continue
		}
		w.folder.begin(c.Items, slice)
		w.row.reset()
		w.follow(c.Run)
		w.list(&found, its[c.Place], len(its))
	}
	return found, nil
}

// follow adds up a location, with the calls on the stack that go on when the slice begins.
func (w *callWindow) follow(run *read.StepRun) {
	f := &w.folder
	step := f.skip(run, w.w.From)
	f.row.reset()
	f.lastedUntil(w.w.From)
	f.countEnded(run, step, w.w.From)
	w.row.subtract(f.row.cells)
	f.row.reset()
	for times := run.Times; step < len(times) && times[step] < w.w.To; step++ {
		f.step(run.Leaves[step], times[step])
	}
	f.lastedUntil(w.w.To)
	f.countOpen()
	w.row.add(f.row.cells)
}

// skip follows the stack of a location to the first step that is not before some time. What ends before counts nothing.
func (f *callFolder) skip(run *read.StepRun, t int64) (step int) {
	for times := run.Times; step < len(times) && times[step] < t; step++ {
		switch l := &f.meaning[run.Leaves[step]]; l.Class {
		case shape.Enter, shape.ContextEnter:
			f.enter(l.CallNumber, times[step])
		case shape.Leave, shape.ContextLeave:
			for n := f.callOf(l.Key); len(f.stack) > n; {
				f.pop()
			}
		}
	}
	return step
}

// countEnded counts the calls that end just at a time, at the first step that is not before it, as endedBy does. The stack is left as it was.
func (f *callFolder) countEnded(run *read.StepRun, step int, t int64) {
	f.saved = append(f.saved[:0], f.stack...)
	f.endAt(run, step, t)
	f.countClosed(t)
	f.clear()
	for i := range f.saved {
		f.push(f.saved[i])
	}
}
