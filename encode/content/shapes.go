package content

import "github.com/pandotrace/pando/encode/shape"

// Shapes has the hashes of the shapes of a dictionary, each of which is made once. It is not safe for concurrent use.
type Shapes struct {
	view   *shape.View
	symbol func(*shape.Leaf) Hash
	hashes []Hash   // by shape; of a recursion, that of its core
	levels []uint32 // by shape: of a recursion, the number of its level and 1; else 0
	around []level
}

// level is what a level of a recursion has around the next one.
type level struct{ before, after Hash }

// NewShapes returns the hashes of the shapes of a view. What a leaf is in the string, symbol says: events that are no part of it are the
// empty string.
func NewShapes(v *shape.View, symbol func(*shape.Leaf) Hash) *Shapes {
	s := &Shapes{view: v, symbol: symbol}
	s.Grow()
	return s
}

// Grow adds the shapes that the dictionary has gained.
func (s *Shapes) Grow() {
	for id := shape.ID(len(s.hashes)); int(id) < s.view.Len(); id++ {
		number := uint32(0)
		var h Hash
		if leaf, ok := s.view.Leaf(id); ok {
			h = s.symbol(&leaf)
		} else if before, core, after, ok := s.view.Recursion(id); ok {
			h = s.Of(shape.Edge{Shape: core, Count: 1})
			s.around = append(s.around, level{s.Of(before...), s.Of(after...)})
			number = uint32(len(s.around))
		} else {
			h = s.Of(s.view.Edges(id)...)
		}
		s.hashes, s.levels = append(s.hashes, h), append(s.levels, number)
	}
}

// Of returns the hash of edges or tokens.
func (s *Shapes) Of(edges ...shape.Edge) (all Hash) {
	for _, e := range edges {
		all = all.Then(s.edge(e))
	}
	return all
}

func (s *Shapes) edge(e shape.Edge) Hash {
	h, n := s.hashes[e.Shape], uint64(e.Count)
	if number := s.levels[e.Shape]; number > 0 {
		l := &s.around[number-1]
		return l.before.Times(n).Then(h).Then(l.after.Times(n))
	}
	if n == 1 {
		return h
	}
	return h.Times(n)
}

// Leaf returns the hash of an event, by the number of its leaf.
func (s *Shapes) Leaf(leaf uint32) Hash { return s.hashes[s.view.LeafID(leaf)] }

// View returns the view that the shapes are of.
func (s *Shapes) View() *shape.View { return s.view }
