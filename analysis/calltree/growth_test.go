package calltree

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/shape"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// grow adds the calls of tokens to a forest: by what the package does.
func (d *drawn) grow(ctx context.Context, f *Forest, memory int64, tokens []shape.Token) (Node, error) {
	events := f.Events(trace.NewDefinitions(nil), nil)
	g := newGrowth(newGraph(events.steps, d), f, events.name, &budget{ctx: ctx, forest: f, memory: memory})
	p := newRising(allLevels)
	if err := g.follow(p, tokens); err != nil {
		return 0, err
	}
	return p.root(f), nil
}

// naiveGrowth does the same leaf by leaf.
func (d *drawn) naiveGrowth(f *Forest, tokens []shape.Token) Node {
	events := f.Events(trace.NewDefinitions(nil), nil)
	p := newRising(allLevels)
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

// FuzzNormalise makes calls of any tokens, and makes them normal: by definition, and whatever the shapes are, within the memory.
func FuzzNormalise(f *testing.F) {
	f.Add([]byte{3, 0, 1, 4, 2, 2, 1}, true, true)
	f.Add([]byte("abababacacacab\x00\x01\x02\x09"), false, true)
	f.Fuzz(func(t *testing.T, data []byte, spread, through bool) {
		d := shapesOf(data)
		if d.events(shape.ID(d.Len()-1)) > 100_000 { // files have slices of few events
			return
		}
		forest := NewForest()
		n, err := d.grow(t.Context(), forest, 1<<22, []shape.Token{{Shape: shape.ID(d.Len() - 1), Count: 3}})
		if err != nil || forest.Size(n) > 2000 {
			return
		}
		how := Normal{Spread: spread, Through: map[Name]bool{}}
		names := map[string]bool{}
		if through {
			names[forest.NameOf(forest.Named("#1"))] = true
			how.Through[forest.Named("#1")] = true
		}
		got, err := forest.Normalise(t.Context(), []Node{n}, how)
		if err != nil {
			t.Fatal(err)
		}
		if want := forest.plainOf(n).normal(names, spread); forest.written(got[0]) != want.text() {
			t.Errorf("%s became %s, not %s", forest.written(n), forest.written(got[0]), want.text())
		}
	})
}

// shapesOf makes shapes of any bytes: each two are an edge, 0 ends a shape.
func shapesOf(data []byte) *drawn {
	d := newDrawn(3)
	d.add(0, d.enter(0, 1), d.leave(0, 1))
	var edges []shape.Edge
	end := func() {
		if len(edges) > 0 {
			hole := 0
			if len(edges) > 2 && edges[1].Count == 1 && edges[len(edges)-1].Count == 2 {
				hole = 1
			}
			d.add(hole, edges...)
			edges = nil
		}
	}
	for i := 0; i+1 < len(data) && d.Len() < 40; i += 2 {
		if data[i] == 0 {
			end()
			continue
		}
		edges = append(edges, shape.Edge{Shape: shape.ID(int(data[i]) % d.Len()), Count: uint32(data[i+1]%7) + 1})
	}
	end()
	return d
}

// events returns how many leaves a shape has, at depths as they are in edges; it saturates.
func (d *drawn) events(id shape.ID) uint64 {
	sizes := make([]uint64, d.Len())
	for i := range sizes {
		if i < d.Leaves() {
			sizes[i] = 1
		}
		for _, e := range d.Edges(shape.ID(i)) {
			sizes[i] = shape.Plus(sizes[i], shape.Times(sizes[e.Shape], uint64(e.Count)))
		}
	}
	return sizes[id]
}

// plainOf returns a call without sharing.
func (f *Forest) plainOf(n Node) *plain {
	p := &plain{name: f.NameOf(f.Name(n))}
	runs, _ := f.Flat(n, 1<<20)
	for _, r := range runs {
		for range r.Count {
			p.inside = append(p.inside, f.plainOf(r.Node))
		}
	}
	return p
}
