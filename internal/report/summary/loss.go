package summary

import (
	"fmt"
	"io"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/lost"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// lossOfSums says what sums of calls mean in a trace that tells less than the one it was made of.
type lossOfSums struct {
	times      uint64        // the largest deviation of a time, in ticks; 0 if times are exact
	calls      []trace.Bound // which were left out
	resolution uint64
	exact      bool   // sums are those of the original
	left       uint64 // calls that were left out, if sums are exact
}

// lossOf returns nil if nothing was lost, and for sums of no calls.
func lossOf(s *summed, by string, w *store.Window) *lossOfSums {
	m := s.trace.Meta()
	if !m.Loss.Deviates() || !HasCalls(by) && by != ByCallPath {
		return nil
	}
	b, _ := m.Loss.Times()
	l := &lossOfSums{times: b.Bound, calls: m.Loss.Calls(), resolution: m.Resolution}
	if list := s.deviations(w); list != nil && (by == "region" || by == "definition") {
		l.exact, l.left = true, lost.Calls(list)
	}
	return l
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
	s.count += d.Count
	s.inclusive = s.inclusive.Plus(trace.SumOf(d.Inclusive))
	s.exclusive = s.exclusive.Plus(trace.SumOf(d.Exclusive))
	s.busy = s.busy.Plus(trace.SumOf(d.Busy))
}

// writeJSON writes a member of a JSON object.
func (l *lossOfSums) writeJSON(w io.Writer) {
	if l == nil {
		return
	}
	io.WriteString(w, `"loss":{`)
	if l.times > 0 {
		fmt.Fprintf(w, `"bound_ticks":%d,`, l.times)
	}
	if len(l.calls) > 0 {
		if b := l.calls[0]; b.Metric == uint64(trace.LeftShort) {
			fmt.Fprintf(w, `"calls_below_ticks":%d,`, b.Bound)
		}
		if l.exact {
			fmt.Fprintf(w, `"calls_left_out":%d,`, l.left)
		}
	}
	fmt.Fprintf(w, `"exact":%t},`, l.exact)
}

// writeText writes lines below a table.
func (l *lossOfSums) writeText(w io.Writer, ticks clock) {
	if l == nil {
		return
	}
	for i := range l.calls {
		fmt.Fprintf(w, "%s were left out of the trace", report.Lost.Which(&l.calls[i], l.resolution))
		switch {
		case i < len(l.calls)-1:
			io.WriteString(w, "\n")
		case l.exact:
			fmt.Fprintf(w, "; counts, and inclusive and exclusive times, are those of all calls, of which %s are in the sums alone\n", report.Grouped(l.left))
		default:
			io.WriteString(w, "; sums are those of the calls that are there\n")
		}
	}
	switch {
	case l.times == 0:
	case l.exact:
		fmt.Fprintf(w, "times are within %s of the original's; counts, and inclusive and exclusive times, are exactly those of the original\n", ticks.duration(float64(l.times)))
	default:
		fmt.Fprintf(w, "times are within %s of the original's: the time of n calls is off by less than n · %s\n", ticks.duration(float64(l.times)), ticks.duration(2*float64(l.times)))
	}
}
