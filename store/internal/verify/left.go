package verify

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// leftCalls looks for calls that the trace is said to lack: short or deep ones without events inside.
type leftCalls struct {
	below int64  // ticks
	depth uint64 // as many calls around, or more
	open  map[uint64]*openCalls
}

// openCalls are those of a location.
type openCalls struct {
	calls []openCall
	cut   bool // the latest event is a mark of a cut
}

type openCall struct {
	begin int64
	kept  bool // it may be there: there was an event inside, or it was cut
}

func newLeftCalls(loss *trace.Loss) leftCalls {
	s := leftCalls{depth: none, open: map[uint64]*openCalls{}}
	_, coarse := loss.Times()
	for _, b := range loss.Calls() {
		switch {
		case b.Cell == 0:
		case b.Metric == uint64(trace.LeftShort) && !coarse:
			s.below = int64(b.Bound)
		case b.Metric == uint64(trace.LeftLevel):
			s.depth = b.Bound
		}
	}
	return s
}

// none is a depth that no call has.
const none = ^uint64(0)

// check returns an error for the first call that ends in a batch and should have been left out.
func (s *leftCalls) check(b *trace.Batch) error {
	if s.below == 0 && s.depth == none {
		return nil
	}
	o := s.open[b.Location]
	if o == nil {
		o = &openCalls{}
		s.open[b.Location] = o
	}
	for i, k := range b.Kinds {
		t := b.Times[i]
		cut := o.cut
		o.cut = k == trace.KindCutBefore || k == trace.KindCutAfter
		switch k {
		case trace.KindCutBefore, trace.KindCutAfter, trace.KindMetric:
		case trace.KindEnter, trace.KindCallingContextEnter:
			o.calls = append(o.calls, openCall{t, cut})
		case trace.KindLeave, trace.KindCallingContextLeave:
			x, ok := o.leave(cut)
			switch around := uint64(len(o.calls)); {
			case !ok || x.kept:
			case t-x.begin < s.below:
				return format.Corruptf("slice block", -1, "location %d has a call from %d to %d without an event inside, and the meta block says that those of less than %d ticks were left out", b.Location, x.begin, t, s.below)
			case around >= s.depth:
				return format.Corruptf("slice block", -1, "location %d has a call from %d to %d without an event inside, in %d others, and the meta block says that those in %d were left out", b.Location, x.begin, t, around, s.depth)
			}
		default:
			o.keep()
		}
	}
	return nil
}

// leave ends the innermost call. What is kept makes that around it kept.
func (o *openCalls) leave(cut bool) (x openCall, ok bool) {
	n := len(o.calls) - 1
	if n < 0 {
		return x, false
	}
	x = o.calls[n]
	x.kept = x.kept || cut
	if o.calls = o.calls[:n]; x.kept {
		o.keep()
	}
	return x, true
}

func (o *openCalls) keep() {
	if n := len(o.calls); n > 0 {
		o.calls[n-1].kept = true
	}
}
