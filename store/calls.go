package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Calls yields the calls of the window, whole, in order of start, location (in the order of definition) and ordinal.
func (w *Window) Calls() iter.Seq2[trace.Call, error] {
	return func(yield func(trace.Call, error) bool) {
		first, last, err := w.reader.slices(w.from, w.to)
		lanes := w.lanes()
		var c callMerger
		for slice := first; slice < last && err == nil; slice++ {
			c.reset()
			for _, lane := range lanes {
				var calls *sliceCalls
				if calls, err = w.reader.calls(slice, lane); err != nil {
					break
				}
				if slice == first {
					c.add(w, calls.open)
				}
				c.add(w, calls.begin)
			}
			if err == nil && !c.merge(yield) {
				return
			}
		}
		if err != nil {
			yield(trace.Call{}, err)
		}
	}
}

// has reports whether a call belongs to the window.
func (w *Window) has(c *trace.Call) bool {
	return c.Overlaps(w.from, w.to) && c.Duration() >= w.shortest && (w.regions == nil || w.regions[c.Region])
}

// callMerger puts the calls of a slice in order. Those of one location are in order already.
type callMerger struct {
	runs []callRun
	heap merge
}

type callRun struct {
	location uint32
	calls    []trace.Call
}

func (c *callMerger) reset() { c.runs = c.runs[:0] }

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

// merge yields the calls in order; it returns false if it was told to stop.
func (c *callMerger) merge(yield func(trace.Call, error) bool) bool {
	// What was open already stands before what begins on the same location: the sort is stable.
	slices.SortStableFunc(c.runs, func(a, b callRun) int { return cmp.Compare(a.location, b.location) })
	c.heap.reset()
	for i := range c.runs {
		c.heap.add(i, c.runs[i].calls[0].Start)
	}
	for i := c.heap.first(); i >= 0; i = c.heap.first() {
		r := &c.runs[i]
		call := &r.calls[0]
		if r.calls = r.calls[1:]; len(r.calls) > 0 {
			c.heap.next(r.calls[0].Start)
		} else {
			c.heap.end()
		}
		if !yield(*call, nil) {
			return false
		}
	}
	return true
}
