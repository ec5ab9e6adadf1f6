package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Spot is where a location is, as rules see it.
type Spot struct {
	Side int
	// Rank is the rank of its process, -1 if there is none.
	Rank int64
	// Place is the rest of its label: "thread 1", or empty if the rank says it all; without a rank, all of the label.
	Place string
}

// Rule is a name of a group: a predicate that holds for its members, and for no other location with calls. It holds where one of its parts does.
type Rule struct {
	Parts []RulePart

	names []string // of sides, if there are several
}

// RulePart is a part of a rule: it holds where all of its conditions do.
type RulePart struct {
	// Sides are numbers of sides, Places are places; nil means any.
	Sides  []int
	Ranks  Ranks
	Places []string

	threads placing
}

// placing says by which words places are called.
type placing uint8

const (
	listed placing = iota
	masters
	workers
)

// Holds reports whether the rule holds for a location.
func (r *Rule) Holds(s Spot) bool {
	return slices.ContainsFunc(r.Parts, func(p RulePart) bool { return p.holds(s) })
}

func (p *RulePart) holds(s Spot) bool {
	return (p.Sides == nil || slices.Contains(p.Sides, s.Side)) && (p.Places == nil || slices.Contains(p.Places, s.Place)) && p.Ranks.Holds(s.Rank)
}

