package segment

import (
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// structure is what the candidates are found in.
type structure struct {
	forest    *calltree.Forest
	locations []calltree.Location
	groups    []group
	roots     map[uint64]calltree.Node
}

// expect returns how many calls of a name a location has, at most a number.
func (s *structure) expect(location uint64, name calltree.Name, most int) int {
	at, ok := s.roots[location]
	if !ok {
		return 0
	}
	return int(min(callsOf(s.forest, at, name), uint64(max(most, 0))))
}

// begun returns how many segments of something begin in each call of the forest, by node. Numbers saturate.
func (s *structure) begun(w want) []uint64 {
	f := s.forest
	around := w.name
	var direct []uint64 // by node: calls of the name directly inside
	if w.group != none {
		around = s.groups[w.group].around
		direct = make([]uint64, f.Len())
	}
	list := make([]uint64, f.Len())
	for n := range list { // what is inside of a node has smaller numbers
		node := calltree.Node(n)
		for _, r := range f.Runs(node) {
			list[n] = shape.Plus(list[n], shape.Times(list[r.Node], r.Count))
			if w.group == none {
				continue
			}
			if f.IsGroup(r.Node) {
				direct[n] = shape.Plus(direct[n], shape.Times(direct[r.Node], r.Count))
			} else if f.Name(r.Node) == w.name {
				direct[n] = shape.Plus(direct[n], r.Count)
			}
		}
		if f.IsGroup(node) || f.Name(node) != around {
			continue
		}
		if list[n] = 1; w.group != none {
			list[n] = direct[n]
		}
	}
	return list
}

// inside returns the names of the calls inside of the segments of a candidate.
func (s *structure) inside(c *Candidate) map[calltree.Name]bool {
	names := []calltree.Name{c.name}
	if c.Group {
		names = s.groups[c.group].body
	}
	within := map[calltree.Name]bool{}
	for n := range calltree.Node(s.forest.Len()) {
		if s.forest.IsGroup(n) || !slices.Contains(names, s.forest.Name(n)) {
			continue
		}
		for _, b := range s.forest.Bag(n) {
			if b.Name != s.forest.Name(n) || b.Calls > 1 {
				within[b.Name] = true
			}
		}
	}
	if !c.Group {
		delete(within, c.name)
		return within
	}
	for _, n := range names {
		within[n] = true
	}
	return within
}

// chain returns the candidates from one to the finest one inside of it, each the one that covers most of those that lie in the one before; as
// places in the list, which is in order.
func (s *structure) chain(all []Candidate, from int) (chain []int) {
	for at := from; at >= 0 && !slices.Contains(chain, at); {
		chain = append(chain, at)
		outer := &all[at]
		inside := s.inside(outer)
		at = slices.IndexFunc(all, func(c Candidate) bool { return s.lies(&c, outer, inside) })
	}
	return chain
}

// lies reports whether a candidate lies in another one, of which the calls inside are known.
func (s *structure) lies(c, outer *Candidate, inside map[calltree.Name]bool) bool {
	if !c.Group {
		return inside[c.name]
	}
	around := s.groups[c.group].around
	return inside[around] || around == outer.name && !outer.Group
}
