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

// Calls picks the window's calls.
func (w *Window) Calls(all []trace.Call) []trace.Call {
	return pick(all, func(c *trace.Call) bool {
		return c.Overlaps(w.From, w.To) && passes(w.Locations, c.Location) && passes(w.Regions, c.Region) &&
			c.Duration() >= w.MinDuration
	})
}

// Messages picks the window's messages: those with either end on a chosen location.
func (w *Window) Messages(all []trace.Message) []trace.Message {
	return pick(all, func(m *trace.Message) bool {
		return m.Overlaps(w.From, w.To) && (passes(w.Locations, m.SendLocation) || passes(w.Locations, m.ReceiveLocation))
	})
}

// Events picks the window's events.
func (w *Window) Events(all []Event) []Event {
	return pick(all, func(e *Event) bool {
		return w.From <= e.Time && e.Time < w.To && passes(w.Locations, e.Location) && passes(w.Kinds, e.Kind)
	})
}

func pick[T any](all []T, want func(*T) bool) []T {
	var some []T
	for i := range all {
		if want(&all[i]) {
			some = append(some, all[i])
		}
	}
	return some
}

func passes[T comparable](filter []T, x T) bool { return filter == nil || slices.Contains(filter, x) }
