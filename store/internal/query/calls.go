package query

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Calls yields the calls of the window, whole, in order of start, location (in the order of definition) and ordinal.
func (w *Window) Calls() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		lanes, err := w.Lanes()
		if err != nil {
			yield(trace.Call{}, err)
			return
		}
		for c, err := range w.merged(lanes) {
			if err != nil {
				yield(trace.Call{}, err)
				return
			}
			for i := range c.merged {
				if !yield(c.merged[i], nil) {
					return
				}
			}
			callMergers.Put(c)
		}
	}
}

// merged yields the calls of the window, some slices at a time.
func (w *Window) merged(lanes []uint32) iter.Seq2[*callMerger, error] {
	if w.Shortest > 0 {
		return w.longCalls(lanes)
	}
	return Sweep(w, lanes, read.Needs{Calls: true}, w.query(true), func(s Span) (*callMerger, error) { return w.spanCalls(s, lanes, s.First) })
}

// spanCalls returns the window's calls that begin in a span, in order; with open those too that go on when it begins.
func (w *Window) spanCalls(s Span, lanes []uint32, open bool) (c *callMerger, err error) {
	if !open { // calls that begin have their events here
		if lanes, err = w.Reader.Busy(s.Slice, lanes); err != nil {
			return nil, err
		}
	}
	c = callMergers.Get().(*callMerger)
	c.runs = c.runs[:0]
	if s.part {
		err = c.part(w, s, lanes, open)
	} else {
		err = c.slice(w, s.Slice, lanes, open)
	}
	return c, err
}

// slice puts the calls of a slice in order.
func (c *callMerger) slice(w *Window, slice uint64, lanes []uint32, open bool) error {
	rooms, begin := make([]*read.SliceCalls, 0, len(lanes)), 0
	for _, lane := range lanes {
		calls, err := w.Reader.Calls(slice, lane)
		if err == nil {
			begin += len(calls.Begin)
			err = checkTotal(w.Reader, slice, begin, 0)
		}
		if err == nil && begin > w.Reader.AtOnce.Calls {
			err = ErrTooMuch
		}
		if err != nil {
			return err
		}
		if open {
			c.add(w, calls.Open)
		}
		c.add(w, calls.Begin)
		rooms = append(rooms, calls)
	}
	c.merge()
	for _, room := range rooms {
		read.CallRoom.Put(room)
	}
	return nil
}

// part puts the calls of a part of a slice in order. It copies them: the lanes need not be kept.
func (c *callMerger) part(w *Window, s Span, lanes []uint32, open bool) error {
	for _, lane := range lanes {
		calls, err := keptCalls(w.Reader, s.Slice, lane)
		if err != nil {
			return err
		}
		if open {
			c.add(w, goingOn(w.Reader, &s, calls.Open, true))
			c.add(w, goingOn(w.Reader, &s, calls.Begin, false))
		}
		for of := range byLocation(calls.Begin) {
			c.add(w, slices.Clone(s.begun(of, w.Reader.KnownIndex(of[0].Location))))
		}
	}
	if len(c.runs) == 1 { // one instant may have very many
		c.merged = c.runs[0].calls
		return nil
	}
	c.merge()
	clear(c.runs)
	return nil
}

// goingOn returns those of some calls of a slice that began before a span of it, and end there or later. Those that were open when
// the slice began did so before all of its spans.
func goingOn(r *read.File, s *Span, calls []trace.Call, open bool) (on []trace.Call) {
	for i := range calls {
		c, l := &calls[i], r.KnownIndex(calls[i].Location)
		if (open || s.from.compare(Mark{c.Start, l, c.Ordinal}) > 0) && s.from.compare(Mark{c.End, l, c.EndOrdinal}) <= 0 {
			on = append(on, *c)
		}
	}
	return on
}

// keptCalls returns the calls of a slice that will be asked for again. They are not to be changed.
func keptCalls(r *read.File, slice uint64, lane uint32) (*read.SliceCalls, error) {
	return cache.Get(r.Cache(), cache.Key{What: cache.LaneCalls, Offset: slice, Lane: lane}, func() (*read.SliceCalls, int64, error) {
		const callBytes = 96
		steps, err := r.StepsOnce(slice, lane)
		if err != nil {
			return nil, 0, err
		}
		r.Cache().MakeRoom(int64(callBytes * steps.Enters))
		calls, err := r.Follow(slice, lane, steps)
		if err != nil {
			return nil, 0, err
		}
		calls.Stack = nil
		return calls, int64(callBytes * (cap(calls.Open) + cap(calls.Begin))), nil
	})
}

// has reports whether a call belongs to the window.
func (w *Window) has(c *trace.Call) bool {
	return c.Overlaps(w.From, w.To) && c.Duration() >= w.Shortest && (w.Regions == nil || w.Regions[c.Region])
}

// callMerger puts the calls of a slice in order. Those of one location are in order already.
type callMerger struct {
	runs   []callRun
	order  read.Merge
	merged []trace.Call
}

// callMergers are those that nobody needs any longer, with their memory.
var callMergers = sync.Pool{New: func() any { return new(callMerger) }}

type callRun struct {
	location uint32
	calls    []trace.Call
}

// add adds the window's calls among those of a lane, which are ordered by location. It reuses their memory.
func (c *callMerger) add(w *Window, calls []trace.Call) {
	for of := range byLocation(calls) {
		location := w.Reader.KnownIndex(of[0].Location)
		if w.Locations != nil && !w.Locations[location] {
			continue
		}
		kept := of[:0:len(of)]
		for i := range of {
			if w.has(&of[i]) {
				kept = append(kept, of[i])
			}
		}
		if len(kept) > 0 {
			c.runs = append(c.runs, callRun{location, kept})
		}
	}
}

// byLocation yields the calls of each location, where they follow each other.
func byLocation(calls []trace.Call) iter.Seq[[]trace.Call] {
	return func(yield func([]trace.Call) bool) {
		for len(calls) > 0 {
			n := 1
			for n < len(calls) && calls[n].Location == calls[0].Location {
				n++
			}
			if !yield(calls[:n]) {
				return
			}
			calls = calls[n:]
		}
	}
}

// merge puts the calls in order.
func (c *callMerger) merge() {
	// What was open already stands before what begins on the same location: the sort is stable.
	slices.SortStableFunc(c.runs, func(a, b callRun) int { return cmp.Compare(a.location, b.location) })
	n := 0
	for i := range c.runs {
		n += len(c.runs[i].calls)
	}
	c.order.Reset(n)
	for i := range c.runs {
		calls := c.runs[i].calls
		for j := range calls {
			c.order.Add(calls[j].Start, i, j)
		}
	}
	order := c.order.Sorted()
	c.merged = slices.Grow(c.merged[:0], n)
	for _, o := range order {
		c.merged = append(c.merged, c.runs[o.Run].calls[o.At])
	}
}
