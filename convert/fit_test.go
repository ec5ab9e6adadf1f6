package convert

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Of sizes that fall with bounds, the search finds one that is within the budget, and as fine as promised, in a few trials.
func TestFit(t *testing.T) {
	trials, searches := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		floor := rapid.Float64Range(100, 1e6).Draw(t, "floor")
		times := floor * rapid.Float64Range(0.1, 1000).Draw(t, "times")
		power := rapid.Float64Range(0.2, 0.9).Draw(t, "power")
		bent := rapid.Float64Range(1, 1e6).Draw(t, "bent") // from where on the power holds
		size := func(n uint64) int64 { return int64(floor + times/math.Pow(1+float64(n)/bent, power)) }
		budget := int64(floor * rapid.Float64Range(0.5, 1.2*times/floor+1).Draw(t, "budget"))
		most := rapid.SampledFrom([]uint64{1 << 59, 1 << 40, 3}).Draw(t, "most")
		made := 0
		f := &fit{budget: budget, most: most, size: func(n uint64) (int64, error) {
			if made++; n > most || made > 40 {
				t.Fatalf("trial %d of %d", made, n)
			}
			return size(n), nil
		}}
		fits, err := f.search(rapid.Uint64Range(0, 1<<30).Draw(t, "first"))
		if err != nil {
			t.Fatal(err)
		}
		if fits {
			trials, searches = trials+made, searches+1
		}
		switch {
		case !fits && size(most) < budget*99/100:
			t.Fatalf("nothing fits into %d, %d bytes are possible", budget, size(most))
		case !fits:
		case f.coarse > most || size(f.coarse) > budget:
			t.Fatalf("%d has %d bytes, budget %d", f.coarse, size(f.coarse), budget)
		case f.coarse > 0 && float64(size(f.coarse)) < 0.97*float64(budget) && size(f.coarse-1) <= budget:
			t.Fatalf("%d has %d bytes of %d, and one less has %d", f.coarse, size(f.coarse), budget, size(f.coarse-1))
		}
	})
	if searches == 0 || trials > 12*searches {
		t.Errorf("%d searches, %d trials", searches, trials)
	}
}
