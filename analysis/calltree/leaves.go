package calltree

import (
	"weak"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// step is what a leaf means to call paths.
type step struct {
	class stepClass
	// calls is 1 for an enter that is counted, 0 for one of a transparent region.
	calls uint64
	key   uint32 // number of what enter and leave agree in
	name  Name   // of an enter or an instant
}

type stepClass uint8

const (
	point stepClass = iota
	enter
	leave
	instant
)

// callKey is what an enter and its leave agree in.
type callKey struct {
	context bool
	id      uint64
}

// steps says what the leaves of shapes mean. It keeps the tables of the views that were asked for last, and does not keep the views: each has a
// dictionary, and a file has one for each epoch.
type steps struct {
	names *Names
	defs  *trace.Definitions
	keys  map[callKey]uint32
	of    map[weak.Pointer[shape.View]][]step
	kept  int // steps of all tables
	// peers are those of messages, if these are calls; vary is set where structure does not have them.
	peers *Peers
	vary  bool
}

// mostSteps bounds the tables that are kept.
const mostSteps = 1 << 20

func newSteps(names *Names) *steps {
	return &steps{names: names, defs: names.defs, keys: map[callKey]uint32{}, of: map[weak.Pointer[shape.View]][]step{}}
}

// leaves returns the steps of the leaves of a view, by number.
func (s *steps) leaves(v shapes) []step {
	view, ok := v.(*shape.View)
	if !ok { // of a test
		return s.table(v)
	}
	key := weak.Make(view)
	list, ok := s.of[key]
	if !ok {
		if list = s.table(v); s.kept > mostSteps {
			clear(s.of)
			s.kept = 0
		}
		s.of[key] = list
		s.kept += len(list) + 1
	}
	return list
}

func (s *steps) table(v shapes) []step {
	list := make([]step, v.Leaves())
	for i := range list {
		leaf, _ := v.Leaf(v.LeafID(uint32(i)))
		list[i] = s.step(&leaf)
	}
	return list
}

func (s *steps) step(leaf *shape.Leaf) step {
	context := leaf.Class == shape.ContextEnter || leaf.Class == shape.ContextLeave
	switch leaf.Class {
	case shape.Enter, shape.ContextEnter:
		return s.enter(s.region(leaf.Key, context), s.key(callKey{context, leaf.Key}))
	case shape.Leave, shape.ContextLeave:
		return step{class: leave, key: s.key(callKey{context, leaf.Key})}
	}
	return s.message(leaf)
}

// message returns the step of a leaf that is no enter and no leave.
func (s *steps) message(leaf *shape.Leaf) step {
	if s.peers == nil {
		return step{}
	}
	m, ok, err := s.peers.OfLeaf(leaf)
	if s.vary = s.vary || err != nil; !ok {
		return step{}
	}
	return step{class: instant, name: s.names.ofEnd(m)}
}

// enter returns the step of an enter of a region.
func (s *steps) enter(region uint64, key uint32) step {
	e := step{class: enter, key: key, name: s.names.Of(region), calls: 1}
	if s.names.list[e.name].transparent {
		e.calls = 0
	}
	return e
}

// region returns the region of a key: itself, or that of a calling context.
func (s *steps) region(key uint64, context bool) uint64 {
	if !context {
		return key
	}
	return s.defs.ContextRegion(key)
}

func (s *steps) key(k callKey) uint32 {
	n, ok := s.keys[k]
	if !ok {
		n = uint32(len(s.keys))
		s.keys[k] = n
	}
	return n
}

// ofCall returns the step of the enter of a call.
func (s *steps) ofCall(c *trace.Call) step {
	if c.Context != trace.Undefined {
		return s.enter(c.Region, s.key(callKey{true, c.Context}))
	}
	return s.enter(c.Region, s.key(callKey{false, c.Region}))
}
