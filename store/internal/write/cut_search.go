package write

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// cutSearch looks for the end of a slice among the pending events.
type cutSearch struct {
	first  int64       // the time of the first of all
	ranges []timeRange // of those that may be the one that is looked for
	before []int       // by location: how many events come before these
	lower  []int       // scratch: for each range how many of it lie before a time
}

// timeRange are times of events of a location, not of all.
type timeRange struct {
	timeRow
	location uint32 // index
}

// timeRow is some events of a batch, one at least: those of index from to to-1. The first and the last time stand apart: to look at the batch
// costs a wait for memory.
type timeRow struct {
	first, last int64
	batch       *trace.Batch
	from, to    uint32
}

func rowOf(b *trace.Batch, from, to int) timeRow {
	return timeRow{b.Times[from], b.Times[to-1], b, uint32(from), uint32(to)}
}

func (r *timeRow) len() int { return int(r.to - r.from) }

// times returns the times of the events, in order.
func (r *timeRow) times() []int64 { return r.batch.Times[r.from:r.to] }

// part returns events i to j-1 of the row, of which there is one at least.
func (r *timeRow) part(i, j int) timeRow { return rowOf(r.batch, int(r.from)+i, int(r.from)+j) }

// before returns how many of the times are before t.
func (r *timeRow) before(t int64) int {
	switch {
	case r.first >= t:
		return 0
	case r.last < t:
		return r.len()
	}
	return layout.LowerBound(r.times(), t)
}

// begin begins with what is pending now.
func (s *cutSearch) begin(locations []*Location) {
	s.first, s.ranges = math.MaxInt64, s.ranges[:0]
	s.before = slices.Grow(s.before[:0], len(locations))[:len(locations)]
	clear(s.before)
	for i, l := range locations {
		for j := range l.Pending.stretches {
			of := &l.Pending.stretches[j]
			s.first = min(s.first, of.first)
			s.ranges = append(s.ranges, timeRange{of.timeRow, uint32(i)})
		}
	}
}

// end lets go of what was pending.
func (s *cutSearch) end() {
	s.ranges = s.ranges[:cap(s.ranges)]
	clear(s.ranges)
}

// timeOf returns the time of the n-th pending event in merged order, `last` if there are fewer up to that. It is a search over time, in
// which the events that may be meant become fewer with every step: those of that time are left. Every other step assumes that
// there are equally many at all times, the others halve the time.
func (s *cutSearch) timeOf(n int, last int64) int64 {
	low, high := s.first, last
	left := s.count(last + 1)
	s.keepLower()
	for halve := false; low < high; halve = !halve {
		t := low + int64(uint64(high-low)/2)
		if !halve {
			t = low + int64(float64(high-low)*float64(min(n, left))/float64(left+1))
		}
		if m := s.count(t + 1); m >= n {
			high, left = t, m
			s.keepLower()
		} else {
			low, n, left = t+1, n-m, left-m
			s.keepUpper()
		}
	}
	return low
}

// count sets s.lower to the number of events of each range before t, and returns that of all.
func (s *cutSearch) count(t int64) (all int) {
	s.lower = s.lower[:0]
	for i := range s.ranges {
		n := s.ranges[i].before(t)
		s.lower = append(s.lower, n)
		all += n
	}
	return all
}

// keepLower keeps the lower part of each range. The times of one that is kept whole are not looked at.
func (s *cutSearch) keepLower() {
	kept := s.ranges[:0]
	for i, r := range s.ranges {
		n := s.lower[i]
		if n == 0 {
			continue
		}
		if n < r.len() {
			r.timeRow = r.part(0, n)
		}
		kept = append(kept, r)
	}
	s.ranges = kept
}

// keepUpper does it with the upper part.
func (s *cutSearch) keepUpper() {
	kept := s.ranges[:0]
	for i, r := range s.ranges {
		n := s.lower[i]
		s.before[r.location] += n
		if n == r.len() {
			continue
		}
		if n > 0 {
			r.timeRow = r.part(n, r.len())
		}
		kept = append(kept, r)
	}
	s.ranges = kept
}

// sums returns how many events come before the ranges, and how many are in them.
func (s *cutSearch) sums() (before, in int) {
	for _, n := range s.before {
		before += n
	}
	for _, r := range s.ranges {
		in += r.len()
	}
	return before, in
}

// include counts what is left of the ranges, too.
func (s *cutSearch) include() {
	for _, r := range s.ranges {
		s.before[r.location] += r.len()
	}
}
