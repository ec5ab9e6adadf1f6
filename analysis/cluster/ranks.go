package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// RanksKind is a kind of condition on ranks.
type RanksKind uint8

const (
	// NoRanks holds for locations without a rank.
	NoRanks RanksKind = iota
	// AllRanks holds for any location.
	AllRanks
	// RankRange holds for First to Last.
	RankRange
	// EveryNth holds for every Step-th rank from First on.
	EveryNth
	// Ends holds for First and Last.
	Ends
	// OnGrid holds for ranks at a position of a grid.
	OnGrid
	// RankList holds for a list of ranks.
	RankList
)

var ranksKinds = [...]string{"none", "all", "range", "modulo", "ends", "grid", "list"}

// String returns the name of the kind.
func (k RanksKind) String() string { return ranksKinds[k] }

// Ranks is a condition on ranks.
type Ranks struct {
	Kind        RanksKind
	First, Last int64
	Step        int64
	List        []int64
	Grid        *Grid
	// Not turns the condition round.
	Not bool

	ofAll int64 // the last rank of all
}

// Holds reports whether the condition holds for a rank, which is -1 where there is none.
func (r *Ranks) Holds(rank int64) bool {
	if r.Kind == AllRanks || r.Kind == NoRanks {
		return r.Kind == AllRanks || rank < 0
	}
	return rank >= 0 && r.fits(rank) != r.Not
}

func (r *Ranks) fits(rank int64) bool {
	switch r.Kind {
	case RankRange:
		return r.First <= rank && rank <= r.Last
	case EveryNth:
		return rank >= r.First && (rank-r.First)%r.Step == 0
	case Ends:
		return rank == r.First || rank == r.Last
	case OnGrid:
		return r.Grid.holds(rank)
	}
	_, found := slices.BinarySearch(r.List, rank)
	return found
}

// String returns the condition in words, nothing for locations without ranks.
func (r *Ranks) String() string {
	text := r.plain()
	if !r.Not {
		return text
	}
	if rest, ok := strings.CutPrefix(text, "ranks with "); ok {
		return "all ranks but those with " + rest
	}
	return "all ranks but " + strings.TrimPrefix(strings.TrimPrefix(text, "ranks "), "rank ")
}

func (r *Ranks) plain() string {
	switch r.Kind {
	case AllRanks:
		if r.First < 0 {
			return "all locations"
		}
		return "all ranks"
	case RankRange:
		if r.First != r.Last {
			return fmt.Sprintf("ranks %d-%d", r.First, r.Last)
		}
		if r.First == r.ofAll && r.ofAll > 1 && !r.Not {
			return fmt.Sprintf("rank %d, the last", r.First)
		}
		return fmt.Sprintf("rank %d", r.First)
	case EveryNth:
		return everyNth(r.Step, r.First)
	case Ends:
		return "the first and the last rank"
	case OnGrid:
		return r.Grid.String()
	case RankList:
		return "ranks " + rangesOf(r.List)
	}
	return ""
}

func everyNth(step, first int64) string {
	switch {
	case step == 2 && first < 2:
		return [2]string{"even ranks", "odd ranks"}[first]
	case step == 2:
		return fmt.Sprintf("%s ranks from %d on", [2]string{"even", "odd"}[first%2], first)
	case first == 0:
		return fmt.Sprintf("every %s rank", ordinal(step))
	}
	return fmt.Sprintf("every %s rank from rank %d on", ordinal(step), first)
}

func ordinal(n int64) string {
	ending := "th"
	if tens := n / 10 % 10; tens != 1 && n%10 >= 1 && n%10 <= 3 {
		ending = [...]string{"", "st", "nd", "rd"}[n%10]
	}
	return strconv.FormatInt(n, 10) + ending
}

// rangesOf returns ranks in rising order as text: "0, 3-5, 12".
func rangesOf(ranks []int64) string {
	var list []string
	for i := 0; i < len(ranks); {
		n := 1
		for i+n < len(ranks) && ranks[i+n] == ranks[i]+int64(n) {
			n++
		}
		text := strconv.FormatInt(ranks[i], 10)
		if n > 1 {
			text += "-" + strconv.FormatInt(ranks[i+n-1], 10)
		}
		list = append(list, text)
		i += n
	}
	return strings.Join(list, ", ")
}

// leastRepeats is the number of ranks from which on what repeats is a rule.
const leastRepeats = 3

// ranks returns the simplest condition that holds for some ranks out of all.
func (n *naming) ranks(some, all []int64) Ranks {
	last := all[len(all)-1]
	switch {
	case some[0] < 0 && len(some) == 1:
		return Ranks{Kind: NoRanks}
	case len(some) == len(all):
		return Ranks{Kind: AllRanks, First: all[0]}
	}
	if r, ok := n.simple(some, all); ok {
		r.ofAll = last
		return r
	}
	if 2*len(some) > len(all) {
		var others []int64
		for _, rank := range all {
			if _, found := slices.BinarySearch(some, rank); !found && rank >= 0 {
				others = append(others, rank)
			}
		}
		if r, ok := n.simple(others, all); ok {
			r.Not, r.ofAll = true, last
			return r
		}
	}
	for _, g := range n.guesses(all) {
		if p, ok := g.position(some, all); ok {
			return Ranks{Kind: OnGrid, Grid: p}
		}
	}
	return Ranks{Kind: RankList, List: some}
}

// simple returns a condition that takes no list.
func (n *naming) simple(some, all []int64) (Ranks, bool) {
	if len(some) == 0 {
		return Ranks{}, false
	}
	first, last := some[0], some[len(some)-1]
	at, _ := slices.BinarySearch(all, first)
	end, _ := slices.BinarySearch(all, last)
	if end-at == len(some)-1 {
		return Ranks{Kind: RankRange, First: first, Last: last}, true
	}
	if len(some) >= leastRepeats && last-first >= int64(len(some)-1)*(some[1]-first) {
		r := Ranks{Kind: EveryNth, Step: some[1] - first, First: first}
		if r.exact(some, all) {
			return r, true
		}
	}
	for i := range n.grids {
		if p, ok := n.grids[i].position(some, all); ok {
			return Ranks{Kind: OnGrid, Grid: p}, true
		}
	}
	if len(some) == 2 && first == all[0] && last == all[len(all)-1] {
		return Ranks{Kind: Ends, First: first, Last: last}, true
	}
	return Ranks{}, false
}

// exact reports whether the condition holds for some ranks, and no others of all. There may be very many of each, and groups to name: mostly one
// of the first ranks tells that it does not.
func (r *Ranks) exact(some, all []int64) bool {
	for _, rank := range some {
		if !r.Holds(rank) {
			return false
		}
	}
	n := 0
	if last := some[len(some)-1]; r.Kind == EveryNth { // mostly it goes on
		if _, more := slices.BinarySearch(all, last+r.Step); more {
			return false
		}
	}
	for _, rank := range all {
		if r.Holds(rank) {
			if n == len(some) || some[n] != rank {
				return false
			}
			n++
		}
	}
	return n == len(some)
}
