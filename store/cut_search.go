package store

import (
	"math"
	"slices"
	"sort"
)

// cutSearch looks for the end of a slice among the pending events.
type cutSearch struct {
	times    [][]int64 // of the pending events, by location
	first    int64     // the first of all
	from, to []int     // by location: those before from lie before the end that is looked for, those from `to` on behind it
	middle   []int
}

// begin begins with what is pending now.
func (s *cutSearch) begin(locations []*location) {
	s.times, s.from, s.to, s.first = s.times[:0], s.from[:0], s.to[:0], math.MaxInt64
	for _, l := range locations {
		times := l.times()
		if len(times) > 0 {
			s.first = min(s.first, times[0])
		}
		s.times, s.from, s.to = append(s.times, times), append(s.from, 0), append(s.to, len(times))
	}
	s.middle = slices.Grow(s.middle[:0], len(locations))[:len(locations)]
}

// end lets go of what was pending.
func (s *cutSearch) end() { clear(s.times) }

// timeOf returns the time of the n-th pending event in merged order, `last` if there are fewer up to that. It is a binary search
// over time in which each location's candidates shrink with every step.
func (s *cutSearch) timeOf(n int, last int64) int64 {
	low, high := s.first, last
	for low < high {
		t := low + int64(uint64(high-low)/2)
		if s.countBefore(t+1) >= n {
			high = t
			s.to, s.middle = s.middle, s.to
		} else {
			low = t + 1
			s.from, s.middle = s.middle, s.from
		}
	}
	return low
}

// countBefore sets s.middle to the number of events of each location before t, and returns that of all. Once timeOf has found a time, t
// must be that or the next one.
func (s *cutSearch) countBefore(t int64) (all int) {
	for i, at := range s.from {
		if to := s.to[i]; at < to {
			at += lowerBound(s.times[i][at:to], t)
		}
		s.middle[i] = at
		all += at
	}
	return all
}

// before returns for each location the number of events before t, as for countBefore.
func (s *cutSearch) before(t int64) []int {
	s.countBefore(t)
	return slices.Clone(s.middle)
}

// lowerBound returns the number of times before t.
func lowerBound(times []int64, t int64) int {
	if len(times) == 0 || times[0] >= t {
		return 0
	}
	return sort.Search(len(times), func(i int) bool { return times[i] >= t })
}
