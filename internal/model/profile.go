package model

import (
	"math/big"

	"github.com/pandotrace/pando/trace"
)

// RegionSum is what the calls of one region add up to. Times are in ticks.
type RegionSum struct {
	Calls                uint64
	Inclusive, Exclusive *big.Int
}

// Profile adds up, per region, the parts of calls that lie in [from, to), and counts the calls that overlap it. It needs
// all calls of the trace; with a window around them, the sums are those of the whole trace.
func Profile(calls []trace.Call, from, to int64) map[uint64]RegionSum {
	inside := map[EventID]int64{} // of each call, the time in the window that no child has
	for _, c := range calls {
		inside[EventID{c.Location, c.Ordinal}] += clipped(&c, from, to)
		if c.Parent != trace.Undefined {
			inside[EventID{c.Location, c.Parent}] -= clipped(&c, from, to)
		}
	}
	sums := map[uint64]RegionSum{}
	w := Window{From: from, To: to}
	for _, c := range calls {
		if !w.HasCall(&c) {
			continue
		}
		s, ok := sums[c.Region]
		if !ok {
			s = RegionSum{Inclusive: new(big.Int), Exclusive: new(big.Int)}
		}
		s.Calls++
		s.Inclusive.Add(s.Inclusive, big.NewInt(clipped(&c, from, to)))
		s.Exclusive.Add(s.Exclusive, big.NewInt(inside[EventID{c.Location, c.Ordinal}]))
		sums[c.Region] = s
	}
	return sums
}

// clipped returns the length of a call's part in a window.
func clipped(c *trace.Call, from, to int64) int64 {
	begin, end := max(c.Start, from), min(c.End, to)
	if begin >= end {
		return 0
	}
	return end - begin
}
