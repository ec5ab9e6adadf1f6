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
			if c.merged.Len() > 0 && !yield(&c.merged, nil) {
				return
			}
			callMergers.Put(c)
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
func (w *Window) merged(lanes []uint32, form callForm) iter.Seq2[*callMerger, error] {
	if w.Shortest > 0 {
		return w.longCalls(lanes, form)
	}
	return Sweep(w, lanes, read.Needs{Calls: true}, w.query(true), func(s Span) (*callMerger, error) { return w.spanCalls(s, lanes, s.First, form) })
}

// spanCalls returns the window's calls that begin in a span; with open those too that go on when it begins.
func (w *Window) spanCalls(s Span, lanes []uint32, open bool, form callForm) (c *callMerger, err error) {
	if !open { // calls that begin have their events here
		if lanes, err = w.Reader.Busy(s.Slice, lanes); err != nil {
			return nil, err
		}
	}
	c = callMergers.Get().(*callMerger)
	c.rows.Reset()
	if s.part {
		err = c.part(w, &s, lanes, open)
	} else {
		err = c.slice(w, s.Slice, lanes, open)
	}
	if err != nil {
		return nil, err
	}
	c.merge(w, form)
	return c, nil
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
			err = stacks.Follow(w.Reader, &c.rows, slice, lane, steps, stacks.Bounds{From: w.From, To: w.To})
		}
		if err != nil {
			return err
		}
	}
	if !open {
		c.rows.Runs = slices.DeleteFunc(c.rows.Runs, func(r stacks.Run) bool { return r.Open })
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
				c.rows.AppendRange(run.Location, &calls.CallBatch, from, to)
			}
		}
	}
	return nil
}

// goingOn takes those calls of a run that began before a span, and end there or later. Those that were open when the slice began did so before all
// of its spans.
func (c *callMerger) goingOn(calls *stacks.Rows, run stacks.Run, s *Span) {
	for i := run.From; i < run.To; i++ {
		before := run.Open || s.from.compare(Mark{calls.Starts[i], run.Location, calls.Ordinals[i]}) > 0
		if before && s.from.compare(Mark{calls.Ends[i], run.Location, calls.EndOrdinals[i]}) <= 0 {
			c.rows.AppendRange(run.Location, &calls.CallBatch, i, i+1)
		}
	}
}

// begun returns which of the calls of a run begin in the span: from <= row < to.
func (s *Span) begun(calls *stacks.Rows, run stacks.Run) (from, to int) {
	at := func(m Mark) int {
		return run.From + sort.Search(run.To-run.From, func(i int) bool {
			return m.compare(Mark{calls.Starts[run.From+i], run.Location, calls.Ordinals[run.From+i]}) <= 0
		})
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
		r.Cache().MakeRoom(int64(trace.CallRowBytes * steps.Enters))
		calls := new(stacks.Rows)
		if err := stacks.Follow(r, calls, slice, lane, steps, stacks.AllCalls); err != nil {
			return nil, 0, err
		}
		return calls, int64(trace.CallRowBytes*calls.Len() + 24*len(calls.Runs)), nil
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

// callMerger puts the calls of a slice in order. Those of one location are in order already.
type callMerger struct {
	rows   stacks.Rows // of all locations and times
	order  read.Merge
	chosen []uint32 // the rows of the window
	merged trace.CallBatch
	list   []trace.Call
}

// callMergers are those that nobody needs any longer, with their memory.
var callMergers = sync.Pool{New: func() any { return new(callMerger) }}

// calls returns the calls one by one, all columns of which are there.
func (c *callMerger) calls() []trace.Call {
	c.list = slices.Grow(c.list[:0], c.merged.Len())
	for i := range c.merged.Len() {
		c.list = append(c.list, c.merged.Call(i))
	}
	return c.list
}

// merge puts the window's calls among the rows in order.
func (c *callMerger) merge(w *Window, form callForm) {
	// What was open already stands before what begins on the same location: the sort is stable.
	slices.SortStableFunc(c.rows.Runs, func(a, b stacks.Run) int { return cmp.Compare(a.Location, b.Location) })
	c.chosen = slices.Grow(c.chosen[:0], c.rows.Len())
	c.order.Reset(c.rows.Len())
	for i, run := range c.rows.Runs {
		if !w.hasLocation(run.Location) {
			continue
		}
		from := len(c.chosen)
		c.choose(w, run)
		if !form.byLocation {
			for _, row := range c.chosen[from:] {
				c.order.Add(c.rows.Starts[row], i, int(row))
			}
		}
	}
	if !form.byLocation {
		for i, o := range c.order.Sorted() {
			c.chosen[i] = o.At
		}
	}
	c.merged.Gather(&c.rows.CallBatch, c.chosen, form.columns)
}

// choose notes the rows of a run that belong to the window.
func (c *callMerger) choose(w *Window, run stacks.Run) {
	filtered := w.Regions != nil || w.Shortest > math.MinInt64
	for row := run.From; row < run.To; row++ {
		switch start := c.rows.Starts[row]; {
		case start >= w.To:
			return // the calls of a location are in order of start
		case start < w.From || filtered:
			if !w.hasRow(&c.rows.CallBatch, row) {
				continue
			}
		}
		c.chosen = append(c.chosen, uint32(row))
	}
}

// hasRow is has for a call of a batch.
func (w *Window) hasRow(b *trace.CallBatch, i int) bool {
	c := trace.Call{Start: b.Starts[i], End: b.Ends[i], Region: b.Regions[i], Flags: b.Flags[i]}
	return w.has(&c)
}
