package calltree

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// drawn is a graph of shapes that no writer made: enters and leaves of a few regions first, then shapes of any edges. A recursion has a
// hole, which is not its first edge.
type drawn struct {
	regions []uint64
	edges   [][]shape.Edge
	holes   []int
}

func (d *drawn) Len() int                    { return 2*len(d.regions) + len(d.edges) }
func (d *drawn) Leaves() int                 { return 2 * len(d.regions) }
func (d *drawn) LeafID(leaf uint32) shape.ID { return leaf }
func (d *drawn) Edges(id shape.ID) []shape.Edge {
	if int(id) < d.Leaves() {
		return nil
	}
	return d.edges[int(id)-d.Leaves()]
}

func (d *drawn) Leaf(id shape.ID) (shape.Leaf, bool) {
	if int(id) >= d.Leaves() {
		return shape.Leaf{}, false
	}
	return shape.Leaf{Class: []shape.Class{shape.Enter, shape.Leave}[id%2], Key: d.regions[id/2]}, true
}

func (d *drawn) Recursion(id shape.ID) (before []shape.Edge, core shape.ID, after []shape.Edge, ok bool) {
	at := int(id) - d.Leaves()
	if at < 0 || d.holes[at] == 0 {
		return nil, 0, nil, false
	}
	e, hole := d.edges[at], d.holes[at]
	return e[:hole], e[hole].Shape, e[hole+1:], true
}

// enter and leave return an edge to the leaf of a region.
func (d *drawn) enter(region, count int) shape.Edge {
	return shape.Edge{Shape: shape.ID(2 * region), Count: uint32(count)}
}
func (d *drawn) leave(region, count int) shape.Edge {
	return shape.Edge{Shape: shape.ID(2*region + 1), Count: uint32(count)}
}

// add adds a shape; hole is 0 if it is no recursion.
func (d *drawn) add(hole int, edges ...shape.Edge) shape.ID {
	d.edges, d.holes = append(d.edges, edges), append(d.holes, hole)
	return shape.ID(d.Len() - 1)
}

// expand calls do with each leaf of edges.
func (d *drawn) expand(edges []shape.Edge, do func(shape.ID)) {
	for _, e := range edges {
		if before, core, after, ok := d.Recursion(e.Shape); ok {
			for range e.Count {
				d.expand(before, do)
			}
			d.expand([]shape.Edge{{Shape: core, Count: 1}}, do)
			for range e.Count {
				d.expand(after, do)
			}
			continue
		}
		for range e.Count {
			if int(e.Shape) < d.Leaves() {
				do(e.Shape)
			} else {
				d.expand(d.Edges(e.Shape), do)
			}
		}
	}
}

func newDrawn(regions int) *drawn {
	d := &drawn{}
	for i := range regions {
		d.regions = append(d.regions, uint64(i))
	}
	return d
}

// evaluate counts the calls of tokens by path: by what the package does, and leaf by leaf.
func (d *drawn) evaluate(tokens []shape.Token, depth int) (*tree, *place) {
	s := newSteps(NewNames(trace.NewDefinitions(nil)))
	t := newTree(s.names, depth, 1<<30)
	e := newEvaluation(t, newGraph(s, d))
	p := &place{}
	e.follow(p, tokens)
	e.count()
	return t, p
}

func (d *drawn) naive(t *tree, tokens []shape.Token) *place {
	p := &place{}
	p.grow(root)
	s := newSteps(t.names)
	d.expand(tokens, func(id shape.ID) {
		if region := d.regions[id/2]; id%2 == 0 {
			child, _ := t.child(p.node, s.names.Of(region))
			p.stack = append(p.stack, frame{p.node, uint32(region), 1})
			p.node = child
			p.add(child, 1)
		} else {
			p.leave(uint32(region), 1)
		}
	})
	return p
}

// depthOf returns the number of calls on a stack.
func (p *place) depthOf() (n uint64) {
	for _, f := range p.stack {
		n += uint64(f.count)
	}
	return n
}

func trimmed(counts []uint64) []uint64 {
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	return counts
}

// drawShapes draws a graph of shapes.
func drawShapes(f *rapid.T) *drawn {
	d := newDrawn(3)
	d.add(0, d.enter(0, 1), d.leave(0, 1))
	d.add(0, d.enter(1, 1), d.leave(1, 1))
	region := rapid.IntRange(0, 2)
	one := func(count uint32) shape.Edge {
		first := uint32(d.Leaves())
		if rapid.IntRange(0, 15).Draw(f, "leaf") == 0 {
			first = 0
		}
		return shape.Edge{Shape: rapid.Uint32Range(first, uint32(d.Len()-1)).Draw(f, "shape"), Count: count}
	}
	for range rapid.IntRange(1, 5).Draw(f, "shapes") {
		any := func() (edges []shape.Edge) {
			for range rapid.IntRange(0, 2).Draw(f, "edges") {
				edges = append(edges, one(rapid.Uint32Range(1, 3).Draw(f, "count")))
			}
			return edges
		}
		if rapid.IntRange(0, 9).Draw(f, "any shape") == 0 {
			d.add(0, append(any(), d.leave(region.Draw(f, "leave"), 1))...)
			continue
		}
		var around []shape.Edge // enters on the way in
		for range rapid.IntRange(1, 3).Draw(f, "calls") {
			around = append(around, d.enter(region.Draw(f, "enter"), rapid.IntRange(1, 2).Draw(f, "times")))
		}
		edges := append(slices.Clone(around), any()...)
		hole := 0
		if rapid.Bool().Draw(f, "recursion") {
			hole = len(edges)
			edges = append(edges, one(1))
		}
		edges = append(edges, any()...)
		slices.Reverse(around)
		for _, e := range around {
			edges = append(edges, shape.Edge{Shape: e.Shape + 1, Count: e.Count})
		}
		d.add(hole, edges...)
	}
	return d
}

