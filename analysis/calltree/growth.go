package calltree

import (
	"context"

	"github.com/pandotrace/pando/encode/shape"
)

type edge = shape.Edge

// growth adds the calls of the shapes of a view to a forest. What a closed shape has is found once, however often it stands: for each number
// of levels, where these are fewer than the shape has.
type growth struct {
	*graph
	forest *Forest
	names  func(Name) Name // of a trace to the forest
	budget *budget

	closed  []*content // by shape; nil where it is not known
	others  map[levelled]*content
	heights []int32    // by shape, if levels are limited: those of closed shapes, allLevels for others
	wanted  []levelled // memory of prepare
	scratch *rising    // memory of find
	missing []levelled // what a dry run did not find
	kept    int64      // bytes of contents
}

// levelled is a closed shape of which only some levels of calls count.
type levelled struct {
	edge
	left int32
}

// budget is what reading structure may take. It ends with the context.
type budget struct {
	ctx    context.Context
	forest *Forest
	memory int64 // in all
	kept   int64 // contents of shapes
	steps  int
}

// checkedSteps is after how many steps a budget is looked at.
const checkedSteps = 1 << 10

// step counts a step of a location, and reports an error where the budget is used up.
func (b *budget) step(p *rising) error {
	if b.steps++; b.steps%checkedSteps != 0 {
		return nil
	}
	if b.forest.Memory()+b.kept+p.memory() > b.memory {
		return &MemoryError{b.memory}
	}
	return b.ctx.Err()
}

func newGrowth(g *graph, f *Forest, names func(Name) Name, b *budget) *growth {
	return &growth{graph: g, forest: f, names: names, budget: b, scratch: newRising(allLevels), closed: make([]*content, g.view.Len()), others: map[levelled]*content{}}
}

// follow follows the tokens of a location.
func (g *growth) follow(p *rising, tokens []shape.Token) error {
	for x := range g.tokens(tokens) {
		if err := g.prepare(x, p.left()); err != nil {
			return err
		}
		if err := g.edge(p, x); err != nil {
			return err
		}
	}
	return nil
}

// edge follows an edge that is no open shape. What the shapes have is known.
func (g *growth) edge(p *rising, x edge) error {
	switch g.kinds[x.Shape] {
	case leafShape:
		return g.leaf(p, &g.leaves[g.number[x.Shape]], x.Count)
	case closed, closedRecursion:
		if left := p.left(); left > 0 {
			g.closedShape(p, x, left)
		}
	}
	return g.budget.step(p)
}

// closedShape appends what a closed shape has. A dry run finds out whether that is known.
func (g *growth) closedShape(p *rising, x edge, left int32) {
	l := g.levelled(x, left)
	c := g.known(l)
	switch {
	case p.dry && c == nil:
		g.missing = append(g.missing, l)
	case p.dry:
	case g.kinds[x.Shape] == closed:
		g.forest.appendTimes(p.top(), c, uint64(x.Count))
	default:
		g.forest.append(p.top(), c)
	}
}

// levelled returns an edge to a closed shape as what is found once.
func (g *growth) levelled(x edge, left int32) levelled {
	if g.kinds[x.Shape] == closed {
		x.Count = 1
	}
	if left < allLevels && left >= g.height(x.Shape) {
		left = allLevels
	}
	return levelled{x, left}
}

// known returns what a closed shape has, nil if that is not known yet.
func (g *growth) known(l levelled) *content {
	if l.left == allLevels && g.kinds[l.Shape] == closed {
		return g.closed[l.Shape]
	}
	return g.others[l]
}

func (g *growth) edges(p *rising, edges []edge) error {
	for _, x := range edges {
		if err := g.edge(p, x); err != nil {
			return err
		}
	}
	return nil
}

// leaf follows a number of equal events.
func (g *growth) leaf(p *rising, s *step, count uint32) error {
	switch s.class {
	case point:
		return nil
	case instant:
		p.instant(g.forest, g.names(s.name), uint64(count))
		return g.budget.step(p)
	}
	for range count {
		if s.class == enter {
			p.enter(s.key, g.names(s.name))
		} else if !p.leave(g.forest, s.key) {
			return nil
		}
		if err := g.budget.step(p); err != nil {
			return err
		}
	}
	return nil
}

// prepare finds out what a shape has. Shapes inside of it come first, on a stack that is not that of the program: they may be nested deeply.
func (g *growth) prepare(x edge, left int32) error {
	g.wanted = g.want(g.wanted[:0], x, left)
	for len(g.wanted) > 0 {
		n := len(g.wanted)
		l := g.wanted[n-1]
		if g.known(l) != nil {
			g.wanted = g.wanted[:n-1]
			continue
		}
		if err := g.wantInside(l); err != nil {
			return err
		}
		if len(g.wanted) > n {
			continue
		}
		g.wanted = g.wanted[:n-1]
		if err := g.find(l); err != nil {
			return err
		}
	}
	return nil
}

// want appends an edge to a closed shape whose content has to be found.
func (g *growth) want(to []levelled, x edge, left int32) []levelled {
	if k := g.kinds[x.Shape]; k != closed && k != closedRecursion || left == 0 {
		return to
	}
	if l := g.levelled(x, left); g.known(l) == nil {
		return append(to, l)
	}
	return to
}

// wantInside wants what is inside of a shape. Where levels are limited, it depends on the place how many are left.
func (g *growth) wantInside(l levelled) error {
	if l.left == allLevels {
		for _, in := range g.view.Edges(l.Shape) {
			g.wanted = g.want(g.wanted, in, allLevels)
		}
		return nil
	}
	p := newRising(l.left)
	p.dry, g.missing = true, g.missing[:0]
	err := g.inside(p, l.edge)
	g.wanted = append(g.wanted, g.missing...)
	return err
}

// find finds what an edge to a shape has, when what is inside of the shape is known.
func (g *growth) find(l levelled) error {
	p := g.scratch
	p.reset(l.left)
	if err := g.inside(p, l.edge); err != nil {
		return err
	}
	c := p.taken()
	if l.left == allLevels && g.kinds[l.Shape] == closed {
		g.closed[l.Shape] = c
	} else {
		g.others[l] = c
	}
	n := c.memory()
	g.kept, g.budget.kept = g.kept+n, g.budget.kept+n
	return nil
}

// inside follows what is inside of a closed shape.
func (g *growth) inside(p *rising, x edge) error {
	before, core, after, ok := g.view.Recursion(x.Shape)
	if !ok {
		return g.edges(p, g.view.Edges(x.Shape))
	}
	for range x.Count {
		if err := g.edges(p, before); err != nil {
			return err
		}
	}
	if err := g.edge(p, edge{Shape: core, Count: 1}); err != nil {
		return err
	}
	for range x.Count {
		if err := g.edges(p, after); err != nil {
			return err
		}
	}
	return nil
}

// drop gives back what the contents take of the budget.
func (g *growth) drop() { g.budget.kept -= g.kept }
