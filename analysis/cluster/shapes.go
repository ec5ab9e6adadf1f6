package cluster

import (
	"unsafe"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
)

// shapes is what is known of the shapes of a view: of each closed one it is found once, in the order of their numbers, since edges lead to
// smaller ones. What a location has is then put together of its tokens.
type shapes struct {
	*calltree.Shapes
	know   *knowledge
	budget *budget
	view   *shape.View
	events []calltree.Event // by leaf
	points []content.Hash   // by leaf: of messages, if groups are by these

	traits     []traits             // by shape; none of recursions
	texts      []content.Hash       // by shape; of a recursion, that of its core
	counts     [][]calltree.Surplus // by shape; of a recursion, that of its core
	number     []uint32             // by shape: of a recursion, its number from 1
	recursions []recursion          // by number
	depths     map[shape.Edge]traits
	local      *place
	bytes      int64
}

// recursion is a level of a recursion.
type recursion struct {
	before, after []shape.Edge
	core          shape.ID
	// down and up are the strings before and behind the next level, counts what the level calls.
	down, up content.Hash
	counts   []calltree.Surplus
}

// newShapes finds out what the shapes of a view have.
func newShapes(names *calltree.Events, v *shape.View, points []content.Hash, k *knowledge, b *budget) (*shapes, error) {
	n := v.Len()
	s := &shapes{
		Shapes: names.Shapes(v), know: k, budget: b, view: v, events: names.Of(v), points: points, local: newPlace(),
		traits: make([]traits, n), number: make([]uint32, n), depths: map[shape.Edge]traits{},
	}
	s.bytes = int64(n) * (int64(unsafe.Sizeof(traits{})) + 8)
	if k.by.counted() {
		s.counts = make([][]calltree.Surplus, n)
		s.bytes += int64(n) * 24
	}
	if k.by.hashed() {
		s.texts = make([]content.Hash, n)
		s.bytes += int64(n) * int64(unsafe.Sizeof(content.Hash{}))
	}
	b.used += s.bytes
	for id := range shape.ID(n) {
		if !s.Closed(id) {
			continue
		}
		if err := s.find(id); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// drop gives back what the shapes take of the budget.
func (s *shapes) drop() { s.budget.used -= s.bytes }

// find finds out what a closed shape has.
func (s *shapes) find(id shape.ID) error {
	before, core, after, ok := s.view.Recursion(id)
	if ok {
		return s.findRecursion(id, recursion{before: before, core: core, after: after})
	}
	p := s.local
	p.reset()
	if err := s.edges(p, s.view.Edges(id)); err != nil {
		return err
	}
	s.traits[id] = p.open[0].inside
	s.keep(id, p)
	return nil
}

// keep keeps the string and the counts of a place as those of a shape.
func (s *shapes) keep(id shape.ID, p *place) {
	if s.texts != nil {
		s.texts[id] = p.text
	}
	if s.counts != nil {
		s.counts[id] = s.countsOf(p)
	}
}

// countsOf returns the counts of a place, by rising name.
func (s *shapes) countsOf(p *place) (list []calltree.Surplus) {
	for n, calls := range p.counts {
		if calls > 0 {
			list = append(list, calltree.Surplus{Name: calltree.Name(n), Calls: calls})
		}
	}
	n := int64(cap(list)) * int64(unsafe.Sizeof(calltree.Surplus{}))
	s.bytes += n
	s.budget.used += n
	return list
}

// findRecursion finds out what a level of a recursion and its core have.
func (s *shapes) findRecursion(id shape.ID, r recursion) error {
	p := s.local
	p.reset()
	if err := s.edges(p, r.before); err != nil {
		return err
	}
	r.down, p.text = p.text, content.Hash{}
	if err := s.edges(p, r.after); err != nil {
		return err
	}
	r.up = p.text
	if s.counts != nil {
		r.counts = s.countsOf(p)
	}
	p.reset()
	if err := s.edge(p, shape.Edge{Shape: r.core, Count: 1}); err != nil {
		return err
	}
	s.keep(id, p)
	s.recursions = append(s.recursions, r)
	s.number[id] = uint32(len(s.recursions))
	return nil
}

// follow follows the tokens of a location.
func (s *shapes) follow(p *place, tokens []shape.Token) error {
	for x := range s.Tokens(tokens) {
		if err := s.edge(p, x); err != nil {
			return err
		}
	}
	return nil
}

func (s *shapes) edges(p *place, edges []shape.Edge) error {
	for _, x := range edges {
		if err := s.edge(p, x); err != nil {
			return err
		}
	}
	return nil
}

// edge follows an edge to a leaf or to a closed shape.
func (s *shapes) edge(p *place, x shape.Edge) error {
	if leaf, ok := s.Leaf(x.Shape); ok {
		return s.leaf(p, leaf, x.Count)
	}
	t := s.traits[x.Shape]
	number := s.number[x.Shape]
	if number > 0 {
		var err error
		if t, err = s.atDepth(x, &s.recursions[number-1]); err != nil {
			return err
		}
	}
	p.add(s.know, t)
	if s.texts != nil {
		p.text = p.text.Then(s.text(x, number))
	}
	if s.counts != nil {
		s.count(p, x, number)
	}
	return s.budget.step(p)
}

// text returns the string of an edge.
func (s *shapes) text(x shape.Edge, number uint32) content.Hash {
	h, n := s.texts[x.Shape], uint64(x.Count)
	if number > 0 {
		r := &s.recursions[number-1]
		return r.down.Times(n).Then(h).Then(r.up.Times(n))
	}
	if n == 1 {
		return h
	}
	return h.Times(n)
}

// count counts the calls of an edge.
func (s *shapes) count(p *place, x shape.Edge, number uint32) {
	list, n := s.counts[x.Shape], uint64(x.Count)
	if number > 0 {
		for _, c := range s.recursions[number-1].counts {
			p.count(c.Name, shape.Times(c.Calls, n))
		}
		n = 1
	}
	for _, c := range list {
		p.count(c.Name, shape.Times(c.Calls, n))
	}
}

// leaf follows a number of equal events.
func (s *shapes) leaf(p *place, leaf, count uint32) error {
	e := &s.events[leaf]
	if e.Class == calltree.Other {
		if s.points != nil && s.points[leaf].N > 0 {
			p.text = p.text.Then(s.points[leaf].Times(uint64(count)))
		}
		return nil
	}
	for range count {
		if e.Class == calltree.Enter {
			p.enter(s.know, e.Key, e.Name)
		} else if open, err := p.leave(s.budget, e.Key); err != nil || !open {
			return err
		}
		if err := s.budget.step(p); err != nil {
			return err
		}
	}
	return nil
}

// atDepth returns the traits of a recursion of some depth: from the core outwards, level by level, until a level adds nothing.
func (s *shapes) atDepth(x shape.Edge, r *recursion) (traits, error) {
	if t, ok := s.depths[x]; ok {
		return t, nil
	}
	p := newPlace()
	if err := s.edge(p, shape.Edge{Shape: r.core, Count: 1}); err != nil {
		return traits{}, err
	}
	t := p.open[0].inside
	for range x.Count {
		p.reset()
		if err := s.edges(p, r.before); err != nil {
			return traits{}, err
		}
		p.add(s.know, t)
		if err := s.edges(p, r.after); err != nil {
			return traits{}, err
		}
		if p.open[0].inside == t {
			break
		}
		t = p.open[0].inside
	}
	s.depths[x] = t
	s.bytes += entryBytes
	s.budget.used += entryBytes
	return t, nil
}
