package calltree

import (
	"iter"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store"
)

// Shapes say what the shapes of a view do to calls. A closed shape leaves each call that it enters and no other: what it has does not depend
// on where it stands, so that it can be found once.
type Shapes struct {
	graph *graph
}

// Shapes returns what the shapes of a view do to calls.
func (e *Events) Shapes(v *shape.View) *Shapes { return &Shapes{newGraph(e.steps, v)} }

// Leaf returns the number of a shape among the leaves, as [Events.Of] lists them; ok is false if the shape is none.
func (s *Shapes) Leaf(id shape.ID) (number uint32, ok bool) {
	return s.graph.number[id], s.graph.kinds[id] == leafShape
}

// Closed reports whether a shape is closed; a recursion, at each depth.
func (s *Shapes) Closed(id shape.ID) bool {
	return s.graph.kinds[id] == closed || s.graph.kinds[id] == closedRecursion
}

// Tokens yields the edges to leaves and to closed shapes that tokens are made of, in order. Shapes that are not closed are those that slices
// cut: they have as few events as a slice.
func (s *Shapes) Tokens(tokens []shape.Token) iter.Seq[shape.Edge] { return s.graph.tokens(tokens) }

// Follow gives the structure of the slices that lie in a window to one function, and the events of those that the window cuts to another one.
// Locations get theirs in order. It ends with the first error.
func Follow(r *store.Reader, w *store.Window, structure func(*store.LaneStructure) error, events func(*store.TimeRun) error) error {
	x := newExtent(r, w)
	return x.follow(structure, events)
}
