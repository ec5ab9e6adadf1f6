package verify

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// shortCalls looks for calls that the trace is said to lack: short ones without events inside.
type shortCalls struct {
	below int64 // ticks; 0 if there is nothing to look for
	open  map[uint64]*openCalls
}

// openCalls are those of a location.
type openCalls struct {
	calls []openCall
	cut   bool // the latest event is a mark of a cut
}

type openCall struct {
	begin int64
	kept  bool // it may be short: there was an event inside, or it was cut
}

func newShortCalls(loss *trace.Loss) shortCalls {
	s := shortCalls{open: map[uint64]*openCalls{}}
	_, coarse := loss.Times()
	if b, ok := loss.Below(); ok && b.Cell > 0 && !coarse {
		s.below = int64(b.Bound)
	}
	return s
}

// check returns an error for the first call that ends in a batch and should have been left out.
func (s *shortCalls) check(b *trace.Batch) error {
	if s.below == 0 {
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
			if x, ok := o.leave(cut); ok && !x.kept && t-x.begin < s.below {
				return format.Corruptf("slice block", -1, "location %d has a call from %d to %d without an event inside, and the meta block says that those of less than %d ticks were left out", b.Location, x.begin, t, s.below)
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
