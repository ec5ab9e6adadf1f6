package calltree

import (
	"weak"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// Class says what an event does to the calls of its location.
type Class = stepClass

// The classes of events.
const (
	Other = point
	Enter = enter
	Leave = leave
	// Instant is a call that ends as it begins, without calls inside of it: a send or a receive, if messages are calls.
	Instant = instant
)

// Event is what an event does to the calls of its location.
type Event struct {
	Class Class
	// Key is what an enter and its leave agree in.
	Key uint32
	// Name is that of the call that is entered, or that the event is, in the forest.
	Name Name
}

// Events says what the events of a trace do to calls, in the names of a forest. It is not safe for concurrent use.
type Events struct {
	steps   *steps
	forest  *Forest
	rename  map[string]string
	numbers []Name // by name of the trace: that of the forest, plus 1
	views   map[weak.Pointer[shape.View]][]Event
	calls   map[callKey]Event // enters
}

// Events returns what the events of a trace do to calls. Regions are renamed by their own names.
func (f *Forest) Events(defs *trace.Definitions, rename map[string]string) *Events {
	return &Events{steps: newSteps(NewNames(defs)), forest: f, rename: rename, views: map[weak.Pointer[shape.View]][]Event{}, calls: map[callKey]Event{}}
}

// AddMessages makes each send and each receive a call that ends as it begins, named by where its peer is. Call it before all other methods.
func (e *Events) AddMessages() { e.steps.peers = NewPeers(e.steps.defs) }

// mostViews is the number of views whose events are kept; the views are not.
const mostViews = 64

// Of returns the events of the leaves of a view, by number.
func (e *Events) Of(v *shape.View) []Event {
	key := weak.Make(v)
	list, ok := e.views[key]
	if ok {
		return list
	}
	if len(e.views) >= mostViews {
		clear(e.views)
	}
	steps := e.steps.leaves(v)
	list = make([]Event, len(steps))
	for i, s := range steps {
		if list[i] = (Event{Class: s.class, Key: s.key}); s.class == enter || s.class == instant {
			list[i].Name = e.name(s.name)
		}
	}
	e.views[key] = list
	return list
}

// OfCall returns the enter of a call.
func (e *Events) OfCall(c *trace.Call) Event {
	s := e.steps.ofCall(c)
	return Event{Enter, s.key, e.name(s.name)}
}

// Region returns the first region that had a name of the forest in the trace; ok is false if none had.
func (e *Events) Region(n Name) (region uint64, ok bool) {
	for i, number := range e.numbers {
		if number == n+1 {
			return e.steps.names.Region(Name(i)), !e.steps.names.list[i].message
		}
	}
	return 0, false
}

// name returns the forest's number of a name of the trace.
func (e *Events) name(n Name) Name {
	for int(n) >= len(e.numbers) {
		e.numbers = append(e.numbers, 0)
	}
	if e.numbers[n] == 0 {
		e.numbers[n] = e.named(&e.steps.names.list[n]) + 1
	}
	return e.numbers[n] - 1
}

// named returns the forest's number of what a name is of.
func (e *Events) named(n *namedRegion) Name {
	if n.message {
		return e.forest.ofMessage(n.text)
	}
	if to, ok := e.rename[n.text]; ok {
		return e.forest.Named(to)
	}
	return e.forest.Named(n.text)
}

// OfEvent returns what an event of a location does, by its kind and its fields.
func (e *Events) OfEvent(location uint64, kind trace.Kind, fields []uint64) Event {
	switch kind {
	case trace.KindEnter:
		return e.enter(callKey{false, fields[0]})
	case trace.KindLeave:
		return e.leave(callKey{false, fields[0]})
	case trace.KindCallingContextEnter:
		return e.enter(callKey{true, fields[0]})
	case trace.KindCallingContextLeave:
		return e.leave(callKey{true, fields[0]})
	}
	if e.steps.peers == nil {
		return Event{}
	}
	m, ok := e.steps.peers.OfEvent(location, kind, fields)
	if !ok {
		return Event{}
	}
	return Event{Class: Instant, Name: e.name(e.steps.names.ofEnd(m))}
}

// enter returns the enter of a key.
func (e *Events) enter(k callKey) Event {
	known, ok := e.calls[k]
	if !ok {
		s := e.steps.enter(e.steps.region(k.id, k.context), e.steps.key(k))
		known = Event{Enter, s.key, e.name(s.name)}
		e.calls[k] = known
	}
	return known
}

// leave returns the leave of a key.
func (e *Events) leave(k callKey) Event { return Event{Class: Leave, Key: e.enter(k).Key} }
