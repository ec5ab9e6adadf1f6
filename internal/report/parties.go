package report

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// party is a rank, or a location that has none.
type party struct {
	label    string
	rank     int64  // -1 for a location without one
	location uint64 // its first location
}

// parties are those among whom work is divided and messages are sent: the ranks of a trace, in their order, and locations without a rank.
type parties struct {
	names *Names
	list  []party
	of    map[uint64]int // by location
	ranks int            // how many of the list are ranks
}

// newParties returns the ranks of a trace.
func newParties(t *Trace) *parties {
	p := &parties{names: t.names, of: map[uint64]int{}}
	places := slices.Clone(t.names.Places())
	slices.SortStableFunc(places, func(a, b trace.Place) int { return cmp.Compare(a.Rank, b.Rank) })
	for i := range places {
		if rank := places[i].Rank; rank >= 0 {
			if n := len(p.list); n == 0 || p.list[n-1].rank != rank {
				p.list = append(p.list, party{places[i].RankLabel, rank, places[i].Location})
			}
			p.of[places[i].Location] = len(p.list) - 1
		}
	}
	p.ranks = len(p.list)
	return p
}

// use returns the place of a location's party in the list. A location without a rank gets its place when it is first asked for.
func (p *parties) use(location uint64) int {
	i, ok := p.of[location]
	if !ok {
		i = len(p.list)
		p.of[location] = i
		p.list = append(p.list, party{p.names.Location(location), -1, location})
	}
	return i
}
