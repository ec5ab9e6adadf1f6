package edit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// The median of a histogram is that of the numbers themselves, by up to 1 % less.
func TestStepHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64Min(1).Draw(t, "bits") >> rapid.UintRange(0, 63).Draw(t, "shift")
		}), 1, 50).Draw(t, "numbers")
		var h stepHistogram
		for _, n := range numbers {
			h.add(n)
		}
		numbers = slices.DeleteFunc(numbers, func(n uint64) bool { return n == 0 })
		if len(numbers) == 0 {
			if h.median() != 0 {
				t.Fatal(h.median())
			}
			return
		}
		slices.Sort(numbers)
		want := numbers[(len(numbers)-1)/2]
		if got := h.median(); got > want || float64(got) < 0.99*float64(want) {
			t.Fatalf("median %d, want %d of %d", got, want, numbers)
		}
	})
}

// metrics is a trace of two counters: one that rises by 1000 now and then, and a float that goes up and down by about a half of the same.
func metrics(t testing.TB, locations int) *tracegen.Trace {
	t.Helper()
	src := tracegen.Program(locations, 3, 1)
	rising, swinging, never := src.String("rising"), src.String("swinging"), src.String("never")
	src.Define(trace.KindMetricMember, 10, rising, rising, 1, 0, uint64(trace.ValueUint64), 1, 0, rising)
	src.Define(trace.KindMetricMember, 11, swinging, swinging, 1, 0, uint64(trace.ValueDouble), 1, 0, rising)
	src.Define(trace.KindMetricMember, 12, never, never, 1, 0, uint64(trace.ValueUint64), 1, 0, rising)
	src.Define(trace.KindMetricClass, 7, 3, 10, 11, 12, 0, 2)
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range src.Streams() {
		if s.Class != trace.StreamEvents {
			continue
		}
		v, at := uint64(0), int64(1<<40)
		for range 400 {
			at += 1000
			if r.IntN(3) == 0 {
				v += 1000
			}
			src.Events(s.Location).Append(trace.KindMetric, at, 7, 3, uint64(trace.ValueUint64), v, uint64(trace.ValueDouble), math.Float64bits(500*float64(r.IntN(3))), uint64(trace.ValueUint64), 5)
		}
	}
	return src
}

// Counters have bounds in proportion to their steps. Those that never change, that are coarse, or whose bound would be less than 1, have none.
func TestRelativeBounds(t *testing.T) {
	bounds, err := RelativeBounds(t.Context(), metrics(t, 3), 0.05)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) uint64 {
		for _, b := range bounds {
			if b.Name == name {
				return b.Bound
			}
		}
		return 0
	}
	if r, s, n := at("rising"), at("swinging"), at("never"); r < 49 || r > 50 || s < 24 || s > 25 || n != 0 {
		t.Errorf("%+v", bounds)
	}
	coarse, err := Coarsen(metrics(t, 3), Bounds{Counters: bounds})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := RelativeBounds(t.Context(), coarse, 0.5); err != nil || len(again) >= len(bounds) && len(again) > 0 {
		t.Errorf("of coarse counters: %+v, %v", again, err)
	}
}
