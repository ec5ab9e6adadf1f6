package cluster

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// drawn is a dictionary with the calls of a few regions.
type drawn struct {
	*shape.Dictionary
	t    *testing.T
	defs *trace.Definitions
}

func newDrawn(t *testing.T) *drawn {
	return &drawn{shape.NewDictionary(trace.Standard), t, trace.NewDefinitions(nil)}
}

// event returns a leaf.
func (d *drawn) event(kind trace.Kind, region uint64) shape.ID {
	id, err := d.Event(0, kind, []uint64{region}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

// call returns a call with something inside.
func (d *drawn) call(region uint64, inside ...shape.Edge) shape.ID {
	edges := append([]shape.Edge{{Shape: d.event(trace.KindEnter, region), Count: 1}}, inside...)
	return d.Composite(append(edges, shape.Edge{Shape: d.event(trace.KindLeave, region), Count: 1}))
}

// recursion returns a recursion as it is folded: a call of a region in another one, around a call.
func (d *drawn) recursion() shape.ID {
	var f shape.Folder
	f.Reset(d.Dictionary)
	enter, leave := d.event(trace.KindEnter, 1), d.event(trace.KindLeave, 1)
	const depth = 20
	for range depth {
		f.Enter(enter)
	}
	f.Enter(d.event(trace.KindEnter, 2))
	f.Leave(d.event(trace.KindLeave, 2), 0)
	for range depth {
		f.Leave(leave, 0)
	}
	for _, token := range f.Tokens() {
		if _, _, ok := d.Recursion(token.Shape); ok {
			return token.Shape
		}
	}
	d.t.Fatalf("%d calls inside of each other make no recursion: %v", depth, f.Tokens())
	return 0
}

// location follows tokens.
func (d *drawn) location(by By, tokens ...shape.Token) (*place, *budget, error) {
	d.Prepare()
	k := newKnowledge(by)
	b := &budget{ctx: context.Background(), know: k, memory: 64 << 20}
	names := k.forest.Events(d.defs, nil)
	s, err := newShapes(names, d.View(), nil, k, b)
	if err != nil {
		return nil, b, err
	}
	p := newPlace()
	if err := s.follow(p, tokens); err != nil {
		return nil, b, err
	}
	if err := p.end(b); err != nil {
		return nil, b, err
	}
	return p, b, b.check(0)
}

// Shapes that stand for 2^60 calls and more are not expanded. Counts saturate.
func TestVeryManyCalls(t *testing.T) {
	for _, by := range []By{Functions, Pairs, Contexts, Calls, Tree} {
		d := newDrawn(t)
		at := d.call(1)
		for range 64 {
			at = d.call(2, shape.Edge{Shape: at, Count: 2}, shape.Edge{Shape: d.call(3), Count: 1}, shape.Edge{Shape: at, Count: 1})
		}
		p, b, err := d.location(by, shape.Token{Shape: at, Count: math.MaxUint32})
		if err != nil {
			t.Fatalf("by %s: %v", by, err)
		}
		if n := len(b.know.pairs.callees(p.open[0].inside.pairs)); n != 3 {
			t.Errorf("by %s: %d functions", by, n)
		}
		// One from outside, and 2 calls itself, 1 and 3.
		if n := len(b.know.pairs.lists.at(p.open[0].inside.pairs)); n != 4 {
			t.Errorf("by %s: %d pairs", by, n)
		}
		if most := b.know.contexts.paths[p.open[0].inside.contexts]; by == Contexts && most != 64+64+1 {
			t.Errorf("%d call paths", most)
		}
		if by == Calls && p.counts[b.know.forest.Named("#1")] != math.MaxUint64 {
			t.Errorf("%d calls", p.counts)
		}
	}
}

// A recursion of any depth has few functions and pairs, and its tree is a hash; its call paths are refused beyond a depth.
func TestDeepestRecursion(t *testing.T) {
	for _, by := range []By{Functions, Pairs, Calls, Tree} {
		d := newDrawn(t)
		p, b, err := d.location(by, shape.Token{Shape: d.recursion(), Count: math.MaxUint32})
		if err != nil {
			t.Fatalf("by %s: %v", by, err)
		}
		if n := len(b.know.pairs.lists.at(p.open[0].inside.pairs)); n != 3 {
			t.Errorf("by %s: %d pairs", by, n)
		}
		if by == Calls && p.counts[b.know.forest.Named("#1")] < math.MaxUint32 {
			t.Errorf("%d calls", p.counts)
		}
	}
	var deep *DepthError
	d := newDrawn(t)
	if _, _, err := d.location(Contexts, shape.Token{Shape: d.recursion(), Count: math.MaxUint32}); !errors.As(err, &deep) {
		t.Errorf("by contexts: %v", err)
	}
}

// A token of very many enters ends when the memory does.
func TestVeryManyEnters(t *testing.T) {
	d := newDrawn(t)
	var full *MemoryError
	if _, _, err := d.location(Pairs, shape.Token{Shape: d.event(trace.KindEnter, 1), Count: math.MaxUint32}); !errors.As(err, &full) {
		t.Errorf("%v", err)
	}
}
