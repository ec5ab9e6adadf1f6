package tracegen

import "github.com/pandotrace/pando/trace"

// Recursion returns the trace of one location on which a function calls itself depth times, with another call before each
// inner one. The times are noisy. Equal arguments give equal traces.
func Recursion(depth int, seed uint64) *Trace {
	t := New(trace.Meta{Format: "recursion", Resolution: 1_000_000_000})
	b := t.Location(0, t.Process("process"))
	function, before := t.Region("function"), t.Region("before")
	d := newDice(seed, 0)
	now := int64(0)
	put := func(kind trace.Kind, region uint64) {
		now += 40 + 10*d.Int64N(4)
		b.Append(kind, now, region)
	}
	for range depth {
		put(trace.KindEnter, function)
		put(trace.KindEnter, before)
		put(trace.KindLeave, before)
	}
	for range depth {
		put(trace.KindLeave, function)
	}
	return t
}
