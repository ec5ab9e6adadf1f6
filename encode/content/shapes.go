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

// First returns the hash of the first n symbols of edges or tokens, all if they have fewer. It goes down the shapes in which the n-th symbol
// lies, and expands nothing.
func (s *Shapes) First(n uint64, edges ...shape.Edge) (sum Hash) {
	for {
		i := 0
		for ; i < len(edges); i++ {
			h := s.edge(edges[i])
			if h.N > n {
				break
			}
			sum, n = sum.Then(h), n-h.N
		}
		if i == len(edges) || n == 0 {
			return sum
		}
		var head Hash
		head, edges = s.into(edges[i], n)
		sum, n = sum.Then(head), n-head.N
	}
}

// into divides an edge with more than n symbols: into what comes before the repetition that the n-th symbol is in, and the edges of that.
func (s *Shapes) into(e shape.Edge, n uint64) (head Hash, edges []shape.Edge) {
	before, core, after, ok := s.view.Recursion(e.Shape)
	if !ok {
		h := s.hashes[e.Shape]
		return h.Times(n / h.N), s.view.Edges(e.Shape)
	}
	l, count := &s.around[s.levels[e.Shape]-1], uint64(e.Count)
	if down := l.before.Times(count); n < down.N {
		return l.before.Times(n / l.before.N), before
	} else if head, n = down, n-down.N; n < s.hashes[e.Shape].N {
		return head, []shape.Edge{{Shape: core, Count: 1}}
	}
	head, n = head.Then(s.hashes[e.Shape]), n-s.hashes[e.Shape].N
	return head.Then(l.after.Times(n / l.after.N)), after
}

// Leaf returns the hash of an event, by the number of its leaf.
func (s *Shapes) Leaf(leaf uint32) Hash { return s.hashes[s.view.LeafID(leaf)] }
