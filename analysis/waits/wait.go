package waits

import "cmp"

// Wait is the time that one call waited for other locations, as far as it lies in the window. Times are in ticks.
type Wait struct {
	Kind Kind
	// Location is the id of the location that waited, Path the path of the call that did, Call the ordinal of its enter.
	Location uint64
	Path     PathID
	Call     uint64
	// Start and End are when the wait began and ended: with the enter of the call, and that of the cause, but at the latest with the leave of
	// the call.
	Start, End int64
	// Cause is the id of the location that came last of those that were waited for, CausePath the path of the call with which it came, and
	// CauseTime when it entered this.
	Cause     uint64
	CausePath PathID
	CauseTime int64
	// Late is how many others came after the begin of the wait: messages in a call that ends several, 1 for all others.
	Late uint64
	// Clamped is set if the cause came after the leave of the call that waited for it, which cannot be: the clocks disagree.
	Clamped bool

	place, causePlace int32
	known             mark
}

// Ticks returns how long the wait took.
func (w *Wait) Ticks() int64 { return w.End - w.Start }

// mark is the place of an event in the order of the trace.
type mark struct {
	time    int64
	place   int32
	ordinal uint64
}

func (m mark) compare(o mark) int {
	return cmp.Or(cmp.Compare(m.time, o.time), cmp.Compare(m.place, o.place), cmp.Compare(m.ordinal, o.ordinal))
}

func later(a, b mark) mark {
	if a.compare(b) < 0 {
		return b
	}
	return a
}

// origin is where a call was entered that others may wait for.
type origin struct {
	known   bool
	place   int32
	path    PathID
	at      int64
	ordinal uint64
}

// before orders origins by what is blamed for a wait: the last one, of equal times the one of the first location.
func (o *origin) compare(p *origin) int {
	return cmp.Or(cmp.Compare(o.at, p.at), cmp.Compare(p.place, o.place), cmp.Compare(p.ordinal, o.ordinal))
}

// candidate is something that a call may have waited for.
type candidate struct {
	origin
	kind Kind
	// hard says that the call cannot be left before the origin. Others may be: then they did not wait for it. Nor is it known that they did if
	// something else that came later kept them.
	hard bool
	next int32 // of the call, -1 behind the last one
}

// waiter is a call that may have waited.
type waiter struct {
	origin
	leave   int64
	left    bool
	pending int32 // ends of which the other one is not known yet
	first   int32 // of its candidates, -1 if it has none
	known   mark  // the latest event that says something of it
}
