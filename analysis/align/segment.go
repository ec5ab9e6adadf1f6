package align

import (
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// State says what an alignment makes of events.
type State uint8

// The states of events (Weber 2016, table 2.2).
const (
	Equal     State = iota // both sides have them
	Different              // both sides have events there, of different regions
	OnlyA                  // only the first side has them
	OnlyB
)

var stateNames = [...]string{"equal", "different", "only a", "only b"}

// String returns the state's name.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", s)
}

// Segment is a run of events of one state. Events count enters and leaves alone.
type Segment struct {
	A, B   uint64 // ordinals of its first event on each side; where a side has none of it, of the next one
	Events uint64 // on each side that has it
	State  State
}

// SegmentBytes is the memory of a segment.
const SegmentBytes = 32

// Segments returns the alignment that [Aligner.Cost] found for two calls: segments that cover the events of both, in order. Numbers of
// events saturate at 2^64-1. Beyond most segments, short stretches of equal events are left to either side alone, the shortest first: then the
// segments cost more than the alignment, see [CostOf].
func (s *Aligner) Segments(ctx context.Context, x, y calltree.Node, most int) ([]Segment, error) {
	if s.opt.Level == Flat {
		return s.flatSegments(ctx, x, y, most)
	}
	if _, err := s.Cost(ctx, x, y); err != nil {
		return nil, err
	}
	s.work = -s.opt.Work // what was not known for the cost is not known for the segments
	w := walk{s: s, out: segments{most: most}, stack: []leg{{kind: pairLeg, x: x, y: y, count: 1}}}
	for n := 0; len(w.stack) > 0; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		l := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if err := w.leg(ctx, l); err != nil {
			return nil, err
		}
	}
	return w.out.list, nil
}

// walk makes segments of an alignment.
type walk struct {
	s     *Aligner
	stack []leg // the next one is the last
	out   segments
}

// leg is a part of an alignment.
type leg struct {
	kind   legKind
	x, y   calltree.Node
	count  uint64
	events uint64
	state  State
	rest   *rest
}

type legKind uint8

const (
	pairLeg   legKind = iota // count times the calls x and y
	insideLeg                // what is inside of x and y
	eventsLeg                // events of one state
	restLeg                  // parts of two lists
)

// rest is the parts of two lists that are left. Swapped says that the first list is that of side B.
type rest struct {
	parts   []part
	swapped bool
}

// add adds events of a state.
func (w *walk) add(events uint64, state State) { w.out.add(events, state) }

// then puts legs on the stack, so that the first is the next one.
func (w *walk) then(legs ...leg) {
	for i := len(legs) - 1; i >= 0; i-- {
		w.stack = append(w.stack, legs[i])
	}
}

func some(events uint64, state State) leg { return leg{kind: eventsLeg, events: events, state: state} }

func (w *walk) leg(ctx context.Context, l leg) error {
	switch l.kind {
	case eventsLeg:
		w.add(l.events, l.state)
		return nil
	case insideLeg:
		return w.inside(ctx, l)
	case restLeg:
		return w.part(ctx, l)
	}
	f := w.s.forest
	switch {
	case l.x == l.y:
		w.add(shape.Times(shape.Times(2, f.Size(l.x)), l.count), Equal)
		return nil
	case f.IsGroup(l.x) != f.IsGroup(l.y): // no pair
		w.add(shape.Times(shape.Times(2, f.Size(l.x)), l.count), OnlyA)
		w.add(shape.Times(shape.Times(2, f.Size(l.y)), l.count), OnlyB)
		return nil
	}
	if l.count > 1 {
		w.then(leg{kind: pairLeg, x: l.x, y: l.y, count: 1}, leg{kind: pairLeg, x: l.x, y: l.y, count: l.count - 1})
		return nil
	}
	return w.calls(ctx, l)
}