// String returns the rule in words.
func (r *Rule) String() string {
	var list []string
	for i := range r.Parts {
		text := r.Parts[i].text()
		if sides := r.Parts[i].Sides; sides != nil {
			var names []string
			for _, n := range sides {
				names = append(names, r.names[n])
			}
			text += " in " + strings.Join(names, ", ")
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

func (p *RulePart) text() string {
	places := listOf(p.Places)
	switch p.threads {
	case masters:
		places = "master threads"
	case workers:
		places = "worker threads"
	}
	ranks := p.Ranks.String()
	switch {
	case places == "" && ranks == "":
		return "all locations"
	case places == "":
		return ranks
	case ranks == "" || p.Ranks.Kind == AllRanks:
		return places
	}
	return places + " of " + ranks
}

// naming is what the names of groups are found in.
type naming struct {
	spots   []Spot
	names   []string // of sides
	grids   []grid
	guessed map[int64][]*grid // by number of ranks
	ranked  map[int64][]int   // by rank: places in spots
	others  map[string][]int  // by place of those without rank: the same
	worlds  map[string]*world // by sides
}

// world is all ranks and places of some sides.
type world struct {
	ranks   []int64
	places  int
	threads bool // all places are those of threads
	master  bool // of which one is that of master threads
}

// worldOf returns the world of some sides.
func (n *naming) worldOf(sides []int) *world {
	key := fmt.Sprint(sides)
	if w := n.worlds[key]; w != nil {
		return w
	}
	ranks, places := map[int64]bool{}, map[string]bool{}
	for i := range n.spots {
		if s := &n.spots[i]; slices.Contains(sides, s.Side) {
			ranks[s.Rank] = true
			places[s.Place] = true
		}
	}
	w := &world{ranks: sorted(ranks), places: len(places), threads: true, master: places[masterThread]}
	for p := range places {
		w.threads = w.threads && strings.HasPrefix(p, "thread ")
	}
	n.worlds[key] = w
	return w
}

// index makes places known by rank.
func (n *naming) index() {
	n.guessed, n.worlds, n.ranked, n.others = map[int64][]*grid{}, map[string]*world{}, map[int64][]int{}, map[string][]int{}
	for i := range n.spots {
		if s := &n.spots[i]; s.Rank >= 0 {
			n.ranked[s.Rank] = append(n.ranked[s.Rank], i)
		} else {
			n.others[s.Place] = append(n.others[s.Place], i)
		}
	}
}

// name names all groups.
func (c *Clusters) name() error {
	n := &naming{spots: make([]Spot, len(c.Members))}
	for side := range c.sides {
		s := &c.sides[side]
		defs, err := s.Reader.WithContext(c.budget.ctx).Definitions()
		if err != nil {
			return err
		}
		n.names = append(n.names, s.Name)
		ids, err := s.Reader.LocationIDs()
		if err != nil {
			return err
		}
		places := defs.Places(ids)
		for i, m := range c.Members { // both in the order of definition
			if m.Side != side {
				continue
			}
			for places[0].Location != m.Location {
				places = places[1:]
			}
			n.spots[i] = spotOf(side, &places[0])
		}
		if len(n.grids) == 0 {
			n.grids = gridsOf(defs, ids)
		}
	}
	n.index()
	c.Spots, c.naming = n.spots, n
	for i := range c.Groups {
		if err := c.budget.ctx.Err(); err != nil {
			return err
		}
		c.Groups[i].Rule = n.rule(c.Groups[i].Members)
	}
	return nil
}

// RuleOf returns a rule that holds for some members alone, which are numbers of [Clusters].Members in rising order.
func (c *Clusters) RuleOf(members []int) Rule {
	if len(members) == 0 {
		return Rule{}
	}
	return c.naming.rule(members)
}

// spotOf returns the spot of a place.
func spotOf(side int, p *trace.Place) Spot {
	if p.Rank < 0 {
		return Spot{side, -1, p.Label}
	}
	rest, ok := strings.CutPrefix(p.Label, p.RankLabel)
	if !ok {
		return Spot{side, p.Rank, p.Label}
	}
	return Spot{side, p.Rank, strings.TrimSpace(rest)}
}

// rule returns the rule of a group.
func (n *naming) rule(members []int) Rule {
	r := Rule{names: n.names}
	if p, ok := n.part(members); ok {
		r.Parts = []RulePart{p}
		return r
	}
	for _, list := range n.divide(members, func(s *Spot) string { return fmt.Sprint(s.Rank < 0, s.Side) }) {
		if p, ok := n.part(list); ok {
			r.Parts = append(r.Parts, p)
			continue
		}
		for _, same := range n.equalPlaces(list) {
			if p, ok := n.part(same); ok { // it is: same ranks, one side
				r.Parts = append(r.Parts, p)
			}
		}
	}
	return r
}

// divide divides members by something, in the order of that.
func (n *naming) divide(members []int, by func(*Spot) string) (parts [][]int) {
	lists := map[string][]int{}
	for _, m := range members {
		lists[by(&n.spots[m])] = append(lists[by(&n.spots[m])], m)
	}
	for _, k := range sorted(lists) {
		parts = append(parts, lists[k])
	}
	return parts
}

// equalPlaces divides members of one side so that those of some places have the same ranks.
func (n *naming) equalPlaces(members []int) [][]int {
	ranks := map[string]string{} // by place
	for _, list := range n.divide(members, func(s *Spot) string { return s.Place }) {
		var all []int64
		for _, m := range list {
			all = append(all, n.spots[m].Rank)
		}
		slices.Sort(all)
		ranks[n.spots[list[0]].Place] = rangesOf(all)
	}
	return n.divide(members, func(s *Spot) string { return ranks[s.Place] })
}

// part returns the conditions that members, and no others, fulfil; ok is false if they are no product of sides, ranks and places.
func (n *naming) part(members []int) (p RulePart, ok bool) {
	sides, ranks, places := map[int]bool{}, map[int64]bool{}, map[string]bool{}
	for _, m := range members {
		s := &n.spots[m]
		sides[s.Side], ranks[s.Rank], places[s.Place] = true, true, true
	}
	w := n.worldOf(sorted(sides))
	if n.product(sides, ranks, places) != len(members) || ranks[-1] && len(ranks) > 1 && len(ranks) < len(w.ranks) {
		return p, false
	}
	if len(sides) < len(n.names) {
		p.Sides = sorted(sides)
	}
	p.Ranks = n.ranks(sorted(ranks), w.ranks)
	if len(places) < w.places {
		p.Places = sorted(places)
		p.threads = w.placing(places)
	}
	return p, true
}

// product returns how many locations are of some sides, ranks and places.
func (n *naming) product(sides map[int]bool, ranks map[int64]bool, places map[string]bool) (count int) {
	for r := range ranks {
		for _, i := range n.ranked[r] {
			if s := &n.spots[i]; sides[s.Side] && places[s.Place] {
				count++
			}
		}
	}
	if ranks[-1] {
		for p := range places {
			for _, i := range n.others[p] {
				if sides[n.spots[i].Side] {
					count++
				}
			}
		}
	}
	return count
}

// masterThread is the place of the first thread of a process that has several.
const masterThread = "thread 0"

// placing returns whether places are those of all master threads, or of all others, where all are threads.
func (w *world) placing(places map[string]bool) placing {
	switch {
	case !w.threads:
		return listed
	case len(places) == 1 && places[masterThread]:
		return masters
	case len(places) == w.places-1 && !places[masterThread] && w.master:
		return workers
	}
	return listed
}

// sorted returns the keys of a map in rising order.
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// listOf returns places as text: of those that differ in the number at their end alone, ranges.
func listOf(places []string) string {
	numbers := map[string][]int64{} // by what is before the number
	var begins, rest []string
	for _, p := range places {
		begin := strings.TrimRight(p, "0123456789")
		n, err := strconv.ParseInt(p[len(begin):], 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != p[len(begin):] {
			rest = append(rest, p)
			continue
		}
		if numbers[begin] == nil {
			begins = append(begins, begin)
		}
		numbers[begin] = append(numbers[begin], n)
	}
	var list []string
	for _, begin := range begins {
		slices.Sort(numbers[begin])
		text := rangesOf(numbers[begin])
		if begin == "thread " && len(numbers[begin]) > 1 {
			begin = "threads "
		}
		list = append(list, begin+text)
	}
	return strings.Join(append(list, rest...), ", ")
}
