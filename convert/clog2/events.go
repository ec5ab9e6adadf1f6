package clog2

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// role is what an event id means.
type role uint8

const (
	unknown role = iota
	begins       // a state
	ends
	happens // a solo event
)

// category is a state, or a kind of solo event. Categories are numbered as the viewer's converter numbers them: 0 is for
// arrows, then come the known states, those of the user, known and user's solo events, and what else was defined.
type category struct {
	id                  uint32
	solo                bool
	state               int64 // number among the known states, or less than 0
	name, color, format string
	defined, used       bool
	layout              *mpe.Layout
}

// event is what there is to know of an event id.
type event struct {
	role     role
	kind     trace.Kind
	category uint32
	layout   *mpe.Layout
	texts    bool // there are strings in its cargo
	id       int32
}

// words appends the words of an event of a line, and returns its attributes.
func (e *event) words(b *trace.Batch, l *mpe.Line) []trace.Attr {
	switch e.kind {
	case trace.KindEnter, trace.KindLeave:
		b.Words = append(b.Words, uint64(e.category))
		return l.Attrs
	case trace.KindMpeEvent:
		b.Words = append(b.Words, l.Communicator(), uint64(int64(e.id)))
	default:
		b.Words = append(b.Words, uint64(e.category), l.Communicator())
	}
	return l.Distinctive
}

// registry knows what event ids mean.
type registry struct {
	*preamble
	defined    map[int32]event // ids of states and events that are not among those of the preamble's ranges
	categories map[uint32]*category
	next       uint32 // category
}

func newRegistry(p *preamble) *registry {
	return &registry{
		preamble: p, defined: map[int32]event{}, categories: map[uint32]*category{},
		next: uint32(1 + p.states + p.userStates + p.solos + p.usolos),
	}
}

// meaning returns role and category of an event id.
func (r *registry) meaning(id int32) event {
	if e, ok := r.defined[id]; ok {
		return e
	}
	roles := [2]role{begins, ends}
	n, first := int64(id), uint32(1)
	if i := n - r.firstState; i >= 0 && i < 2*r.states {
		return event{role: roles[i%2], category: first + uint32(i/2)}
	}
	first += uint32(r.states)
	if i := n - r.firstUserState; i >= 0 && i < 2*r.userStates {
		return event{role: roles[i%2], category: first + uint32(i/2)}
	}
	first += uint32(r.userStates)
	if i := n - r.firstSolo; i >= 0 && i < r.solos {
		return event{role: happens, category: first + uint32(i)}
	}
	first += uint32(r.solos)
	if i := n - r.firstUserSolo; i >= 0 && i < r.usolos {
		return event{role: happens, category: first + uint32(i)}
	}
	return event{}
}

// category returns a category, which it makes if it is new.
func (r *registry) category(id uint32, solo bool) *category {
	c := r.categories[id]
	if c == nil {
		c = &category{id: id, solo: solo, state: -1}
		if int64(id) <= r.states {
			c.state = int64(id) - 1
		}
		r.categories[id] = c
	}
	return c
}

// define takes in a definition. A later one of the same states or events counts.
func (r *registry) define(d *definition, warnings *trace.Warnings) {
	var c *category
	switch start, final := r.meaning(d.start), r.meaning(d.final); {
	case !d.state && start.role == happens:
		c = r.category(start.category, true)
	case !d.state && start.role == unknown:
		c = r.category(r.next, true)
		r.defined[d.start] = event{role: happens, category: r.next}
		r.next++
	case d.state && start.role == begins && final.role == ends && start.category == final.category:
		c = r.category(start.category, false)
	case d.state && d.start != d.final && (start.role == unknown || final.role == unknown):
		c = r.category(r.next, false)
		r.defined[d.start] = event{role: begins, category: r.next}
		r.defined[d.final] = event{role: ends, category: r.next}
		r.next++
	default:
		warnings.Add("contradicting definition", "%q of events %d and %d", d.name, d.start, d.final)
		return
	}
	c.name, c.color, c.format, c.defined = d.name, d.color, d.format, true
}

// event returns what there is to know of an event id that occurs.
func (r *registry) event(id int32) event {
	e := r.meaning(id)
	e.id = id
	if e.role != unknown {
		c := r.category(e.category, e.role == happens)
		c.used = true
		e.layout, e.texts = c.layout, c.layout != nil && c.layout.HasTexts()
	}
	return e
}

// settle says of what kind events are, once it is known which states are calls.
func (e *event) settle(crosses func(category uint32) bool) {
	interval := crosses(e.category)
	switch {
	case e.role == begins && interval:
		e.kind = trace.KindIntervalBegin
	case e.role == begins:
		e.kind = trace.KindEnter
	case e.role == ends && interval:
		e.kind = trace.KindIntervalEnd
	case e.role == ends:
		e.kind = trace.KindLeave
	case e.role == happens:
		e.kind = trace.KindSoloEvent
	default:
		e.kind = trace.KindMpeEvent
	}
}

// list returns the categories that are defined or used, in order.
func (r *registry) list() []*category {
	var list []*category
	for _, c := range r.categories {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *category) int { return int(int64(a.id) - int64(b.id)) })
	return list
}

// title returns the category's name. One that was never defined has that of its MPI function, if it is one of those.
func (c *category) title() string {
	switch {
	case c.name != "":
		return c.name
	case c.state >= 0 && c.state < int64(len(coreStates)):
		return coreStates[c.state]
	case otherStates[c.state] != "":
		return otherStates[c.state]
	}
	return fmt.Sprintf("UnknownType-%d", c.id)
}
