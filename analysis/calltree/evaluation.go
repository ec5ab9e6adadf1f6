package calltree

import (
	"math/bits"

	"github.com/pandotrace/pando/encode/shape"
)

// evaluation counts the calls of the shapes of a view. The closed shapes of tokens are gathered, location by location; then each pair of a
// shape and a node at which it stands is taken apart once, the largest shapes first, so that all that contain a shape come before it.
type evaluation struct {
	*graph
	tree   *tree
	to     *place
	roots  map[*place]map[item]uint64
	agenda agenda
	local  place // stack within a shape
	levels []uint32
	seen   map[uint32]int // node to index in levels
	full   bool           // the tree is
}

// item is a closed shape at a node. depth is that of a recursion, 0 for other shapes.
type item struct{ shape, node, depth uint32 }

// mostRoots is how many items may be gathered before they are counted.
const mostRoots = 1 << 20

func newEvaluation(t *tree, g *graph) *evaluation {
	e := &evaluation{graph: g, tree: t, roots: map[*place]map[item]uint64{}, seen: map[uint32]int{}}
	e.agenda = agenda{heads: make([]int32, g.view.Len()), waiting: make([]uint64, (g.view.Len()+63)/64), at: map[item]int32{}}
	return e
}

// follow follows the tokens of a location, until the tree is full.
func (e *evaluation) follow(p *place, tokens []shape.Token) {
	roots := e.roots[p]
	if roots == nil {
		roots = map[item]uint64{}
		e.roots[p] = roots
	}
	gather := func(i item, n uint64) { roots[i] = shape.Plus(roots[i], n) }
	e.to = p
	for x := range e.tokens(tokens) {
		if e.edge(p, x, 1, gather); e.full {
			break
		}
	}
	if len(roots) > mostRoots {
		e.count()
	}
}

// edge follows an edge that is no open shape, which stands n times. A closed shape is given to found: it does not move the place.
func (e *evaluation) edge(p *place, x shape.Edge, n uint64, found func(item, uint64)) {
	switch e.kinds[x.Shape] {
	case closed:
		found(item{x.Shape, p.node, 0}, shape.Times(n, uint64(x.Count)))
	case closedRecursion:
		found(item{x.Shape, p.node, x.Count}, n)
	case leafShape:
		switch s := &e.leaves[e.number[x.Shape]]; s.class {
		case enter:
			e.enter(p, s, x.Count, n)
		case leave:
			p.leave(s.key, x.Count)
		}
	}
}

// enter enters calls of a region inside of each other, all of it n times.
func (e *evaluation) enter(p *place, s *step, calls uint32, n uint64) {
	for calls > 0 {
		child, full := e.tree.child(p.node, s.name)
		if full {
			e.full = true
			return
		}
		depth := uint32(1)
		if child == p.node {
			depth = calls // all others are folded into it
		}
		p.stack = append(p.stack, frame{p.node, s.key, depth})
		p.node = child
		e.to.add(child, shape.Times(n, uint64(depth)*s.calls))
		calls -= depth
	}
}

// count adds up what was gathered, and forgets it. It reports false if the tree is full.
func (e *evaluation) count() bool {
	for p, roots := range e.roots {
		e.to = p
		for i, n := range roots {
			e.agenda.push(i, n)
		}
		for !e.full {
			i, n, ok := e.agenda.pop()
			if !ok {
				break
			}
			if i.depth > 0 {
				e.recursion(i, n)
			} else {
				e.local = place{node: i.node, stack: e.local.stack[:0]}
				e.edges(e.view.Edges(i.shape), n)
			}
		}
	}
	clear(e.roots)
	return !e.full
}

// edges follows edges on the local stack.
func (e *evaluation) edges(edges []shape.Edge, n uint64) {
	for _, x := range edges {
		e.edge(&e.local, x, n, e.agenda.push)
	}
}

// recursion counts a recursion that stands n times. Where levels are folded, their nodes go round in a cycle: each is taken apart once, for
// all levels that lie at it.
func (e *evaluation) recursion(i item, n uint64) {
	before, core, after, _ := e.view.Recursion(i.shape)
	begin, inside := e.findLevels(before, i)
	round := uint32(len(e.levels) - begin)
	for level, node := range e.levels {
		often := uint64(1)
		if level >= begin {
			often = uint64((i.depth-1-uint32(level))/round) + 1
		}
		e.local = place{node: node, stack: e.local.stack[:0]}
		e.edges(before, shape.Times(n, often))
		e.edges(after, shape.Times(n, often))
	}
	e.local = place{node: inside, stack: e.local.stack[:0]}
	e.edges([]shape.Edge{{Shape: core, Count: 1}}, n)
}

// findLevels finds the different nodes at which the levels of a recursion begin, and the one at which its core stands. From the level begin on
// they go round; if they do not, begin is their number less one.
func (e *evaluation) findLevels(before []shape.Edge, i item) (begin int, inside uint32) {
	clear(e.seen)
	e.levels = e.levels[:0]
	node := i.node
	for uint32(len(e.levels)) < i.depth && !e.full {
		if at, ok := e.seen[node]; ok {
			round := uint32(len(e.levels) - at)
			return at, e.levels[uint32(at)+(i.depth-uint32(at))%round]
		}
		e.seen[node] = len(e.levels)
		e.levels = append(e.levels, node)
		e.local = place{node: node, stack: e.local.stack[:0]}
		e.move(before)
		node = e.local.node
	}
	return len(e.levels) - 1, node
}

// move follows edges on the local stack and counts nothing.
func (e *evaluation) move(edges []shape.Edge) {
	for _, x := range edges {
		if e.kinds[x.Shape] == leafShape {
			e.edge(&e.local, x, 0, nil)
		}
	}
}

// agenda holds items with how often they stand, the largest shape first.
type agenda struct {
	heads   []int32  // by shape: 1 more than the place of its first item
	waiting []uint64 // a bit for each shape that has items
	top     int      // no word of waiting behind it has bits
	items   []waitingItem
	at      map[item]int32
}

type waitingItem struct {
	item
	times uint64
	next  int32 // 1 more than the place of the next item of the shape
}

func (a *agenda) push(i item, n uint64) {
	if at, ok := a.at[i]; ok {
		a.items[at].times = shape.Plus(a.items[at].times, n)
		return
	}
	at := int32(len(a.items))
	a.at[i] = at
	a.items = append(a.items, waitingItem{i, n, a.heads[i.shape]})
	a.heads[i.shape] = at + 1
	word := int(i.shape / 64)
	a.waiting[word] |= 1 << (i.shape % 64)
	a.top = max(a.top, word)
}

// pop returns an item of the largest shape. An item that was pushed when a larger shape had one has all that it will have.
func (a *agenda) pop() (i item, n uint64, ok bool) {
	for a.top > 0 && a.waiting[a.top] == 0 {
		a.top--
	}
	if len(a.waiting) == 0 || a.waiting[a.top] == 0 {
		clear(a.at)
		a.items = a.items[:0]
		return item{}, 0, false
	}
	id := a.top*64 + 63 - bits.LeadingZeros64(a.waiting[a.top])
	w := &a.items[a.heads[id]-1]
	if a.heads[id] = w.next; w.next == 0 {
		a.waiting[id/64] &^= 1 << (id % 64)
	}
	return w.item, w.times, true
}
