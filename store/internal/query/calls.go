package query

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/pandotrace/pando/store/internal/cache"
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
	return Sweep(w, lanes, read.Needs{Calls: true}, w.query(true), func(s Span) (*mergedCalls, error) { return w.spanCalls(s, lanes, s.First, form) })
}

// spanCalls returns the window's calls that begin in a span; with open those too that go on when it begins.
func (w *Window) spanCalls(s Span, lanes []uint32, open bool, form callForm) (*mergedCalls, error) {
	var err error
	if !open { // calls that begin have their events here
		if lanes, err = w.Reader.Busy(s.Slice, lanes); err != nil {
			return nil, err
		}
	}
	c := callMergers.Get().(*callMerger)
	defer callMergers.Put(c)
	c.rows.Reset()
	if s.part {
		err = c.part(w, &s, lanes, open)
	} else {
		err = c.slice(w, s.Slice, lanes, open)
	}
	if err != nil {
		return nil, err
	}
	return c.merge(w, form), nil
}

// slice takes the calls of a slice.
func (c *callMerger) slice(w *Window, slice uint64, lanes []uint32, open bool) error {
	begin := 0
	for _, lane := range lanes {
		steps, err := w.Reader.CallSteps(slice, lane)
		if err == nil {
			begin += steps.Enters
			err = checkTotal(w.Reader, slice, begin, 0)
		}
		if err == nil && begin > w.Reader.AtOnce.Calls {
			err = ErrTooMuch
		}
		if err == nil {
			err = stacks.Follow(w.Reader, &c.rows, slice, lane, steps, stacks.Bounds{From: w.From, To: w.To, Open: open})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// part takes the calls of a part of a slice. It copies them: the lanes need not be kept.
func (c *callMerger) part(w *Window, s *Span, lanes []uint32, open bool) error {
	for _, lane := range lanes {
		calls, err := keptCalls(w.Reader, s.Slice, lane)
		if err != nil {
			return err
		}
		for _, run := range calls.Runs {
			if !w.hasLocation(run.Location) {
				continue
			}
			if open {
				c.goingOn(calls, run, s)
			}
			if !run.Open {
				from, to := s.begun(calls, run)
				c.rows.AppendRange(run.Location, calls.Calls()[from:to])
			}
		}
	}
	return nil
}

// goingOn takes those calls of a run that began before a span, and end there or later. Those that were open when the slice began did so before all
// of its spans.
func (c *callMerger) goingOn(calls *stacks.Rows, run stacks.Run, s *Span) {
	for i := run.From; i < run.To; i++ {
		call := &calls.Calls()[i]
		before := run.Open || s.from.compare(Mark{call.Start, run.Location, call.Ordinal}) > 0
		if before && s.from.compare(Mark{call.End, run.Location, call.EndOrdinal}) <= 0 {
			c.rows.Append(run.Location, call)
		}
	}
}

// begun returns which of the calls of a run begin in the span: from <= row < to.
func (s *Span) begun(calls *stacks.Rows, run stacks.Run) (from, to int) {
	in := calls.Calls()[run.From:run.To]
	at := func(m Mark) int {
		return run.From + sort.Search(len(in), func(i int) bool { return m.compare(Mark{in[i].Start, run.Location, in[i].Ordinal}) <= 0 })
	}
	return at(s.from), at(s.To)
}

// keptCalls returns the calls of a slice that will be asked for again. They are not to be changed.
func keptCalls(r *read.File, slice uint64, lane uint32) (*stacks.Rows, error) {
	return cache.Get(r.Cache(), cache.Key{What: cache.LaneCalls, Offset: slice, Lane: lane}, func() (*stacks.Rows, int64, error) {
		steps, err := r.StepsOnce(slice, lane)
		if err != nil {
			return nil, 0, err
		}
		r.Cache().MakeRoom(int64(stacks.RowBytes * steps.Enters))
		calls := new(stacks.Rows)
		calls.Reset()
		if err := stacks.Follow(r, calls, slice, lane, steps, stacks.AllCalls); err != nil {
			return nil, 0, err
		}
		return calls, int64(stacks.RowBytes*calls.Len() + 24*len(calls.Runs)), nil
	})
}

// hasLocation reports whether the window has a location.
func (w *Window) hasLocation(location uint32) bool {
	return w.Locations == nil || w.Locations[location]
}

// has reports whether a call belongs to the window.
func (w *Window) has(c *trace.Call) bool {
	return c.Overlaps(w.From, w.To) && c.Duration() >= w.Shortest && (w.Regions == nil || w.Regions[c.Region])
}

// mergedCalls are calls of the window, in order.
type mergedCalls struct {
	trace.CallBatch
	list []trace.Call
}

// callRoom is memory for calls that nobody needs any longer.
var callRoom = sync.Pool{New: func() any { return new(mergedCalls) }}

// callMerger puts the calls of a slice in order. Those of one location are in order already.
type callMerger struct {
	rows   stacks.Rows // of all locations and times
	order  stacks.Order
	chosen []uint32 // the rows of the window
}

// callMergers are those that nobody needs any longer, with their memory. It is apart from that of what they make: this goes to another processor, which
// uses it, and theirs is used on one again and again.
var callMergers = sync.Pool{New: func() any { return new(callMerger) }}

// calls returns the calls one by one, all columns of which are there.
func (c *mergedCalls) calls() []trace.Call {
	c.list = slices.Grow(c.list[:0], c.Len())
	for i := range c.Len() {
		c.list = append(c.list, c.Call(i))
	}
	return c.list
}

// merge puts the window's calls among the rows in order.
func (c *callMerger) merge(w *Window, form callForm) *mergedCalls {
	// What was open already stands before what begins on the same location: the sort is stable.
	slices.SortStableFunc(c.rows.Runs, func(a, b stacks.Run) int { return cmp.Compare(a.Location, b.Location) })
	calls := c.rows.Calls()
	c.chosen = slices.Grow(c.chosen[:0], len(calls))
	for _, run := range c.rows.Runs {
		if w.hasLocation(run.Location) {
			c.choose(w, calls, run)
		}
	}
	order := c.chosen
	if !form.byLocation {
		order = c.order.Sorted(&c.rows, c.chosen)
	}
	merged := callRoom.Get().(*mergedCalls)
	merged.Take(calls, order, form.columns)
	return merged
}

// choose notes the rows of a run that belong to the window.
func (c *callMerger) choose(w *Window, calls []trace.Call, run stacks.Run) {
	startsBefore := func(t int64) int {
		return run.From + sort.Search(run.To-run.From, func(i int) bool { return calls[run.From+i].Start >= t })
	}
	to := startsBefore(w.To)
	asked := to // up to here, calls may not belong to the window
	if w.Regions == nil && w.Shortest == math.MinInt64 {
		asked = min(to, startsBefore(w.From))
	}
	for row := run.From; row < asked; row++ {
		if w.has(&calls[row]) {
			c.chosen = append(c.chosen, uint32(row))
		}
	}
	for row := asked; row < to; row++ {
		c.chosen = append(c.chosen, uint32(row))
	}
}
