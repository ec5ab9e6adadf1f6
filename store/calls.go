package store

import (
	"cmp"
	"iter"
	"slices"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// Calls yields the calls of the window, whole, in order of start, location (in the order of definition) and ordinal.
func (w *Window) Calls() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		lanes := w.lanes()
		all := sweep(w, lanes, needs{calls: true}, w.query(true), func(slice uint64, open bool) (*callMerger, error) { return w.sliceCalls(slice, lanes, open) })
		for c, err := range all {
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

// sliceCalls returns the window's calls that begin in a slice, in order; with open those too that go on when it begins.
func (w *Window) sliceCalls(slice uint64, lanes []uint32, open bool) (*callMerger, error) {
	c := callMergers.Get().(*callMerger)
	c.runs = c.runs[:0]
	if !open { // calls that begin have their events here
		var err error
		if lanes, err = w.reader.busy(slice, lanes); err != nil {
			return nil, err
		}
	}
	rooms, begin := make([]*sliceCalls, 0, len(lanes)), 0
	for _, lane := range lanes {
		calls, err := w.reader.calls(slice, lane)
		if err == nil {
			begin += len(calls.begin)
			err = w.reader.checkTotal(slice, begin, 0)
		}
		if err != nil {
			return nil, err
		}
		if open {
			c.add(w, calls.open)
		}
		c.add(w, calls.begin)
		rooms = append(rooms, calls)
	}
	c.merge()
	for _, room := range rooms {
		callRoom.Put(room)
	}
	return c, nil
}

// has reports whether a call belongs to the window.
func (w *Window) has(c *trace.Call) bool {
	return c.Overlaps(w.from, w.to) && c.Duration() >= w.shortest && (w.regions == nil || w.regions[c.Region])
}

// callMerger puts the calls of a slice in order. Those of one location are in order already.
type callMerger struct {
	runs   []callRun
	heap   merge
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
	for len(calls) > 0 {
		n := 1
		for n < len(calls) && calls[n].Location == calls[0].Location {
			n++
		}
		location := w.reader.byID[calls[0].Location]
		if w.locations == nil || w.locations[location] {
			kept := calls[:0:n]
			for i := range calls[:n] {
				if w.has(&calls[i]) {
					kept = append(kept, calls[i])
				}
			}
			if len(kept) > 0 {
				c.runs = append(c.runs, callRun{location, kept})
			}
		}
		calls = calls[n:]
	}
}

// merge puts the calls in order.
func (c *callMerger) merge() {
	// What was open already stands before what begins on the same location: the sort is stable.
	slices.SortStableFunc(c.runs, func(a, b callRun) int { return cmp.Compare(a.location, b.location) })
	c.merged = c.merged[:0]
	for i := range c.runs {
		c.heap.add(i, c.runs[i].calls[0].Start)
	}
	for i := c.heap.first(); i >= 0; i = c.heap.first() {
		r := &c.runs[i]
		c.merged = append(c.merged, r.calls[0])
		if r.calls = r.calls[1:]; len(r.calls) > 0 {
			c.heap.next(r.calls[0].Start)
		} else {
			c.heap.end()
		}
	}
}
