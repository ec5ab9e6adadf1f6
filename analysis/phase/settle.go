package phase

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/analysis/order"
	"github.com/pandotrace/pando/analysis/segment"
)

// holes returns the numbers of the segments behind which a loop ends, and begins again: on most locations, nothing repeats there for longer than a
// segment takes, and than what is looked at.
func (f *finder) holes(v *segment.Level) (numbers []int64) {
	var lengths []int64
	gaps := map[int64][]int64{}
	for k := range v.Lines {
		l := &v.Lines[k]
		lengths = append(lengths, l.Durations...)
		for i := 1; i < len(l.Starts); i++ {
			if gap := l.Starts[i] - l.Starts[i-1] - l.Durations[i-1]; gap > f.least {
				n := l.First + int64(i) - 1
				gaps[n] = append(gaps[n], gap)
			}
		}
	}
	for n, found := range gaps {
		if 2*len(found) > len(v.Lines) && middle(found) > middle(lengths) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// middle returns the median of some numbers, which it may put in another order.
func middle(list []int64) int64 { return order.Nth(list, len(list)/2) }

// shortest is the share of the least length that is looked at which a phase between loops has, in the middle: shorter ones belong to the loop before.
const shortest = 20

// settle makes phases of the loops that were found. A location without a loop begins it when the one in the middle does.
func (f *finder) settle(from, to int64) {
	slices.SortStableFunc(f.found, func(a, b stretch) int {
		first, _ := a.bounds()
		other, _ := b.bounds()
		return cmp.Compare(first, other)
	})
	now := slices.Repeat([]int64{from}, len(f.Locations))
	for i := range f.found {
		s := &f.found[i]
		begin, end := s.everywhere(s.from), s.everywhere(s.to)
		if f.long(now, begin) {
			f.List = append(f.List, Phase{From: now})
			now = later(now, begin)
		}
		f.List = append(f.List, Phase{Loop: s.loop, From: now})
		now = later(now, end)
	}
	if rest := slices.Repeat([]int64{to}, len(f.Locations)); len(f.List) == 0 || f.long(now, rest) {
		f.List = append(f.List, Phase{From: now})
	}
}

// everywhere returns times of all locations: of those without the loop, that in the middle of the others.
func (s *stretch) everywhere(times []int64) []int64 {
	var known []int64
	for l, is := range s.known {
		if is {
			known = append(known, times[l])
		}
	}
	usual, all := middle(known), slices.Clone(times)
	for l, is := range s.known {
		if !is {
			all[l] = usual
		}
	}
	return all
}

// long reports whether a phase from some times to others is one of its own.
func (f *finder) long(from, to []int64) bool {
	lengths := make([]int64, len(from))
	for l := range from {
		lengths[l] = to[l] - from[l]
	}
	return len(lengths) > 0 && middle(lengths) > f.least/shortest
}

// later returns times that are not before others.
func later(than, times []int64) []int64 {
	all := slices.Clone(times)
	for l := range all {
		all[l] = max(all[l], than[l])
	}
	return all
}
