package segment_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/trace"
)

// analysisOf returns segments of a number of locations whose SOS times a function gives, in ticks. They take twice as long.
func analysisOf(locations, segments int, own func(location, segment int) float64) *segment.Analysis {
	a := &segment.Analysis{Candidates: []segment.Candidate{{Name: "step"}}, Resolution: 1e9, Level: segment.Level{Stride: 1}}
	for i := range locations {
		l := segment.Line{Place: trace.Place{Location: uint64(i), Label: string(rune('a' + i%26))}}
		now := int64(0)
		for n := range segments {
			ticks := int64(own(i, n))
			l.Starts, l.Own, l.Durations = append(l.Starts, now), append(l.Own, ticks), append(l.Durations, 2*ticks)
			now += 2 * ticks
		}
		a.Level.Lines = append(a.Level.Lines, l)
	}
	return a
}

// noises are distributions of SOS times about 1 ms: even, with a tail as heavy as is usual on machines that run other programs as well, and
// with disturbances that several locations feel at once.
var noises = map[string]func(r *rand.Rand, locations int) func(location, segment int) float64{
	"normal": func(r *rand.Rand, _ int) func(int, int) float64 {
		return func(int, int) float64 { return 1e6 + 3e4*r.NormFloat64() }
	},
	"exponential": func(r *rand.Rand, _ int) func(int, int) float64 {
		return func(int, int) float64 { return 1e6 + 1e5*r.ExpFloat64() }
	},
	"heavy": func(r *rand.Rand, _ int) func(int, int) float64 {
		return func(int, int) float64 { return 1e6 + 3e4*math.Pow(r.Float64(), -1/2.5) }
	},
	"disturbed": func(r *rand.Rand, locations int) func(int, int) float64 {
		hits := map[int]float64{}
		for range 5 {
			hits[r.IntN(80)] = 1e7 * r.Float64()
		}
		return func(_, n int) float64 { return 1e6 + 3e4*r.ExpFloat64() + hits[n]*math.Round(r.Float64()) }
	},
	"classes": func(r *rand.Rand, locations int) func(int, int) float64 { // a quarter has twice the work
		return func(i, _ int) float64 { return 1e6*float64(1+(4*i+3)/locations/4%2+i%4/3) + 3e4*r.NormFloat64() }
	},
}

// Noise is blamed on nobody: of interruptions, one in a hundred traces may be wrong.
func TestNoise(t *testing.T) {
	for name, noise := range noises {
		t.Run(name, func(t *testing.T) {
			blamed, traces := 0, 200
			for seed := range traces {
				r := rand.New(rand.NewPCG(uint64(seed), 1))
				locations := []int{12, 16, 24, 40}[seed%4]
				for _, f := range analysisOf(locations, 80, noise(r, locations)).Judge() {
					if f.Kind != segment.Slow {
						t.Logf("seed %d: %s of %d locations: line %d, segments %d to %d, own %d, usual %d", seed, f.Kind, locations, f.Line, f.First, f.Last, f.Own, f.Usual)
						blamed++
					}
				}
			}
			if blamed > traces/100 {
				t.Errorf("blamed %d locations in %d traces", blamed, traces)
			}
		})
	}
}

// What is planted into noise is found first, as what it is. Something else is found by chance at most once in fifty traces; three more are
// granted to a run, which is too short to tell.
func TestPlanted(t *testing.T) {
	cases, blamed := 0, 0
	defer func() {
		if blamed > 3+cases/50 {
			t.Errorf("something else is found in %d of %d traces", blamed, cases)
		}
	}()
	rapid.Check(t, func(f *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(f, "seed"), 2))
		locations, segments := rapid.IntRange(3, 40).Draw(f, "locations"), rapid.IntRange(40, 300).Draw(f, "segments")
		noise := noises[rapid.SampledFrom([]string{"normal", "exponential"}).Draw(f, "noise")](r, locations)
		line, first := rapid.IntRange(0, locations-1).Draw(f, "line"), rapid.IntRange(0, segments-20).Draw(f, "first")
		kind := segment.Kind(rapid.IntRange(0, 2).Draw(f, "kind"))
		length, slack := 1, int64(0)
		if kind == segment.Imbalance {
			slack = 2 // segments beside it may be late by chance
			length = rapid.IntRange(8, segments-first).Draw(f, "length")
		}
		const beside = 3 // segments
		planted := func(i, n int) float64 {
			own := noise(i, n)
			if i == line && kind == segment.Imbalance && (first-beside <= n && n < first || first+length <= n && n < first+length+beside) {
				return 1e6 // nothing later than what is planted is late by chance, or there would be no telling where that ends
			}
			if n >= first && n < first+length && (i == line || kind == segment.Slow) {
				own += 2e7 / float64(min(length, 10))
			}
			return own
		}
		found := analysisOf(locations, segments, planted).Judge()
		cases++
		if len(found) == 0 {
			f.Fatal("found nothing, planted one")
		}
		if len(found) > 1 {
			blamed++
		}
		got := &found[0]
		if got.Kind != kind || kind != segment.Slow && got.Line != line ||
			max(got.First-int64(first), int64(first)-got.First) > slack || max(got.Last-int64(first+length-1), int64(first+length-1)-got.Last) > slack {
			f.Errorf("found %s on %d, segments %d to %d", got.Kind, got.Line, got.First, got.Last)
		}
		if want := 2e7 * float64(length) / float64(min(length, 10)); math.Abs(float64(got.Excess)-want) > 0.1*want+3e5*float64(length) {
			f.Errorf("an excess of %d, planted %g", got.Excess, want)
		}
	})
}

// A single location is compared with itself; two are compared with each other.
func TestFewLocations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, locations := range []int{1, 2} {
		noise := noises["normal"](r, locations)
		found := analysisOf(locations, 100, func(i, n int) float64 {
			if i == 0 && n == 50 {
				return 2e7
			}
			return noise(i, n)
		}).Judge()
		want := []segment.Kind{segment.Slow, segment.Interruption}[locations-1]
		if len(found) != 1 || found[0].Kind != want || found[0].Line != 0 || found[0].First != 50 {
			t.Errorf("%d locations: found %+v", locations, found)
		}
	}
}
