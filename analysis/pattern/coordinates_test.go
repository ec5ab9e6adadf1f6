package pattern_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Ranks that are numbered by chance make the grid of the topology that tells their places, and templates are steps to neighbours on it, as many as there are pairs. Without a place for
// one rank there is no topology, and shifts are differences of ranks.
func TestCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(3, 4), 1, 3).Draw(t, "sizes") // of 2, both ways are one
		wraps, ranks := rapid.Bool().Draw(t, "wraps"), 1
		for _, n := range sizes {
			ranks *= n
		}
		var numbers []int
		for n := range ranks {
			numbers = append(numbers, n)
		}
		number := rapid.Permutation(numbers).Draw(t, "numbers")
		step := func(a, b int) (step []int64, near bool) {
			length := 0
			for x, y, d := number[a], number[b], 0; d < len(sizes); d++ {
				n := sizes[d]
				s := y%n - x%n
				if wraps && s == n-1 {
					s = -1
				} else if wraps && s == 1-n {
					s = 1
				}
				length += max(s, -s)
				step = append(step, int64(s))
				x, y = x/n, y/n
			}
			return step, length == 1
		}
		src := sending(ranks, func(a, b int) bool { _, near := step(a, b); return near })
		var axes []uint64
		for d, n := range sizes {
			axes = append(axes, uint64(d))
			src.Define(trace.KindCartDimension, uint64(d), src.String("axis"), uint64(n), map[bool]uint64{true: 1}[wraps])
		}
		src.Define(trace.KindCartTopology, append([]uint64{5, src.String("plane"), 1, uint64(len(axes))}, axes...)...)
		lost := rapid.IntRange(-ranks, ranks-1).Draw(t, "lost")
		for rank, at := range number {
			words := []uint64{5, uint64(rank), uint64(len(sizes))}
			for _, n := range sizes {
				words, at = append(words, uint64(at%n)), at/n
			}
			if rank != lost {
				src.Define(trace.KindCartCoordinate, words...)
			}
		}
		r := stored.Source(t, src, store.Options{})
		x, err := pattern.Find(t.Context(), r, r.All(), pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if lost >= 0 {
			if x.Topology != nil || slices.ContainsFunc(x.Templates, func(t pattern.Template) bool { return t.Step != nil }) || x.At(0) != nil {
				t.Errorf("rank %d has no place: %+v", lost, x.Pattern)
			}
			return
		}
		want := []pattern.Class{pattern.Grid, pattern.Torus, pattern.Line, pattern.Ring}[2*map[bool]int{true: 1}[len(sizes) == 1]+map[bool]int{true: 1}[wraps]]
		if x.Topology == nil || x.Topology.ID != 5 || x.Class != want || !slices.Equal(x.Sizes, sizes) || x.Messages != 1 {
			t.Fatalf("%+v, want %v of %v", x.Pattern, want, sizes)
		}
		counts := map[string]uint64{}
		for _, p := range x.Traffic.Pairs {
			s, near := step(p.From, p.To)
			if !near {
				t.Errorf("from rank %d to %d", p.From, p.To)
			}
			counts[fmt.Sprint(s)] += p.Messages
		}
		for _, one := range x.Templates {
			if counts[fmt.Sprint(one.Step)] != one.Messages {
				t.Errorf("%d messages of step %v, want %d", one.Messages, one.Step, counts[fmt.Sprint(one.Step)])
			}
			delete(counts, fmt.Sprint(one.Step))
		}
		if len(counts) > 0 {
			t.Errorf("no template has %v", counts)
		}
	})
}
