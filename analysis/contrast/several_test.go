package contrast_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
)

// lackKey is calls that B lacks.
type lackKey struct {
	path     string
	location int64 // of B, the partner of theirs; -1 without one
}

// naiveMedian adds up the comparison with the median of base runs by region, call by call.
func naiveMedian(s *contrast.Several, bases []*subject, b *subject) map[string]sums {
	all := map[string]sums{}
	update := func(name string, do func(s *sums)) {
		s := all[name]
		do(&s)
		all[name] = s
	}
	partners := map[int][]int64{}      // by call of B: times
	lackCalls := map[lackKey][]int64{} // of each base run
	lackTicks, names := map[lackKey][]int64{}, map[lackKey]string{}
	own := map[int]int64{}
	for location := range locationsOf(b.calls) {
		maps.Copy(own, b.naiveOf(location, nil, true).exclusive)
	}
	for i, c := range s.Runs {
		through := map[string]bool{}
		for _, l := range slices.Concat(c.LoneRegions[0], c.LoneRegions[1]) {
			if l.Wrapper {
				through[c.Forest.NameOf(l.Name)] = true
			}
		}
		of := map[uint64]int64{}
		done := map[int]bool{}
		for k := range c.Pairs {
			p := &c.Pairs[k]
			of[p.A.Location] = int64(p.B.Location)
			x, y := bases[i].naiveOf(p.A.Location, through, true), b.naiveOf(p.B.Location, through, true)
			for ca, cb := range pairsOf(p.Segments, x, y) {
				partners[cb] = append(partners[cb], x.exclusive[ca])
				done[ca] = true
			}
		}
		for location := range locationsOf(bases[i].calls) {
			n := bases[i].naiveOf(location, through, true)
			for call := range n.paths {
				if done[call] {
					continue
				}
				key := lackKey{n.paths[call], -1}
				if to, ok := of[location]; ok {
					key.location = to
				}
				if lackCalls[key] == nil {
					lackCalls[key], lackTicks[key] = make([]int64, len(bases)), make([]int64, len(bases))
					names[key] = bases[i].model.RegionName(bases[i].calls[call].Region)
				}
				lackCalls[key][i]++
				lackTicks[key][i] += n.exclusive[call]
			}
		}
	}
	for call := range b.calls {
		update(b.model.RegionName(b.calls[call].Region), func(to *sums) {
			to.calls[1]++
			to.ticks[1] += own[call]
			if 2*len(partners[call]) <= len(bases) {
				to.lone[1]++
				to.loneTicks[1] += own[call]
				return
			}
			a := naiveMiddle(partners[call])
			to.calls[0]++
			to.ticks[0] += a
			to.pairs++
			switch d := own[call] - a; {
			case d > 0:
				to.slower, to.plus = to.slower+1, to.plus+d
			case d < 0:
				to.faster, to.minus = to.faster+1, to.minus-d
			}
		})
	}
	for key := range lackCalls {
		update(names[key], func(to *sums) {
			n, ticks := naiveMiddle(lackCalls[key]), naiveMiddle(lackTicks[key])
			to.calls[0] += uint64(n)
			to.lone[0] += uint64(n)
			to.ticks[0] += ticks
			to.loneTicks[0] += ticks
		})
	}
	return all
}

// naiveMiddle returns the median of numbers, of two their mean.
func naiveMiddle(list []int64) int64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	low, high := sorted[(n-1)/2], sorted[n/2]
	return low + (high-low)/2
}

// Each call of B is compared with the median of its partners in all base runs, whatever these do.
func TestMedianOfRandomRuns(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		var programs [][]*statement
		for range rapid.IntRange(1, 3).Draw(f, "locations") {
			programs = append(programs, drawProgram(f, 3))
		}
		var bases []*subject
		var sides []contrast.Side
		for i := range rapid.IntRange(2, 4).Draw(f, "bases") {
			var others [][]*statement
			for _, p := range programs {
				if rapid.Bool().Draw(f, "edited") {
					p = edited(f, p)
				}
				others = append(others, p)
			}
			bases = append(bases, newSubject(f, fmt.Sprint("a", i), run(f, others), drawStore(f)))
			sides = append(sides, bases[i].Side)
		}
		b := newSubject(f, "b", run(f, programs), drawStore(f))
		s, err := contrast.CompareSeveral(context.Background(), sides, b.Side, contrast.Options{Level: align.Tree})
		if err != nil {
			f.Fatal(err)
		}
		got, want := sumsOf(s.Median), naiveMedian(s, bases, b)
		maps.DeleteFunc(want, func(_ string, s sums) bool { return s == sums{} })
		maps.DeleteFunc(got, func(_ string, s sums) bool { return s == sums{} })
		if !maps.Equal(got, want) {
			f.Fatalf("%+v\nnot\n%+v", got, want)
		}
		for name, g := range got {
			if g.ticks[1]-g.ticks[0] != g.plus-g.minus+g.loneTicks[1]-g.loneTicks[0] {
				f.Fatalf("region %s breaks the law of ticks: %+v", name, g)
			}
		}
		for i, c := range s.Runs {
			alone, err := contrast.Compare(context.Background(), sides[i], b.Side, contrast.Options{Level: align.Tree})
			if err != nil {
				f.Fatal(err)
			}
			for k := range c.Pairs { // alignments of one cost may differ
				if got, want := c.Pairs[k].Cost, alone.Pairs[k].Cost; got != want {
					f.Fatalf("base run %d, pair %d: cost %v, alone %v", i, k, got, want)
				}
			}
		}
	})
}
