package model

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Event is an event with its place.
type Event struct {
	Location, Ordinal uint64
	Record
}

// ID returns the event's name.
func (e *Event) ID() EventID { return EventID{e.Location, e.Ordinal} }

// Events returns all events in merged order: by time, location, ordinal.
func (t *Trace) Events() []Event {
	var all []Event
	for _, l := range t.Locations {
		for i, e := range l.Events {
			all = append(all, Event{l.ID, uint64(i), e})
		}
	}
	slices.SortStableFunc(all, func(a, b Event) int { return compare(a.Time, b.Time) })
	return all
}

// Window is the time interval [From, To) with filters; nil filters let everything pass.
type Window struct {
	From, To    int64
	Locations   []uint64
	Regions     []uint64     // of calls
	Kinds       []trace.Kind // of events
	MinDuration int64        // of calls, in ticks
}

// Calls picks the window's calls. As with messages and events, the list may be a piece of the one given, and is only to be read.
func (w *Window) Calls(all []trace.Call) []trace.Call {
	return pick(all, func(c *trace.Call) bool {
		return w.HasCall(c) && passes(w.Locations, c.Location) && passes(w.Regions, c.Region) &&
			c.Duration() >= w.MinDuration
	})
}

// HasCall reports whether a call has an instant in the window, whatever the filters. It is open from its enter until just before its
// leave; if it was never left, it is open in the trace's last instant too.
func (w *Window) HasCall(c *trace.Call) bool {
	last := lastInstant(c.Start, c.End)
	if c.Flags&trace.CallOpen != 0 {
		last = c.End
	}
	return w.reaches(c.Start, last)
}

// lastInstant returns the last instant of what begins and ends at some times: the one before its end, but not before its begin.
func lastInstant(begin, end int64) int64 {
	if begin == end {
		return begin
	}
	return end - 1
}

// reaches reports whether something with a first and a last instant lies in the window or around its begin.
func (w *Window) reaches(first, last int64) bool { return first < w.To && last >= w.From }

// Messages picks the window's messages: those with either end on a chosen location.
func (w *Window) Messages(all []trace.Message) []trace.Message {
	return pick(all, func(m *trace.Message) bool {
		from, to := m.Span()
		return w.reaches(from, lastInstant(from, to)) && (passes(w.Locations, m.SendLocation) || passes(w.Locations, m.ReceiveLocation))
	})
}

// Events picks the window's events.
func (w *Window) Events(all []Event) []Event {
	return pick(all, func(e *Event) bool {
		return w.From <= e.Time && e.Time < w.To && passes(w.Locations, e.Location) && passes(w.Kinds, e.Kind)
	})
}

// pick returns what is wanted of a list, in a list of its own or, if nothing is left out in between, in a piece of the one given: tests
// pick nearly all of long lists again and again. Neither may be written to.
func pick[T any](all []T, want func(*T) bool) []T {
	first, end, n := 0, 0, 0
	for i := range all {
		if want(&all[i]) {
			if n == 0 {
				first = i
			}
			end = i + 1
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case end - first:
		return all[first:end:end]
	}
	some := make([]T, 0, n)
	for i := first; i < end; i++ {
		if want(&all[i]) {
			some = append(some, all[i])
		}
	}
	return some
}

func passes[T comparable](filter []T, x T) bool { return filter == nil || slices.Contains(filter, x) }
