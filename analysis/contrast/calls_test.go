package contrast_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
)

// drawPair returns two runs of a program, of which the second one may be edited.
func drawPair(f *rapid.T) (a, b *subject) {
	var programs, others [][]*statement
	for range rapid.IntRange(1, 3).Draw(f, "locations") {
		p := drawProgram(f, 2)
		other := p
		if rapid.Bool().Draw(f, "edited") {
			other = edited(f, p)
		}
		programs, others = append(programs, p), append(others, other)
	}
	return newSubject(f, "a", run(f, programs), drawStore(f)), newSubject(f, "b", run(f, others), drawStore(f))
}

// Calls one by one add up to the sums of their paths.
func TestAlignedCalls(t *testing.T) {
	different := false
	rapid.Check(t, func(f *rapid.T) {
		a, b := drawPair(f)
		c := compare(f, a, b, contrast.Options{Level: rapid.SampledFrom([]align.Level{align.Tree, align.Flat}).Draw(f, "level")})
		sums := make([]contrast.Tally, len(c.Paths))
		for batch, err := range c.AlignedCalls(context.Background()) {
			if err != nil {
				f.Fatal(err)
			}
			for i := range batch {
				n := &batch[i]
				different = different || n.State == align.Different
				for side := range 2 {
					if !n.Has(side) {
						continue
					}
					s := &sums[n.Paths[side]]
					s.Calls[side]++
					s.Ticks[side] += n.Exclusive[side]
					s.Inclusive[side] += n.Inclusive[side]
					if n.State != align.Equal {
						s.LoneCalls[side]++
						s.LoneTicks[side] += n.Exclusive[side]
					}
					if n.Places[side] == nil {
						f.Fatalf("%+v has no location", n)
					}
				}
			}
		}
		for i := range c.Paths {
			got, want := &sums[i], &c.Paths[i].Tally
			if got.Calls != want.Calls || got.Ticks != want.Ticks || got.Inclusive != want.Inclusive || got.LoneCalls != want.LoneCalls || got.LoneTicks != want.LoneTicks {
				f.Fatalf("path %d: calls add up to %+v, not %+v", i, got, want)
			}
		}
	})
	if !different {
		t.Error("no call was different")
	}
}

// Who has enough gets no more.
func TestAlignedCallsStop(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		a, b := drawPair(f)
		batches := 0
		ctx, cancel := context.WithCancel(context.Background())
		c := compare(f, a, b, contrast.Options{})
		for range c.AlignedCalls(ctx) {
			batches++
			break
		}
		cancel()
		for _, err := range c.AlignedCalls(ctx) {
			if err == nil {
				f.Fatal("the work goes on when it is no more wanted")
			}
		}
		if batches > 1 {
			f.Fatalf("%d batches", batches)
		}
	})
}

// All pairs of locations cost what a comparison of the two says, in both directions.
func TestAlike(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		a, b := drawPair(f)
		both, err := contrast.Alike(context.Background(), []contrast.Side{a.Side, b.Side}, contrast.Options{})
		if err != nil {
			f.Fatal(err)
		}
		for i := range both.Locations[0] {
			for j := range both.Locations[1] {
				ids := [2]uint64{both.Locations[0][i].Location, both.Locations[1][j].Location}
				c := compare(f, a, b, contrast.Options{Pairs: [][2]uint64{ids}, StructureOnly: true})
				similar, cost := both.At(i, j)
				if p := &c.Pairs[0]; p.Cost != cost || p.Similarity != similar || p.Equal() != (both.Groups[0][i] == both.Groups[1][j]) {
					f.Fatalf("locations %d: %+v, not %+v", ids, cost, p.Cost)
				}
			}
		}
		one, err := contrast.Alike(context.Background(), []contrast.Side{a.Side}, contrast.Options{})
		if err != nil {
			f.Fatal(err)
		}
		for i := range one.Locations[0] {
			for j := range one.Locations[0] {
				x, cost := one.At(i, j)
				if y, _ := one.At(j, i); x != y || i == j && (cost.High != 0 || x.Lowest != 1) {
					f.Fatalf("%d, %d: %+v and %+v", i, j, x, y)
				}
			}
		}
	})
}

// The answer is the same on any number of processors.
func TestAlikeOnProcessors(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		a, b := drawPair(f)
		var all []*contrast.Likeness
		for _, processors := range []int{1, 4} {
			before := runtime.GOMAXPROCS(processors)
			l, err := contrast.Alike(context.Background(), []contrast.Side{a.Side, b.Side}, contrast.Options{Memory: 1 << 16})
			runtime.GOMAXPROCS(before)
			if err != nil {
				f.Skip("too little memory")
			}
			all = append(all, l)
		}
		if !slices.Equal(all[0].Costs, all[1].Costs) {
			f.Fatalf("%v on one, %v on four", all[0].Costs, all[1].Costs)
		}
	})
}

// Each pair of locations is there once.
func TestDiffering(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		a, b := drawPair(f)
		c := compare(f, a, b, contrast.Options{})
		seen := map[int]bool{}
		for _, i := range c.Differing() {
			seen[i] = true
		}
		if len(seen) != len(c.Pairs) {
			f.Fatalf("%d pairs, not %d", len(seen), len(c.Pairs))
		}
	})
}
