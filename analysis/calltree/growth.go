package calltree

import (
	"context"

	"github.com/pandotrace/pando/encode/shape"
)

type edge = shape.Edge

// growth adds the calls of the shapes of a view to a forest. What a closed shape has is found once, however often it stands.
type growth struct {
	*graph
	forest *Forest
	names  func(Name) Name // of a trace to the forest
	budget *budget

	closed     []*content // by shape; nil where it is not known
	recursions map[edge]*content
	wanted     []edge // memory of prepare
	kept       int64  // bytes of contents
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
	return &growth{graph: g, forest: f, names: names, budget: b, closed: make([]*content, g.view.Len()), recursions: map[edge]*content{}}
}

// follow follows the tokens of a location.
func (g *growth) follow(p *rising, tokens []shape.Token) error {
	for x := range g.tokens(tokens) {
		if err := g.prepare(x); err != nil {
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
	case closed:
		g.forest.appendTimes(p.top(), g.closed[x.Shape], uint64(x.Count))
	default:
		g.forest.append(p.top(), g.recursions[x])
	}
	return g.budget.step(p)
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
	if s.class == point {
		return nil
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
func (g *growth) prepare(x edge) error {
	g.wanted = g.want(g.wanted[:0], x)
	for len(g.wanted) > 0 {
		n := len(g.wanted)
		x := g.wanted[n-1]
		for _, in := range g.view.Edges(x.Shape) {
			g.wanted = g.want(g.wanted, in)
		}
		if len(g.wanted) > n {
			continue
		}
		g.wanted = g.wanted[:n-1]
		if err := g.find(x); err != nil {
			return err
		}
	}
	return nil
}

// want appends an edge to a shape whose content has to be found.
func (g *growth) want(to []edge, x edge) []edge {
	switch g.kinds[x.Shape] {
	case closed:
		if g.closed[x.Shape] == nil {
			return append(to, edge{Shape: x.Shape, Count: 1})
		}
	case closedRecursion:
		if g.recursions[x] == nil {
			return append(to, x)
		}
	}
	return to
}

// find finds what an edge to a shape has, when what is inside of the shape is known.
func (g *growth) find(x edge) error {
	p := newRising()
	if before, core, after, ok := g.view.Recursion(x.Shape); ok {
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
		g.recursions[x] = p.taken()
	} else {
		if err := g.edges(p, g.view.Edges(x.Shape)); err != nil {
			return err
		}
		g.closed[x.Shape] = p.taken()
	}
	n := p.top().memory()
	g.kept, g.budget.kept = g.kept+n, g.budget.kept+n
	return nil
}

// drop gives back what the contents take of the budget.
func (g *growth) drop() { g.budget.kept -= g.kept }