// calls aligns two calls: as the cost of the pair came about.
func (w *walk) calls(ctx context.Context, l leg) error {
	s := w.s
	if s.forest.IsGroup(l.x) {
		w.then(leg{kind: insideLeg, x: l.x, y: l.y})
		return nil
	}
	c, err := s.solve(ctx, s.inOrder(l.x, l.y))
	if err != nil {
		return err
	}
	state := Equal
	if s.nameCost(l.x, l.y) != 0 {
		state = Different
	}
	if c.whole.High == shape.Plus(c.inside.High, s.nameCost(l.x, l.y)) {
		w.then(some(1, state), leg{kind: insideLeg, x: l.x, y: l.y}, some(1, state))
		return nil
	}
	return w.wrapped(ctx, l, func(c pairCost) uint64 { return c.whole.High }, c.whole.High)
}

// inside aligns what is inside of two calls.
func (w *walk) inside(ctx context.Context, l leg) error {
	s := w.s
	p := s.inOrder(l.x, l.y)
	c, err := s.solve(ctx, p)
	if err != nil {
		return err
	}
	if c.how.around {
		return w.wrapped(ctx, l, func(c pairCost) uint64 { return c.inside.High }, c.inside.High)
	}
	w.then(leg{kind: restLeg, rest: &rest{s.again(p, c).parts, p.x != l.x}})
	return nil
}

// part goes on with the next part of two lists: its table is there no longer than it takes.
func (w *walk) part(ctx context.Context, l leg) error {
	r := l.rest
	if len(r.parts) == 0 {
		return nil
	}
	p := r.parts[0]
	r.parts[0] = part{}
	r.parts = r.parts[1:]
	if err := w.s.finish(ctx, &p); err != nil {
		return err
	}
	w.then(l)
	switch p.kind {
	case equalPart:
		w.then(some(w.s.eventsOf(p.a), Equal))
	case alonePart:
		w.then(w.lack(p.a, r.swapped), w.lack(p.b, !r.swapped))
	case runPart:
		x, y := w.s.elementOf(p.a[0]), w.s.elementOf(p.b[0])
		w.then(w.together(&x, &y, r.swapped)...)
	default:
		w.then(w.table(p.table, r.swapped)...)
	}
	w.s.release(&p)
	return nil
}

// finish works on a part up to its end.
func (s *Aligner) finish(ctx context.Context, p *part) error {
	for {
		need, ok := p.work(s, true)
		if ok {
			return nil
		}
		if _, err := s.solve(ctx, need); err != nil {
			return err
		}
	}
}

// lack returns the leg of a list that has no partners, of side A unless it is that of side B.
func (w *walk) lack(list []calltree.Run, sideB bool) leg {
	state := OnlyA
	if sideB {
		state = OnlyB
	}
	return some(w.s.eventsOf(list), state)
}

// table returns the legs of a table.
func (w *walk) table(t *table, swapped bool) (legs []leg) {
	i, j := 0, 0
	for _, m := range t.way() {
		switch m {
		case onlyA:
			legs = append(legs, w.lack([]calltree.Run{t.a[i].run()}, swapped))
			i++
		case onlyB:
			legs = append(legs, w.lack([]calltree.Run{t.b[j].run()}, !swapped))
			j++
		default:
			legs = append(legs, w.together(&t.a[i], &t.b[j], swapped)...)
			i++
			j++
		}
	}
	return legs
}

// together returns the legs of two elements that belong together.
func (w *walk) together(x, y *element, swapped bool) (legs []leg) {
	count, _ := rests(x, y)
	a, b := x, y
	if swapped {
		a, b = y, x
	}
	legs = append(legs, leg{kind: pairLeg, x: a.call, y: b.call, count: count})
	f := w.s.forest
	if a.count > count {
		legs = append(legs, some(shape.Times(shape.Times(2, f.Size(a.call)), a.count-count), OnlyA))
	}
	if b.count > count {
		legs = append(legs, some(shape.Times(shape.Times(2, f.Size(b.call)), b.count-count), OnlyB))
	}
	return legs
}
