package query

import (
	"iter"
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/ahead"
	"github.com/pandotrace/pando/store/internal/merged"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/stacks"
	"github.com/pandotrace/pando/trace"
)

// Calls yields the calls of the window, whole, in order of start, location (in the order of definition) and ordinal.
func (w *Window) Calls() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		for b, err := range w.CallBatches(false, trace.AllCallColumns) {
			if err != nil {
				yield(trace.Call{}, err)
				return
			}
			for i := range b.Len() {
				if !yield(b.Call(i), nil) {
					return
				}
			}
		}
	}
}

// CallBatches yields what Calls does, some columns of it, slice by slice, large ones in parts; in each of them the calls are in order of start, or
// location by location. A batch is valid until the next step.
func (w *Window) CallBatches(byLocation bool, columns trace.CallColumns) iter.Seq2[*trace.CallBatch, error] {
	return func(yield func(*trace.CallBatch, error) bool) {
		lanes, err := w.Lanes()
		if err != nil {
			yield(nil, err)
			return
		}
		for c, err := range w.merged(lanes, callForm{columns, byLocation}) {
			if err != nil {
				yield(nil, err)
				return
			}
			if c.Len() > 0 && !yield(&c.CallBatch, nil) {
				return
			}
			callRoom.Put(c)
		}
	}
}

// callForm says what of calls is wanted, and in which order.
type callForm struct {
	columns    trace.CallColumns
	byLocation bool
}

// wholeCalls are calls with all columns, in order.
var wholeCalls = callForm{columns: trace.AllCallColumns}

// merged yields the calls of the window, some slices at a time.
func (w *Window) merged(lanes []uint32, form callForm) iter.Seq2[*mergedCalls, error] {
	if w.Shortest > 0 {
		return w.longCalls(lanes, form)
	}
	return ahead.Of[*mergedCalls](sweep(w, lanes, read.Needs{Calls: true}, w.query(true), w.someCalls(lanes, form.byLocation), ahead.Once(func(s Span) (*mergedCalls, error) {
		if s.lanes == nil {
			s.lanes = lanes
		}
		return w.spanCalls(s, s.lanes, s.First, form)
	})))
}

// someCalls divides slices of many calls: where there are many of each location into times, and else, if they need not be sorted, into lanes.
func (w *Window) someCalls(lanes []uint32, byLocation bool) func(Span) ([]Span, error) {
	each := w.Reader.AtOnce.OfLocation
	if byLocation { // less is won
		each *= 4
	}
	return func(s Span) ([]Span, error) {
		if spans, err := w.someTimes(s, each); !byLocation || err != nil || len(spans) > 1 {
			return spans, err
		}
		return w.someLanes(lanes)(s)
	}
}

// someTimes divides a slice into times in which not many calls of the window begin, if they do so evenly. For each of them, all calls are passed.
func (w *Window) someTimes(s Span, each int) ([]Span, error) {
	of, err := w.Reader.Slice(s.Slice)
	from, to := max(w.From, of.Start), min(w.To, of.End)
	if err != nil || from >= to || large(w.Reader, &s) {
		return []Span{s}, err
	}
	n := min(to-from, w.expected(&of)/int64(max(1, w.Reader.AtOnce.Sorted, each*int(w.Reader.Info().Locations))))
	var marks []merged.Mark
	for i := int64(1); i < n; i++ {
		marks = append(marks, merged.Mark{Time: from + (to-from)/n*i})
	}
	return s.DividedAt(marks), nil
}

// expected returns how many calls of a slice begin in the window, if they do so evenly.
func (w *Window) expected(of *index.SliceEntry) int64 {
	from, to := max(w.From, of.Start), min(w.To, of.End)
	return int64(float64(of.Events) / 2 * float64(max(0, to-from)) / float64(max(1, of.End-of.Start)))
}

// spanCalls returns the window's calls that begin in a span; with open those too that go on when it begins.
func (w *Window) spanCalls(s Span, lanes []uint32, open bool, form callForm) (*mergedCalls, error) {
	var err error
	if !open { // calls that begin have their events here
		if lanes, err = w.Reader.Busy(s.Slice, lanes); err != nil {
			return nil, err
		}
	}
	return w.collect(form, func(to *stacks.Calls) error {
		if s.part {
			return w.part(to, &s, lanes, open)
		}
		return w.slice(to, &s, lanes, open)
	})
}

// slice takes the calls that begin in a slice, or in that time of it which the span has. Of a slice of many events, some lanes are followed beside others.
func (w *Window) slice(to *stacks.Calls, s *Span, lanes []uint32, open bool) error {
	of, err := w.Reader.Slice(s.Slice)
	if err != nil || len(lanes) == 0 {
		return err
	}
	var begin atomic.Int64
	if w.expected(&of) <= int64(w.Reader.AtOnce.Calls/2) { // they are copied once more
		if spans := w.byLanes(*s, lanes, of.Events*uint64(len(lanes))/uint64(w.Reader.LaneCount())); len(spans) > 1 {
			return w.beside(to, spans, open, &begin)
		}
	}
	return w.follow(to, s, lanes, open, &begin)
}

