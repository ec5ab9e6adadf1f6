package cluster

import (
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// sets are sets of numbers, each of which is there once: a list in rising order. 0 is the empty set.
type sets struct {
	lists  *lists
	unions map[uint64]uint32
	merged []uint32 // memory of union
}

func newSets() *sets { return &sets{lists: newLists(), unions: map[uint64]uint32{}} }

func (s *sets) single(n uint32) uint32 { return s.lists.of([]uint32{n}) }

// union returns the union of two sets. That of the same two is made once.
func (s *sets) union(a, b uint32) uint32 {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	key := pairOf(min(a, b), max(a, b))
	if u, ok := s.unions[key]; ok {
		return u
	}
	u := s.merge(s.lists.at(a), s.lists.at(b))
	remember(s.unions, key, u)
	return u
}

func (s *sets) merge(x, y []uint32) uint32 {
	m := s.merged[:0]
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			m, x = append(m, x[0]), x[1:]
		case x[0] > y[0]:
			m, y = append(m, y[0]), y[1:]
		default:
			m, x, y = append(m, x[0]), x[1:], y[1:]
		}
	}
	m = append(append(m, x...), y...)
	s.merged = m
	return s.lists.of(m)
}

func (s *sets) memory() int64 { return s.lists.memory() + entryBytes*int64(len(s.unions)) }

// functions are sets of regions, by the numbers of their names.
type functions struct{ *sets }

// call returns the regions of a call, which has others inside of it.
func (f functions) call(name calltree.Name, inside uint32) uint32 {
	return f.union(inside, f.single(uint32(name)))
}

// pairs are sets of pairs of a caller and what it calls. Calls that are in no other, so far, are called by the empty name.
type pairs struct {
	*sets
	numbers map[uint64]uint32 // of pairs
	list    []pair            // by number
	calls   map[uint64]uint32 // by name and set
}

type pair struct{ caller, callee calltree.Name }

// outside is the caller of what no call is around: the name of locations in a forest.
const outside calltree.Name = 0

func newPairs() *pairs {
	return &pairs{sets: newSets(), numbers: map[uint64]uint32{}, calls: map[uint64]uint32{}}
}

func (p *pairs) number(x pair) uint32 {
	key := pairOf(uint32(x.caller), uint32(x.callee))
	n, ok := p.numbers[key]
	if !ok {
		n = uint32(len(p.list))
		p.numbers[key] = n
		p.list = append(p.list, x)
	}
	return n
}

// call returns the pairs of a call: what had no caller inside of it has this one.
func (p *pairs) call(name calltree.Name, inside uint32) uint32 {
	key := pairOf(uint32(name), inside)
	if c, ok := p.calls[key]; ok {
		return c
	}
	m := append(p.merged[:0], p.number(pair{outside, name}))
	for _, n := range p.lists.at(inside) {
		if x := p.list[n]; x.caller == outside {
			n = p.number(pair{name, x.callee})
		}
		m = append(m, n)
	}
	slices.Sort(m)
	p.merged = m
	c := p.lists.of(slices.Compact(m))
	remember(p.calls, key, c)
	return c
}

func (p *pairs) memory() int64 {
	return p.sets.memory() + entryBytes*int64(len(p.numbers)+len(p.calls)) + 8*int64(len(p.list))
}
