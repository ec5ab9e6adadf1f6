package cluster

import (
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// contexts are sets of call paths, as trees: the list of a set has the name of a call and the set of what is inside of it, for each name in
// rising order. Equal trees are one, so that sets that have much in common take little more than one of them.
type contexts struct {
	lists  *lists
	unions map[uint64]uint32
	depths []uint32   // by set: levels
	paths  []uint64   // by set: how many it has; saturating
	levels [][]uint32 // memory of join
	deep   bool       // a set had too many levels, and was given up
}

// deepest is the number of levels that call paths may have: sets are joined by going down level by level.
const deepest = 10000

// mostUnions is how many unions are remembered. They are more than those of other sets: trees share parts, which are to be joined once.
const mostUnions = 1 << 19

func newContexts() *contexts {
	return &contexts{lists: newLists(), unions: map[uint64]uint32{}, depths: []uint32{0}, paths: []uint64{0}}
}

// of returns the set of a list.
func (c *contexts) of(list []uint32) uint32 {
	n := c.lists.of(list)
	if int(n) == len(c.depths) {
		depth, paths := uint32(0), uint64(0)
		for i := 1; i < len(list); i += 2 {
			depth = max(depth, c.depths[list[i]])
			paths = shape.Plus(paths, shape.Plus(1, c.paths[list[i]]))
		}
		c.deep = c.deep || depth >= deepest
		c.depths, c.paths = append(c.depths, depth+1), append(c.paths, paths)
	}
	return n
}

// call returns the paths of a call.
func (c *contexts) call(name calltree.Name, inside uint32) uint32 {
	if c.deep {
		return 0
	}
	return c.of([]uint32{uint32(name), inside})
}

// union returns the union of two sets. That of the same two is made once.
func (c *contexts) union(a, b uint32) uint32 { return c.join(a, b, 0) }

func (c *contexts) join(a, b uint32, level int) uint32 {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	key := pairOf(min(a, b), max(a, b))
	if u, ok := c.unions[key]; ok {
		return u
	}
	for len(c.levels) <= level {
		c.levels = append(c.levels, nil)
	}
	m := c.levels[level][:0]
	x, y := c.lists.at(a), c.lists.at(b)
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			m, x = append(m, x[0], x[1]), x[2:]
		case x[0] > y[0]:
			m, y = append(m, y[0], y[1]), y[2:]
		default:
			m, x, y = append(m, x[0], c.join(x[1], y[1], level+1)), x[2:], y[2:]
		}
	}
	m = append(append(m, x...), y...)
	c.levels[level] = m
	u := c.of(m)
	if len(c.unions) >= mostUnions {
		clear(c.unions)
	}
	c.unions[key] = u
	return u
}

func (c *contexts) memory() int64 {
	return c.lists.memory() + entryBytes*int64(len(c.unions)) + 12*int64(len(c.depths))
}
