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
)

// Event is what an event does to the calls of its location.
type Event struct {
	Class Class
	// Key is what an enter and its leave agree in.
	Key uint32
	// Name is that of the call that is entered, in the forest.
	Name Name
}

// Events says what the events of a trace do to calls, in the names of a forest. It is not safe for concurrent use.
type Events struct {
	steps   *steps
	forest  *Forest
	rename  map[string]string
	numbers []Name // by name of the trace: that of the forest, plus 1
	views   map[weak.Pointer[shape.View]][]Event
}

// Events returns what the events of a trace do to calls. Regions are renamed by their own names.
func (f *Forest) Events(defs *trace.Definitions, rename map[string]string) *Events {
	return &Events{steps: newSteps(NewNames(defs)), forest: f, rename: rename, views: map[weak.Pointer[shape.View]][]Event{}}
}

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
		if list[i] = (Event{Class: s.class, Key: s.key}); s.class == enter {
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
			return e.steps.names.Region(Name(i)), true
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
		text := e.steps.names.Text(n)
		if to, ok := e.rename[text]; ok {
			text = to
		}
		e.numbers[n] = e.forest.Named(text) + 1
	}
	return e.numbers[n] - 1
}
