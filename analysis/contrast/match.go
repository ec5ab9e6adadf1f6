package contrast

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// Match says which locations of two sides belong together.
type Match uint8

// The ways to match locations.
const (
	// ByRank matches locations of equal rank and thread, and others of equal name.
	ByRank Match = iota
	// ByName matches locations of equal name, the first with the first and so on.
	ByName
	// ByOrder matches the first location with the first and so on.
	ByOrder
	// ByLikeness matches locations of equal structure, then others so that partners are as alike in their numbers of calls as can be, all together.
	ByLikeness
)

var matchNames = []string{"rank", "name", "order", "cluster"}

// Matches returns the names of the ways to match locations.
func Matches() []string { return slices.Clone(matchNames) }

// ParseMatch returns the way to match locations that has a name.
func ParseMatch(name string) (Match, error) {
	if n := slices.Index(matchNames, name); n >= 0 {
		return Match(n), nil
	}
	return 0, fmt.Errorf("locations are matched by rank, name, order or cluster, not by %q", name)
}

// String returns the name.
func (m Match) String() string { return matchNames[m] }

// twins are places in the lists of locations of both sides that belong together.
type twins struct{ a, b int }

// matchLocations returns which locations belong together, in the order of A.
func matchLocations(f *calltree.Forest, a, b *source, m Match) []twins {
	p := newPartners(len(a.locations), len(b.locations))
	label := func(s *source, i int) (string, bool) { return s.places[i].Label, true }
	name := func(s *source, i int) (string, bool) {
		return s.defs.Name(trace.SpaceLocation, s.locations[i].ID), true
	}
	root := func(s *source, i int) (calltree.Node, bool) { return s.locations[i].Root, true }
	any := func(*source, int) (bool, bool) { return true, true }
	switch m {
	case ByRank:
		matchBy(p, a, b, label)
		matchBy(p, a, b, name)
	case ByName:
		matchBy(p, a, b, name)
	case ByOrder:
		matchBy(p, a, b, any)
	case ByLikeness:
		matchBy(p, a, b, func(s *source, i int) (rankedRoot, bool) {
			return rankedRoot{s.locations[i].Root, s.places[i].Label}, true
		})
		matchBy(p, a, b, root)
		matchAlike(p, f, a, b)
	}
	var all []twins
	for i, j := range p.ofA {
		if j >= 0 {
			all = append(all, twins{i, j})
		}
	}
	return all
}

// rankedRoot is a structure on a rank.
type rankedRoot struct {
	root  calltree.Node
	label string
}

// partners are the places of the partners of all locations, -1 without.
type partners struct{ ofA, ofB []int }

func newPartners(a, b int) *partners {
	none := func(n int) []int { return slices.Repeat([]int{-1}, n) }
	return &partners{none(a), none(b)}
}

// matchBy matches the n-th location of a key with the n-th, among those that have no partner yet.
func matchBy[K comparable](p *partners, a, b *source, key func(s *source, i int) (K, bool)) {
	waiting := map[K][]int{}
	for j, i := range p.ofB {
		if k, ok := key(b, j); ok && i < 0 {
			waiting[k] = append(waiting[k], j)
		}
	}
	for i, j := range p.ofA {
		if k, ok := key(a, i); ok && j < 0 && len(waiting[k]) > 0 {
			j = waiting[k][0]
			p.ofA[i], p.ofB[j], waiting[k] = j, i, waiting[k][1:]
		}
	}
}

// mostAssigned is the number of locations of a side up to which those that are left are matched best; beyond, one by one.
const mostAssigned = 256

// matchAlike matches the locations that are left so that the shares of calls that partners have in common, by name, add up to the most. If there are
// very many, each of A gets the one of B that is left and has most in common with it.
func matchAlike(p *partners, f *calltree.Forest, a, b *source) {
	left := [2][]int{p.alone(0), p.alone(1)}
	if max(len(left[0]), len(left[1])) > mostAssigned {
		matchNearest(p, f, a, b)
		return
	}
	few, many := 0, 1
	if len(left[0]) > len(left[1]) {
		few, many = 1, 0
	}
	const unit = 1 << 40 // of a share: sums of costs are exact
	costs := make([]int64, 0, len(left[0])*len(left[1]))
	for _, i := range left[few] {
		for _, j := range left[many] {
			pair := order(few, i, j)
			costs = append(costs, int64(unit*(1-jaccard(f.Bag(a.locations[pair[0]].Root), f.Bag(b.locations[pair[1]].Root)))))
		}
	}
	for row, column := range assign(len(left[few]), len(left[many]), func(r, c int) int64 { return costs[r*len(left[many])+c] }) {
		pair := order(few, left[few][row], left[many][column])
		p.ofA[pair[0]], p.ofB[pair[1]] = pair[1], pair[0]
	}
}

// order returns two places, of which the first one is of a side, in the order of the sides.
func order(side, i, j int) [2]int {
	if side == 0 {
		return [2]int{i, j}
	}
	return [2]int{j, i}
}

// alone returns the places of the locations of a side that have no partner.
func (p *partners) alone(side int) (list []int) {
	for i, partner := range [2][]int{p.ofA, p.ofB}[side] {
		if partner < 0 {
			list = append(list, i)
		}
	}
	return list
}

// matchNearest matches each location of A that is left with the one of B that is left and has the most calls in common, by name.
func matchNearest(p *partners, f *calltree.Forest, a, b *source) {
	for i := range p.ofA {
		if p.ofA[i] >= 0 {
			continue
		}
		best, most := -1, -1.0
		for j := range p.ofB {
			if p.ofB[j] >= 0 {
				continue
			}
			if alike := jaccard(f.Bag(a.locations[i].Root), f.Bag(b.locations[j].Root)); alike > most {
				best, most = j, alike
			}
		}
		if best >= 0 {
			p.ofA[i], p.ofB[best] = best, i
		}
	}
}

// jaccard returns the calls that two bags have in common, as a share of those that either has.
func jaccard(a, b []calltree.Surplus) float64 {
	var both, either float64
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Name < b[0].Name:
			either += float64(a[0].Calls)
			a = a[1:]
		case len(a) == 0 || b[0].Name < a[0].Name:
			either += float64(b[0].Calls)
			b = b[1:]
		default:
			both += float64(min(a[0].Calls, b[0].Calls))
			either += float64(max(a[0].Calls, b[0].Calls))
			a, b = a[1:], b[1:]
		}
	}
	if either == 0 {
		return 1
	}
	return both / either
}
