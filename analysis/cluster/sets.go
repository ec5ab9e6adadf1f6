package cluster

import (
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
)

// sets are sets of numbers, each of which is there once: a list in rising order. 0 is the empty set.
type sets struct {
	lists  *lists
	unions results
	merged []uint32 // memory of union
}

func newSets() *sets { return &sets{lists: newLists()} }

// union returns the union of two sets.
func (s *sets) union(a, b uint32) uint32 {
	if a == b || b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	key := pairOf(min(a, b), max(a, b))
	u := s.unions.slot(key)
	if u.key != key {
		*u = result{key, s.merge(s.lists.at(a), s.lists.at(b))}
	}
	return u.value
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

func (s *sets) memory() int64 { return s.lists.memory() + s.unions.memory() }

// pairs are sets of pairs of a caller and what it calls. Calls that are in no other, so far, are called by the empty name.
type pairs struct {
	*sets
	numbers map[uint64]uint32 // of pairs
	list    []pair            // by number
	calls   results           // by name and set
}

type pair struct{ caller, callee calltree.Name }

// outside is the caller of what no call is around: the name of locations in a forest.
const outside calltree.Name = 0

func newPairs() *pairs {
	return &pairs{sets: newSets(), numbers: map[uint64]uint32{}}
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
	c := p.calls.slot(key)
	if c.key == key {
		return c.value
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
	*c = result{key, p.lists.of(slices.Compact(m))}
	return c.value
}

// callees returns what is called in a set: the names of regions, in rising order.
func (p *pairs) callees(set uint32) (names []uint32) {
	for _, n := range p.lists.at(set) {
		names = append(names, uint32(p.list[n].callee))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (p *pairs) memory() int64 {
	return p.sets.memory() + p.calls.memory() + entryBytes*int64(len(p.numbers)) + 8*int64(len(p.list))
}
