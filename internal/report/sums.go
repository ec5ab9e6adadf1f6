package report

import "github.com/pandotrace/pando/trace"

// knownRegion makes one of all references to no region.
func knownRegion(id uint64) uint64 {
	if undefined(id) {
		return trace.Undefined
	}
	return id
}

// callSum is what calls add up to.
type callSum struct {
	count                      uint64
	inclusive, exclusive, busy trace.Sum
}

func (s *callSum) add(c *trace.CallTotals) {
	s.count += c.Count
	s.inclusive, s.exclusive, s.busy = s.inclusive.Plus(c.Inclusive), s.exclusive.Plus(c.Exclusive), s.busy.Plus(c.Busy)
}

// sums keeps a sum for each key, in the order in which keys come.
type sums[K comparable, S any] struct {
	keys []K
	list []S
	at   map[K]int
}

func newSums[K comparable, S any]() *sums[K, S] { return &sums[K, S]{at: map[K]int{}} }

// of returns the sum of a key; it is valid until the next key is asked for.
func (s *sums[K, S]) of(k K) *S {
	at, ok := s.at[k]
	if !ok {
		at = len(s.list)
		s.at[k] = at
		s.keys, s.list = append(s.keys, k), append(s.list, *new(S))
	}
	return &s.list[at]
}
