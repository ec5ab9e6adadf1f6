package model

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// EventID names one event.
type EventID struct{ Location, Ordinal uint64 }

// Calls returns all calls, ordered by start, location, ordinal.
func (t *Trace) Calls() []trace.Call {
	var all []trace.Call
	for i := range t.Locations {
		all = append(all, t.stackOf(&t.Locations[i]).calls...)
	}
	slices.SortStableFunc(all, func(a, b trace.Call) int { return compare(a.Start, b.Start) })
	return all
}

// Orphans returns the leaves that no open call had the key of, location by location.
func (t *Trace) Orphans() []EventID {
	var all []EventID
	for i := range t.Locations {
		all = append(all, t.stackOf(&t.Locations[i]).orphans...)
	}
	return all
}

// CallStack returns the calls that are open on a location after all its events at or before the instant, outermost first.
func (t *Trace) CallStack(location uint64, instant int64) []trace.Call {
	l := t.Location(location)
	if l == nil {
		return nil
	}
	s := stack{location: l.ID, contexts: t.Definitions.Contexts}
	for i := range l.Events {
		if l.Events[i].Time <= instant {
			s.event(uint64(i), &l.Events[i])
		}
	}
	whole := t.stackOf(l).calls
	var open []trace.Call
	for _, c := range s.open {
		open = append(open, whole[c]) // both stacks number the calls alike: in order of their enters
	}
	return open
}

// Span returns the times of the trace's first and last event; ok is false if there are no events.
func (t *Trace) Span() (first, last int64, ok bool) {
	for _, l := range t.Locations {
		for _, e := range l.Events {
			if !ok {
				first, last, ok = e.Time, e.Time, true
			}
			first, last = min(first, e.Time), max(last, e.Time)
		}
	}
	return first, last, ok
}

// stackOf replays a whole location.
func (t *Trace) stackOf(l *Location) *stack {
	s := &stack{location: l.ID, contexts: t.Definitions.Contexts}
	for i := range l.Events {
		s.event(uint64(i), &l.Events[i])
	}
	_, last, _ := t.Span()
	for len(s.open) > 0 {
		s.pop(last, uint64(len(l.Events)), trace.CallOpen)
	}
	s.open = nil
	return s
}

// stack replays the calls of one location.
type stack struct {
	location uint64
	contexts map[uint64]trace.CallingContext
	calls    []trace.Call // in order of their enters
	keys     []key        // of the calls
	open     []int        // indexes of the open calls, outermost first
	orphans  []EventID
}

// key is what an enter and its leave agree in.
type key struct {
	context bool
	id      uint64
}

func (s *stack) event(ordinal uint64, e *Record) {
	switch e.Kind {
	case trace.KindEnter:
		s.enter(ordinal, e.Time, key{false, e.Words[0]}, e.Words[0], trace.Undefined)
	case trace.KindCallingContextEnter:
		region := trace.Undefined
		if c, ok := s.contexts[e.Words[0]]; ok {
			region = c.Region
		}
		s.enter(ordinal, e.Time, key{true, e.Words[0]}, region, e.Words[0])
	case trace.KindLeave:
		s.leave(ordinal, e.Time, key{false, e.Words[0]})
	case trace.KindCallingContextLeave:
		s.leave(ordinal, e.Time, key{true, e.Words[0]})
	}
}

func (s *stack) enter(ordinal uint64, now int64, k key, region, context uint64) {
	c := trace.Call{Location: s.location, Region: region, Context: context, Start: now,
		Depth: len(s.open), Ordinal: ordinal, Parent: trace.Undefined}
	if len(s.open) > 0 {
		parent := &s.calls[s.open[len(s.open)-1]]
		parent.Children++
		c.Parent = parent.Ordinal
	}
	s.open = append(s.open, len(s.calls))
	s.calls, s.keys = append(s.calls, c), append(s.keys, k)
}

// leave closes the nearest open call of the key, and cuts those above it.
func (s *stack) leave(ordinal uint64, now int64, k key) {
	at := len(s.open) - 1
	for at >= 0 && s.keys[s.open[at]] != k {
		at--
	}
	if at < 0 {
		s.orphans = append(s.orphans, EventID{s.location, ordinal})
		return
	}
	for len(s.open) > at+1 {
		s.pop(now, ordinal, trace.CallCut)
	}
	s.pop(now, ordinal, 0)
}

// pop ends the innermost open call and takes its duration out of the enclosing one's exclusive time.
func (s *stack) pop(now int64, ordinal uint64, flags trace.CallFlags) {
	n := len(s.open) - 1
	c := &s.calls[s.open[n]]
	c.End, c.EndOrdinal, c.Flags = now, ordinal, flags
	c.Exclusive += c.Duration()
	s.open = s.open[:n]
	if n > 0 {
		s.calls[s.open[n-1]].Exclusive -= c.Duration()
	}
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
