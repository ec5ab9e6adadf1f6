package pattern

import "math/bits"

// A pattern that explains less than leastShare of the messages counts for nothing. Of those that explain enoughShare, the simplest one wins.
const (
	leastShare  = 0.80
	enoughShare = 0.95
	// usedShare is the share of the pairs of a pattern that must have messages.
	usedShare = 0.75
	// allShare is the share of all pairs that must have messages if they count as all to all.
	allShare = 0.90
)

// fewRanks is the number of ranks below which trees, stars and all pairs cannot be told from lines.
const fewRanks = 4

// candidate is a pattern that may explain the traffic.
type candidate struct {
	Pattern
	has func(from, to int) bool // it connects two ranks
	// used is the share of its pairs of ranks that have messages, in one direction at least.
	used func(t *counted) float64
}

// Classify returns the simplest pattern that explains the traffic.
func Classify(of *Traffic) Pattern {
	if len(of.Pairs) == 0 {
		return Pattern{Class: Silent}
	}
	t := count(of)
	best := Pattern{Class: Irregular}
	for c := range candidates(t) {
		if c.explain(t); c.Messages <= best.Messages || c.Messages < leastShare || c.used(t) < usedShare {
			continue
		}
		if best = c.Pattern; best.Messages >= enoughShare {
			break
		}
	}
	return best
}

// explain adds up what a candidate explains.
func (c *candidate) explain(t *counted) {
	var messages, bytes uint64
	for i := range t.Pairs {
		if p := &t.Pairs[i]; c.has(p.From, p.To) {
			messages += p.Messages
			bytes += p.Bytes
		}
	}
	c.Messages = float64(messages) / float64(t.messages)
	if c.Bytes = 1; t.bytes > 0 {
		c.Bytes = float64(bytes) / float64(t.bytes)
	}
}

// candidates returns patterns, the simplest ones first.
func candidates(t *counted) func(yield func(*candidate) bool) {
	return func(yield func(*candidate) bool) {
		for _, list := range []func(*counted) []*candidate{
			lines, stars, trees, grids(2, false), grids(3, false), grids(4, false), butterflies, all, grids(2, true), grids(3, true),
		} {
			for _, c := range list(t) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// stars returns the one around the rank that has most messages.
func stars(t *counted) []*candidate {
	if t.Ranks < fewRanks {
		return nil
	}
	of := make([]uint64, t.Ranks)
	root := 0
	for i := range t.Pairs {
		p := &t.Pairs[i]
		of[p.From] += p.Messages
		of[p.To] += p.Messages
	}
	for rank, n := range of {
		if n > of[root] {
			root = rank
		}
	}
	return []*candidate{{
		Pattern: Pattern{Class: Star, Root: root},
		has:     func(from, to int) bool { return from == root || to == root },
		used: share(func(yield func(a, b int)) {
			for rank := range t.Ranks {
				if rank != root {
					yield(root, rank)
				}
			}
		}),
	}}
}

// share returns the share of some pairs of ranks that have messages.
func share(pairs func(yield func(a, b int))) func(*counted) float64 {
	return func(t *counted) float64 {
		n, of := 0, 0
		pairs(func(a, b int) {
			if of++; t.joined(a, b) {
				n++
			}
		})
		if of == 0 {
			return 0
		}
		return float64(n) / float64(of)
	}
}

// trees returns a binomial tree, and those of two to four children.
func trees(t *counted) (list []*candidate) {
	if t.Ranks < fewRanks {
		return nil
	}
	for _, arity := range []int{2, 0, 3, 4} {
		parent := func(rank int) int { return rank & (rank - 1) }
		if arity > 0 {
			parent = func(rank int) int { return (rank - 1) / arity }
		}
		list = append(list, &candidate{
			Pattern: Pattern{Class: Tree, Arity: arity},
			has:     func(from, to int) bool { return to > 0 && parent(to) == from || from > 0 && parent(from) == to },
			used: share(func(yield func(a, b int)) {
				for rank := 1; rank < t.Ranks; rank++ {
					yield(parent(rank), rank)
				}
			}),
		})
	}
	return list
}

// butterflies returns the one of all bits. Of two bits it is a grid.
func butterflies(t *counted) []*candidate {
	if t.Ranks < 8 || bits.OnesCount(uint(t.Ranks)) != 1 {
		return nil
	}
	return []*candidate{{
		Pattern: Pattern{Class: Butterfly},
		has:     func(from, to int) bool { return bits.OnesCount(uint(from^to)) == 1 },
		used: share(func(yield func(a, b int)) {
			for rank := range t.Ranks {
				for bit := 1; bit < t.Ranks; bit *= 2 {
					if rank&bit == 0 {
						yield(rank, rank|bit)
					}
				}
			}
		}),
	}}
}

// all returns messages between all ranks.
func all(t *counted) []*candidate {
	if t.Ranks < fewRanks {
		return nil
	}
	return []*candidate{{
		Pattern: Pattern{Class: All},
		has:     func(from, to int) bool { return from != to },
		used: func(t *counted) float64 {
			n := 0
			for i := range t.Pairs {
				if p := &t.Pairs[i]; p.From != p.To && p.Messages >= t.least {
					n++
				}
			}
			if share := float64(n) / float64(t.Ranks*(t.Ranks-1)); share >= allShare {
				return share
			}
			return 0
		},
	}}
}
