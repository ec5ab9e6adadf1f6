package calltree

import (
	"iter"

	"github.com/pandotrace/pando/encode/shape"
)

// shapes are what is asked of a [shape.View].
type shapes interface {
	Len() int
	Leaves() int
	LeafID(leaf uint32) shape.ID
	Leaf(id shape.ID) (shape.Leaf, bool)
	Edges(id shape.ID) []shape.Edge
	Recursion(id shape.ID) (before []shape.Edge, core shape.ID, after []shape.Edge, ok bool)
}

// graph is what a view of shapes means to call paths.
type graph struct {
	view   shapes
	leaves []step
	kinds  []shapeKind
	number []uint32 // by shape: that of its leaf
}

type shapeKind uint8

const (
	// leafShape is one event.
	leafShape shapeKind = iota
	// closed shapes leave each call that they enter and no other: wherever one stands, the stack is the same before and after.
	closed
	// closedRecursion is a recursion that is closed at each depth.
	closedRecursion
	// open shapes are all others: their meaning depends on the stack. Calls that slices cut are such.
	open
	openRecursion
)

func newGraph(s *steps, v shapes) *graph {
	g := &graph{view: v, leaves: s.leaves(v), kinds: make([]shapeKind, v.Len()), number: make([]uint32, v.Len())}
	isLeaf := make([]bool, v.Len())
	for i := range g.leaves {
		id := v.LeafID(uint32(i))
		g.number[id], isLeaf[id] = uint32(i), true
	}
	var stack []frame
	for id := range g.kinds {
		if !isLeaf[id] {
			g.kinds[id], stack = g.kindOf(shape.ID(id), stack)
		}
	}
	return g
}

// kindOf finds out whether a shape is closed, when those of smaller numbers are known. The stack is memory.
func (g *graph) kindOf(id shape.ID, stack []frame) (shapeKind, []frame) {
	p := place{stack: stack[:0]}
	ok := true
	for _, e := range g.view.Edges(id) {
		if ok = g.keepsClosed(&p, e); !ok {
			break
		}
	}
	ok = ok && len(p.stack) == 0
	_, core, _, recursion := g.view.Recursion(id)
	if ok && recursion { // at any depth there is one core
		p.stack = p.stack[:0]
		ok = g.keepsClosed(&p, shape.Edge{Shape: core, Count: 1}) && len(p.stack) == 0
	}
	switch {
	case ok && recursion:
		return closedRecursion, p.stack
	case ok:
		return closed, p.stack
	case recursion:
		return openRecursion, p.stack
	}
	return open, p.stack
}

// keepsClosed follows an edge on a stack of what a shape has entered. It reports false if what it does depends on what is around the shape.
func (g *graph) keepsClosed(p *place, e shape.Edge) bool {
	if g.kinds[e.Shape] != leafShape {
		return g.kinds[e.Shape] == closed || g.kinds[e.Shape] == closedRecursion
	}
	s := &g.leaves[g.number[e.Shape]]
	switch s.class {
	case enter:
		p.stack = append(p.stack, frame{key: s.key, count: e.Count})
	case leave:
		return p.leave(s.key, e.Count) == 0
	}
	return true
}

// tokens yields the edges of tokens that are no open shapes. Open ones are followed edge by edge: they are what slices cut, and have as few
// events as a slice.
func (g *graph) tokens(tokens []shape.Token) iter.Seq[shape.Edge] {
	return func(yield func(shape.Edge) bool) {
		var few [8]repeated
		stack := append(few[:0], repeated{tokens, tokens, 1})
		for len(stack) > 0 {
			r := &stack[len(stack)-1]
			if len(r.rest) == 0 {
				if r.count--; r.count == 0 {
					stack = stack[:len(stack)-1]
				} else {
					r.rest = r.all
				}
				continue
			}
			x := r.rest[0]
			r.rest = r.rest[1:]
			switch g.kinds[x.Shape] {
			case open:
				edges := g.view.Edges(x.Shape)
				stack = append(stack, repeated{edges, edges, x.Count})
			case openRecursion:
				before, core, after, _ := g.view.Recursion(x.Shape)
				inner := []shape.Edge{{Shape: core, Count: 1}}
				stack = append(stack, repeated{after, after, x.Count}, repeated{inner, inner, 1}, repeated{before, before, x.Count})
			default:
				if !yield(x) {
					return
				}
			}
		}
	}
}

// repeated is edges that stand a number of times, and what is left of them this time.
type repeated struct {
	all, rest []shape.Edge
	count     uint32
}
