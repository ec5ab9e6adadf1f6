package main

import (
	"math/big"
	"math/bits"

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
	p := profiler{at: map[uint64]int{}}
	for i := range f.names.defs.Log {
		if d := &f.names.defs.Log[i]; d.Kind == trace.KindRegion && len(d.Words) > 0 {
			p.region(d.Words[0])
		}
	}
	bar, n := newProgress("adding up", "calls", int64(f.Info().Calls)), int64(0)
	defer bar.done()
	for c, err := range f.All().Calls() {
		if err != nil {
			return nil, err
		}
		if n++; n%often == 0 {
			bar.set(n)
		}
		r := p.region(c.Region)
		r.calls++
		r.inclusive.add(c.Duration())
		r.exclusive.add(c.Exclusive)
	}
	totals := make([]regionTotal, len(p.regions))
	for i := range p.regions {
		totals[i] = p.regions[i].total(f.names)
	}
	return totals, nil
}

// often is how many things are done between two looks at the clock.
const often = 1 << 14

type profiler struct {
	regions []regionSums
	at      map[uint64]int
}

type regionSums struct {
	id, calls            uint64
	inclusive, exclusive sum
}

func (p *profiler) region(id uint64) *regionSums {
	if undefined(id) {
		id = trace.Undefined
	}
	at, ok := p.at[id]
	if !ok {
		at = len(p.regions)
		p.at[id] = at
		p.regions = append(p.regions, regionSums{id: id})
	}
	return &p.regions[at]
}

func (r *regionSums) total(n *names) regionTotal {
	t := regionTotal{Calls: r.calls, Inclusive: r.inclusive.big(), Exclusive: r.exclusive.big()}
	if r.id != trace.Undefined {
		t.ID, t.Name = &r.id, n.defs.Name(trace.SpaceRegion, r.id)
	}
	return t
}

// sum is a signed sum of 128 bits.
type sum struct {
	hi int64
	lo uint64
}

func (s *sum) add(v int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, uint64(v), 0)
	s.hi += v>>63 + int64(carry)
}

func (s sum) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(s.hi), 64)
	return n.Add(n, new(big.Int).SetUint64(s.lo))
}
