package fold

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// step is what a leaf means to the time in calls.
type step struct {
	class stepClass
	busy  bool   // of an enter: time in calls of its region counts
	key   uint32 // number of what enter and leave agree in
}

type stepClass uint8

const (
	point stepClass = iota
	enter
	leave
)

// callKey is what an enter and its leave agree in.
type callKey struct {
	context bool
	id      uint64
}

// steps says what the leaves of shapes mean. It keeps the tables of the views that were seen last.
type steps struct {
	defs   *trace.Definitions
	window *store.Window
	keys   map[callKey]uint32
	of     map[*shape.View][]step
	kept   int // steps of all tables
}

// mostSteps bounds the tables that are kept.
const mostSteps = 1 << 20

func newSteps(defs *trace.Definitions, w *store.Window) *steps {
	return &steps{defs: defs, window: w, keys: map[callKey]uint32{}, of: map[*shape.View][]step{}}
}

// leaves returns the steps of the leaves of a view, by number.
func (s *steps) leaves(v *shape.View) []step {
	list, ok := s.of[v]
	if ok {
		return list
	}
	if s.kept > mostSteps {
		clear(s.of)
		s.kept = 0
	}
	list = make([]step, v.Leaves())
	for i := range list {
		leaf, _ := v.Leaf(v.LeafID(uint32(i)))
		switch leaf.Class {
		case shape.Enter, shape.ContextEnter:
			list[i] = s.enter(callKey{leaf.Class == shape.ContextEnter, leaf.Key})
		case shape.Leave, shape.ContextLeave:
			list[i] = step{class: leave, key: s.key(callKey{leaf.Class == shape.ContextLeave, leaf.Key})}
		}
	}
	s.of[v] = list
	s.kept += len(list)
	return list
}

// enter returns the step of the enter of a region or calling context.
func (s *steps) enter(k callKey) step {
	region := k.id
	if k.context {
		region = s.defs.ContextRegion(k.id)
	}
	return step{class: enter, key: s.key(k), busy: s.window.HasRegion(region)}
}

// ofCall returns the step of the enter of a call.
func (s *steps) ofCall(c *trace.Call) step {
	if c.Context != trace.Undefined {
		return s.enter(callKey{true, c.Context})
	}
	return s.enter(callKey{false, c.Region})
}

func (s *steps) key(k callKey) uint32 {
	n, ok := s.keys[k]
	if !ok {
		n = uint32(len(s.keys))
		s.keys[k] = n
	}
	return n
}
