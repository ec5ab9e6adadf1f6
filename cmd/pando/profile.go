package main

import (
	"math/big"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// regionTotal is the time spent in the calls of a region; ID is null for calls of no region.
type regionTotal struct {
	ID        *uint64  `json:"id"`
	Name      string   `json:"name"`
	Calls     uint64   `json:"calls"`
	Inclusive *big.Int `json:"inclusive_ticks"`
	Exclusive *big.Int `json:"exclusive_ticks"`
}

// profile adds up the calls of each region: the defined ones in the order of their definitions, then others.
func profile(f *opened) ([]regionTotal, error) {
	summary, err := f.All().Summary(store.SummaryCalls)
	if err != nil {
		return nil, err
	}
	p := newSums[uint64, callSum]()
	for i := range f.names.defs.Log {
		if d := &f.names.defs.Log[i]; d.Kind == trace.KindRegion && len(d.Words) > 0 {
			p.of(knownRegion(d.Words[0]))
		}
	}
	for i := range summary.Calls {
		c := &summary.Calls[i]
		p.of(knownRegion(c.Region)).add(c)
	}
	totals := make([]regionTotal, len(p.list))
	for i := range p.list {
		sum := &p.list[i]
		t := regionTotal{Calls: sum.count, Inclusive: sum.inclusive.Big(), Exclusive: sum.exclusive.Big()}
		if id := p.keys[i]; id != trace.Undefined {
			t.ID, t.Name = &id, f.names.defs.Name(trace.SpaceRegion, id)
		}
		totals[i] = t
	}
	return totals, nil
}

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