// beside takes the calls of spans of some lanes, on all processors.
func (w *Window) beside(to *stacks.Calls, spans []Span, open bool, begin *atomic.Int64) error {
	followed := make([]*stacks.Calls, len(spans))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range spans {
		if followed[i] = to; i > 0 {
			followed[i] = stacks.Room.Get().(*stacks.Calls)
			followed[i].Reset()
		}
		group.Go(func() error { return w.follow(followed[i], &spans[i], spans[i].lanes, open, begin) })
	}
	err := group.Wait()
	for _, calls := range followed[1:] {
		to.Add(calls)
		stacks.Room.Put(calls)
	}
	return err
}

// follow takes the calls of some lanes, and counts those that begin in the slice.
func (w *Window) follow(to *stacks.Calls, s *Span, lanes []uint32, open bool, begin *atomic.Int64) error {
	bounds := stacks.Bounds{From: max(w.From, s.from.Time), To: min(w.To, s.To.Time), First: s.from.Time, Open: open}
	for _, lane := range lanes {
		steps, err := w.Reader.CallSteps(s.Slice, lane)
		if err != nil {
			return err
		}
		n := int(begin.Add(int64(steps.Enters)))
		if err := checkTotal(w.Reader, s.Slice, n, 0); err != nil {
			return err
		}
		if n > w.Reader.AtOnce.Calls {
			return ErrTooMuch
		}
		if err := stacks.Follow(w.Reader, to, s.Slice, lane, steps, bounds); err != nil {
			return err
		}
	}
	return nil
}

// part takes the calls of a part of a slice. It copies them: the lanes need not be kept.
func (w *Window) part(to *stacks.Calls, s *Span, lanes []uint32, open bool) error {
	filter := w.filter()
	for _, lane := range lanes {
		calls, err := stacks.Kept(w.Reader, s.Slice, lane)
		if err != nil {
			return err
		}
		for _, run := range calls.Runs {
			if !filter.HasLocation(run.Location) {
				continue
			}
			if open {
				s.goingOn(to, calls, run)
			}
			if !run.Open {
				from, end := s.begun(calls, run)
				to.AppendRange(run.Location, calls, from, end)
			}
		}
	}
	return nil
}

// goingOn takes those calls of a run that began before a span, and end there or later. Those that were open when the slice began did so before all
// of its spans.
func (s *Span) goingOn(to, calls *stacks.Calls, run stacks.Run) {
	for i := run.From; i < run.To; i++ {
		call := calls.Call(i)
		before := run.Open || s.from.Compare(merged.Mark{Time: call.Start, Location: run.Location, Ordinal: call.Ordinal}) > 0
		if before && s.from.Compare(merged.Mark{Time: call.End, Location: run.Location, Ordinal: call.EndOrdinal}) <= 0 {
			to.Append(run.Location, &call)
		}
	}
}

// begun returns which of the calls of a run begin in the span: from <= row < to.
func (s *Span) begun(calls *stacks.Calls, run stacks.Run) (from, to int) {
	at := func(m merged.Mark) int {
		return run.From + sort.Search(run.To-run.From, func(i int) bool {
			i += run.From
			return m.Compare(merged.Mark{Time: calls.Starts[i], Location: run.Location, Ordinal: calls.Ordinals[i]}) <= 0
		})
	}
	return at(s.from), at(s.To)
}

// filter returns the window's filter of calls.
func (w *Window) filter() *stacks.Filter {
	return &stacks.Filter{From: w.From, To: w.To, Shortest: w.Shortest, Locations: w.Locations, Regions: w.Regions}
}

// mergedCalls are calls of the window, in order.
type mergedCalls struct {
	trace.CallBatch
	list []trace.Call
}

// callRoom is memory for calls that nobody needs any longer.
var callRoom = sync.Pool{New: func() any { return new(mergedCalls) }}

// callMergers are those that nobody needs any longer, with their memory.
var callMergers = sync.Pool{New: func() any { return new(stacks.Merger) }}

// rows returns the calls one by one, all columns of which are there.
func (c *mergedCalls) rows() []trace.Call {
	c.list = slices.Grow(c.list[:0], c.Len())
	for i := range c.Len() {
		c.list = append(c.list, c.Call(i))
	}
	return c.list
}

// collect puts in order those of some calls that the window has.
func (w *Window) collect(form callForm, take func(to *stacks.Calls) error) (*mergedCalls, error) {
	m := callMergers.Get().(*stacks.Merger)
	defer callMergers.Put(m)
	m.Calls.Reset()
	if err := take(&m.Calls); err != nil {
		return nil, err
	}
	merged := callRoom.Get().(*mergedCalls)
	m.Merge(&merged.CallBatch, w.filter(), form.byLocation, form.columns)
	return merged, nil
}
