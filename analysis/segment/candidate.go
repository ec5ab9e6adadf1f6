package segment

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// Repeats is the number of segments that most of the locations where a candidate occurs must have: with less there is nothing to compare.
const Repeats = 4

// Candidate is what the events of locations can be cut into: the outermost calls of a region, or the repetitions of a group of calls.
type Candidate struct {
	// Name is that of the region, for a group that of its first call.
	Name string
	// Group says that it is a group, Around is the name of the calls in which it stands: empty where these are outermost calls. Body are the
	// names of the calls that it has, in order.
	Group  bool
	Around string
	Body   []string
	// Locations is the number of locations that have segments of it, Segments how many they have together, those left out that the
	// window cuts.
	Locations int
	Segments  uint64
	// Covered is the SOS time of all segments, in ticks.
	Covered trace.Sum

	name  calltree.Name
	group int
	most  bool // most locations have enough segments
}

// sums is what the segments of a group add up to.
type sums struct {
	covered  trace.Sum
	segments uint64
}

func (s *sums) add(own int64) {
	s.covered.Add(uint64(own))
	s.segments++
}

// equalShare is the difference of coverage, as a part of the larger one, up to which two candidates cover the same.
const equalShare = 100

// mostRanked is the number of candidates that are put in order with regard to how coarse they are.
const mostRanked = 1000

// rank puts candidates in order: the one that covers most first. Of those that cover the same, the coarser one comes first.
func rank(all []Candidate) {
	slices.SortFunc(all, func(a, b Candidate) int { return cmp.Or(b.Covered.Cmp(a.Covered), coarser(&a, &b)) })
	for i := range min(len(all), mostRanked) {
		best := i
		for j := i + 1; j < len(all) && equal(all[i].Covered, all[j].Covered); j++ {
			if coarser(&all[j], &all[best]) < 0 {
				best = j
			}
		}
		c := all[best]
		copy(all[i+1:best+1], all[i:best])
		all[i] = c
	}
}

// equal reports whether a coverage is equal to a smaller one.
func equal(most, less trace.Sum) bool {
	m, l := most.Float(), less.Float()
	return equalShare*(m-l) <= m
}

// coarser compares candidates that cover the same: fewer segments, regions before groups, names.
func coarser(a, b *Candidate) int {
	group := func(c *Candidate) int {
		if c.Group {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(a.Segments, b.Segments), cmp.Compare(group(a), group(b)), b.Covered.Cmp(a.Covered), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Around, b.Around))
}

// count counts the locations that have segments.
func (c *Candidate) count(s *structure, whole func(l *calltree.Location) uint64) {
	enough := 0
	for i := range s.locations {
		n := whole(&s.locations[i])
		if n > 0 {
			c.Locations++
		}
		if n >= Repeats {
			enough++
		}
	}
	c.most = 2*enough > c.Locations
}