// Shapes are counted as their leaves are, whatever recursions of several calls, repeated enters and cut calls they have.
func TestEvaluation(t *testing.T) {
	closedShapes, rounds := 0, 0
	rapid.Check(t, func(f *rapid.T) {
		d := drawShapes(f)
		tokens := []shape.Token{{Shape: shape.ID(d.Len() - 1), Count: rapid.Uint32Range(1, 7).Draw(f, "count")}}
		events := 0
		d.expand([]shape.Edge{{Shape: tokens[0].Shape, Count: 1}}, func(shape.ID) { events++ })
		if events > 5000 {
			return
		}
		tokens = append([]shape.Token{d.enter(0, 2)}, tokens...)
		tree, got := d.evaluate(tokens, rapid.IntRange(1, 8).Draw(f, "depth"))
		want := d.naive(tree, tokens)
		if !slices.Equal(trimmed(got.counts), trimmed(want.counts)) || got.node != want.node || got.depthOf() != want.depthOf() {
			f.Fatalf("%v of %+v:\ngot  %v at %d\nwant %v at %d", tokens, d, trimmed(got.counts), got.node, trimmed(want.counts), want.node)
		}
		for _, k := range newGraph(newSteps(tree.names), d).kinds {
			closedShapes += int(b2i(k == closed))
			rounds += int(b2i(k == closedRecursion))
		}
	})
	if closedShapes < 30 || rounds < 10 {
		t.Errorf("only %d closed shapes and %d closed recursions: this tests little", closedShapes, rounds)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// What stands for more calls than any memory holds takes no longer than its shapes, and numbers saturate.
func TestHostileShapes(t *testing.T) {
	d := newDrawn(3)
	call := d.add(0, d.enter(1, 1), d.leave(1, 1))
	doubled := call
	for range 60 {
		doubled = d.add(0, shape.Edge{Shape: doubled, Count: 2})
	}
	outer := d.add(0, d.enter(0, 1), shape.Edge{Shape: doubled, Count: 1}, d.leave(0, 1))
	tree, p := d.evaluate([]shape.Token{{Shape: outer, Count: 3}}, 64)
	if len(tree.nodes) != 3 || p.counts[1] != 3 || p.counts[2] != 3<<60 {
		t.Errorf("%d nodes with %v calls", len(tree.nodes)-1, p.counts)
	}
	if _, p = d.evaluate([]shape.Token{{Shape: outer, Count: 1 << 31}}, 64); p.counts[1] != 1<<31 || p.counts[2] != math.MaxUint64 {
		t.Errorf("calls do not saturate: %v", p.counts)
	}

	// A calls B calls A and so on, four thousand million levels deep, with a call of C before each A.
	d = newDrawn(3)
	call = d.add(0, d.enter(2, 1), d.leave(2, 1))
	mutual := d.add(3, shape.Edge{Shape: call, Count: 1}, d.enter(0, 1), d.enter(1, 1), shape.Edge{Shape: call, Count: 1}, d.leave(1, 1), d.leave(0, 1))
	const deep = 4_000_000_000
	tree, p = d.evaluate([]shape.Token{{Shape: mutual, Count: deep}}, 10)
	sums := map[Name]uint64{}
	for n := 1; n < len(tree.nodes); n++ {
		sums[tree.nodes[n].name] = shape.Plus(sums[tree.nodes[n].name], p.counts[n])
	}
	name := func(region uint64) Name { return tree.names.Of(region) }
	if sums[name(0)] != deep || sums[name(1)] != deep || sums[name(2)] != deep+1 || len(tree.nodes) > 20 {
		t.Errorf("%d nodes with calls %v", len(tree.nodes), sums)
	}

	// So are repeated enters of one region.
	tree, p = d.evaluate([]shape.Token{d.enter(0, deep), d.leave(0, deep-1)}, 10)
	if len(tree.nodes) != 11 || p.counts[10] != deep-9 || p.depthOf() != 1 || p.node != 1 {
		t.Errorf("%d nodes with calls %v, %d open at %d", len(tree.nodes), p.counts, p.depthOf(), p.node)
	}
}

// A shape that has twice as many paths as the one below it is refused, within its memory.
func TestTooManyPaths(t *testing.T) {
	d := newDrawn(80)
	id := d.add(0, d.enter(0, 1), d.leave(0, 1))
	for i := 1; i < 79; i++ {
		inside := shape.Edge{Shape: id, Count: 1}
		id = d.add(0, d.enter(i, 1), inside, d.leave(i, 1), d.enter(i+1, 1), inside, d.leave(i+1, 1))
	}
	s := newSteps(NewNames(trace.NewDefinitions(nil)))
	tree := newTree(s.names, 64, 1<<20)
	e := newEvaluation(tree, newGraph(s, d))
	e.follow(&place{}, []shape.Token{{Shape: id, Count: 1}})
	if e.count() || len(tree.nodes)*nodeBytes > 1<<21 {
		t.Errorf("%d nodes, and the tree is not full", len(tree.nodes))
	}
}
