package align

import (
	"math"

	"github.com/pandotrace/pando/encode/shape"
)

// segments gathers segments, at most a number of them.
type segments struct {
	list  []Segment
	most  int    // 0: any number
	least uint64 // equal events in a row that are not left to either side alone
	a, b  uint64 // events so far
}

// add adds events of a state.
func (s *segments) add(events uint64, state State) {
	switch {
	case events == 0:
		return
	case len(s.list) > 0 && s.list[len(s.list)-1].State == state:
		last := &s.list[len(s.list)-1]
		last.Events = shape.Plus(last.Events, events)
	case s.most > 0 && len(s.list) >= s.most && s.shorten():
		s.add(events, state)
		return
	default:
		s.list = append(s.list, Segment{A: s.a, B: s.b, Events: events, State: state})
	}
	if state != OnlyB {
		s.a = shape.Plus(s.a, events)
	}
	if state != OnlyA {
		s.b = shape.Plus(s.b, events)
	}
}

// shorten leaves stretches without more than some equal events to either side alone, of twice the length each time, until half of the segments or
// fewer are left, or three. It reports false if that changed nothing.
func (s *segments) shorten() bool {
	before := len(s.list)
	for len(s.list) > max(3, s.most/2) && s.least < math.MaxUint64 {
		s.least = max(2, shape.Times(2, s.least))
		list := s.list
		s.list = s.list[:0]
		var alone gap
		for _, g := range list {
			if g.State == Equal && g.Events >= s.least {
				s.list = append(alone.flush(s.list), g)
			} else {
				alone.take(g)
			}
		}
		s.list = alone.flush(s.list)
	}
	return len(s.list) < before
}

// gap is segments in a row that are left to either side alone.
type gap struct {
	first    Segment
	segments int
	counts   [2]uint64
}

func (g *gap) take(s Segment) {
	if g.segments++; g.segments == 1 {
		g.first = s
	}
	if s.State != OnlyB {
		g.counts[0] = shape.Plus(g.counts[0], s.Events)
	}
	if s.State != OnlyA {
		g.counts[1] = shape.Plus(g.counts[1], s.Events)
	}
}

// flush appends what there is, and forgets it. It never appends more than was taken.
func (g *gap) flush(list []Segment) []Segment {
	switch {
	case g.segments == 1:
		list = append(list, g.first)
	case g.segments > 1:
		if g.counts[0] > 0 {
			list = append(list, Segment{A: g.first.A, B: g.first.B, Events: g.counts[0], State: OnlyA})
		}
		if g.counts[1] > 0 {
			list = append(list, Segment{A: shape.Plus(g.first.A, g.counts[0]), B: g.first.B, Events: g.counts[1], State: OnlyB})
		}
	}
	*g = gap{}
	return list
}

// CostOf returns what segments cost.
func CostOf(list []Segment) (cost uint64) {
	for _, s := range list {
		switch s.State {
		case Equal:
		case Different:
			cost = shape.Plus(cost, shape.Times(otherEvent, s.Events))
		default:
			cost = shape.Plus(cost, shape.Times(lackingEvent, s.Events))
		}
	}
	return cost
}
