package scale

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// What a law draws lies where the distances do, and as often.
func TestLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		distances := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 1, 2000).Draw(t, "distances")
		l := lawOf(slices.Clone(distances))
		slices.Sort(distances)
		if !slices.IsSorted(l) || l[0] != distances[0] || l[len(l)-1] != distances[len(distances)-1] {
			t.Fatalf("quantiles %v", l)
		}
		before := int64(0)
		for _, x := range []uint32{0, 1, 1 << 20, 1 << 31, 3 << 30, math.MaxUint32} {
			d := l.at(x)
			if d < before || d > distances[len(distances)-1] {
				t.Fatalf("at %d: %d, after %d", x, d, before)
			}
			rank := float64(x) / (1 << 32) * float64(len(distances)-1)
			step := float64(len(distances)-1)/float64(len(l)-1) + 1 // between two quantiles nothing is known
			low, high := distances[int(max(0, rank-step))], distances[int(min(rank+step+1, float64(len(distances)-1)))]
			if d < low || d > high {
				t.Fatalf("at %d: %d, which is not between %d and %d", x, d, low, high)
			}
			before = d
		}
	})
}

// Values that come often are drawn as often.
func TestLawOfFewValues(t *testing.T) {
	var distances []int64
	want := map[int64]float64{5: 0.3, 6: 0.55, 7: 0.1, 900: 0.05}
	for value, share := range want {
		for range int(share * 10_000) {
			distances = append(distances, value)
		}
	}
	l := lawOf(distances)
	got := map[int64]int{}
	noise := rand.NewPCG(1, 2)
	const draws = 100_000
	for range draws {
		got[l.at(uint32(noise.Uint64()))]++
	}
	for value, share := range want {
		if s := float64(got[value]) / draws; math.Abs(s-share) > 0.01 {
			t.Errorf("%d is drawn with probability %.3f, want %.3f", value, s, share)
		}
	}
}

// The period of a lattice is found in times that are rounded, and none where there is none.
func TestPeriod(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 2))
	for _, period := range []float64{10, 10.014937, 4.3, 40, 125.25} {
		var distances []float64
		tick, before := 0.0, int64(0)
		for range 500 {
			tick += 1 + math.Floor(noise.ExpFloat64()*200/period)
			at := int64(tick * period)
			if d := at - before; d > 0 && d <= longestDistance {
				distances = append(distances, float64(d))
			}
			before = at
		}
		if got := float64(periodOf(distances)) / clockUnit; math.Abs(got-period) > period/200 {
			t.Errorf("period %.3f, want %.3f", got, period)
		}
	}
	var distances []float64
	for range 500 {
		distances = append(distances, 1+float64(noise.IntN(900)))
	}
	if got := periodOf(distances); got != clockUnit {
		t.Errorf("period %.3f of noise", float64(got)/clockUnit)
	}
}

// Times and ticks are each other's inverse, at any distance.
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := clock{rapid.Int64Range(-1<<61, 1<<61).Draw(t, "origin"), rapid.Uint64Range(clockUnit, 500*clockUnit).Draw(t, "period")}
		tick := rapid.Int64Range(0, 1<<40).Draw(t, "tick")
		at := c.time(tick, 0)
		if got := c.tick(at); got < tick-1 || got > tick {
			t.Fatalf("tick %d is at %d, which is tick %d", tick, at, got)
		}
		if c.time(tick+1, 0) <= at {
			t.Fatalf("ticks %d and %d are at %d and %d", tick, tick+1, at, c.time(tick+1, 0))
		}
	})
}
