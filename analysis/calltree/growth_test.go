package calltree

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// grow adds the calls of tokens to a forest: by what the package does.
func (d *drawn) grow(ctx context.Context, f *Forest, memory int64, tokens []shape.Token) (Node, error) {
	events := f.Events(trace.NewDefinitions(nil), nil)
	g := newGrowth(newGraph(events.steps, d), f, events.name, &budget{ctx: ctx, forest: f, memory: memory})
	p := newRising()
	if err := g.tokens(p, tokens); err != nil {
		return 0, err
	}
	return p.root(f), nil
}

// naiveGrowth does the same leaf by leaf.
func (d *drawn) naiveGrowth(f *Forest, tokens []shape.Token) Node {
	events := f.Events(trace.NewDefinitions(nil), nil)
	p := newRising()
	d.expand(tokens, func(id shape.ID) {
		if region := d.regions[id/2]; id%2 == 0 {
			p.enter(uint32(region), events.name(events.steps.names.Of(region)))
		} else {
			p.leave(f, uint32(region))
		}
	})
	return p.root(f)
}

// Shapes become the calls that their leaves are.
func TestGrowth(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		d := drawShapes(f)
		tokens := []shape.Token{d.enter(0, 2), {Shape: shape.ID(d.Len() - 1), Count: rapid.Uint32Range(1, 40).Draw(f, "count")}, d.leave(1, 1)}
		events := 0
		d.expand([]shape.Edge{{Shape: tokens[1].Shape, Count: 1}}, func(shape.ID) { events++ })
		if events > 3000 {
			return
		}
		forest := NewForest()
		got, err := d.grow(t.Context(), forest, 1<<30, tokens)
		if err != nil {
			f.Fatal(err)
		}
		if want := d.naiveGrowth(forest, tokens); got != want {
			f.Fatalf("%v of %+v: %s, not %s", tokens, d, forest.written(got), forest.written(want))
		}
	})
}

// Shapes that stand for 2^60 calls take no more than their shapes; what is too deep for the memory is refused, and nothing goes on after the context.
func TestHostileGrowth(t *testing.T) {
	d := newDrawn(3)
	doubled := d.add(0, d.enter(1, 1), d.leave(1, 1), d.enter(2, 1), d.leave(2, 1))
	for range 60 {
		doubled = d.add(0, shape.Edge{Shape: doubled, Count: 2})
	}
	outer := d.add(0, d.enter(0, 1), shape.Edge{Shape: doubled, Count: 1}, d.leave(0, 1))
	f := NewForest()
	n, err := d.grow(t.Context(), f, 1<<20, []shape.Token{{Shape: outer, Count: 3}})
	if err != nil || f.Size(n) != 6<<60+4 || f.Len() > 1000 {
		t.Errorf("%d calls, %d numbers, %v", f.Size(n), f.Len(), err)
	}

	deep := d.add(1, d.enter(0, 1), shape.Edge{Shape: d.Edges(outer)[1].Shape, Count: 1}, d.leave(0, 1))
	var memory *MemoryError
	if _, err := d.grow(t.Context(), NewForest(), 1<<24, []shape.Token{{Shape: deep, Count: 4_000_000_000}}); !errors.As(err, &memory) {
		t.Errorf("four thousand million levels: %v", err)
	}
	if _, err := d.grow(t.Context(), NewForest(), 1<<24, []shape.Token{d.enter(0, 4_000_000_000)}); !errors.As(err, &memory) {
		t.Errorf("four thousand million enters: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.grow(ctx, NewForest(), 1<<40, []shape.Token{{Shape: deep, Count: 4_000_000_000}}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the context: %v", err)
	}
}
