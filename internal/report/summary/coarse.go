package summary

import (
	"fmt"
	"io"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// coarseTimes says what sums of calls mean where times are coarse.
type coarseTimes struct {
	bound uint64 // the largest deviation of a time, in ticks
	exact bool   // sums are those of the original
}

// coarseTimesOf returns nil for exact times, and for sums of no calls.
func coarseTimesOf(s *summed, by string, w *store.Window) *coarseTimes {
	b, coarse := s.trace.Meta().Loss.Times()
	if !coarse || !HasCalls(by) && by != ByCallPath {
		return nil
	}
	return &coarseTimes{b.Bound, (by == "region" || by == "definition") && s.deviations(w) != nil}
}

// deviations returns how much more the calls of each region add up to in the original, nil if that is not known: of parts of a trace.
func (s *summed) deviations(w *store.Window) []trace.CallDeviation {
	if s.none || s.chosen != nil {
		return nil
	}
	from, to := w.Bounds()
	if i := s.trace.Info(); from <= i.First && to > i.Last {
		return i.Deviations
	}
	return nil
}

// restore makes sums of the whole trace those of its original.
func (s *summed) restore(of func(region uint64) *callSum, all *callSum) {
	for _, d := range s.deviations(s.window) {
		if r := of(d.Region); r != nil {
			r.deviate(&d)
			all.deviate(&d)
		}
	}
}

func (s *callSum) deviate(d *trace.CallDeviation) {
	s.inclusive = s.inclusive.Plus(trace.SumOf(d.Inclusive))
	s.exclusive = s.exclusive.Plus(trace.SumOf(d.Exclusive))
	s.busy = s.busy.Plus(trace.SumOf(d.Busy))
}

// writeJSON writes a member of a JSON object.
func (c *coarseTimes) writeJSON(w io.Writer) {
	if c != nil {
		fmt.Fprintf(w, `"loss":{"bound_ticks":%d,"exact":%t},`, c.bound, c.exact)
	}
}

// writeText writes a line below a table.
func (c *coarseTimes) writeText(w io.Writer, ticks clock) {
	switch {
	case c == nil:
	case c.exact:
		fmt.Fprintf(w, "times are within %s of the original's; counts, and inclusive and exclusive times, are exactly those of the original\n", ticks.duration(float64(c.bound)))
	default:
		fmt.Fprintf(w, "times are within %s of the original's: the time of n calls is off by less than n · %s\n", ticks.duration(float64(c.bound)), ticks.duration(2*float64(c.bound)))
	}
}
