package mpe

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
)

// readings are ways in which programs turn the nanoseconds since some start into float64 seconds.
var readings = map[string]func(ns uint64) float64{
	"seconds and nanoseconds": func(ns uint64) float64 { return float64(ns/1e9) + 1e-9*float64(ns%1e9) },
	"quotients":               func(ns uint64) float64 { return float64(ns/1e9) + float64(ns%1e9)/1e9 },
	"one product":             func(ns uint64) float64 { return float64(ns) * 1e-9 },
	"microseconds":            func(ns uint64) float64 { return float64(ns/1e9) + float64(ns/1000%1e6)*1e-6 },
}

// reading is a clock that is read as MPI programs read theirs: relative to the program's start, corrected by shifts.
type reading struct {
	of     func(ns uint64) float64
	start  uint64 // ns
	shifts []float64
}

// times returns n times, of which some are equal, over some seconds.
func (c reading) times(r *rand.Rand, n int, seconds float64) (list []float64) {
	ns := c.start
	for i := range n {
		if r.IntN(8) > 0 {
			ns += uint64(r.ExpFloat64() * seconds * 1e9 / float64(n))
		}
		list = append(list, (c.of(ns)-c.of(c.start))+c.shifts[i*len(c.shifts)/n])
	}
	return list
}

// fitted gives ticks and residuals of all times, and checks that they give the very same times.
func fitted(t *testing.T, times []float64) (ticks, residuals []int64, clock *SecondsClock) {
	t.Helper()
	f := NewSecondsFit(1e9)
	for _, s := range times {
		f.Add(s)
	}
	clock = f.Clock()
	cursor := f.Cursor(clock)
	again := NewSecondsClock(1e9, slices.Clone(clock.Segments()))
	for i, s := range times {
		tick, residual := cursor.Next(s)
		if got := again.Source(tick, residual); math.Float64bits(got) != math.Float64bits(s) {
			t.Fatalf("time %d, %v (%x), became tick %d%+d, which is %v (%x)", i, s, math.Float64bits(s), tick, residual, got, math.Float64bits(got))
		}
		if i > 0 && tick < ticks[i-1] {
			t.Fatalf("time %d: tick %d after %d", i, tick, ticks[i-1])
		}
		ticks, residuals = append(ticks, tick), append(residuals, residual)
	}
	return ticks, residuals, clock
}

func share(residuals []int64) float64 {
	n := 0
	for _, r := range residuals {
		if r != 0 {
			n++
		}
	}
	return float64(n) / float64(len(residuals))
}

// Whatever the clock and the machine's time since boot (or since 1970), the ticks say nearly everything.
func TestSecondsOfClocks(t *testing.T) {
	for name, of := range readings {
		r := rand.New(rand.NewPCG(1, 2))
		for _, start := range []float64{0.3, 5, 535.8, 1020, 90e3, 3e6, 1.7e9} {
			for _, seconds := range []float64{0.01, 3, 400} {
				c := reading{of: of, start: uint64(start * 1e9), shifts: []float64{0}}
				if r.IntN(2) == 0 {
					c.shifts = []float64{-1e-5, (of(c.start+123457) - of(c.start)) / 2, 1e-4}
				}
				t.Run(fmt.Sprintf("%s/from %v/%v s", name, start, seconds), func(t *testing.T) {
					times := c.times(r, 8000, seconds)
					ticks, residuals, clock := fitted(t, times)
					for i, tick := range ticks {
						if off := math.Abs(float64(tick) - times[i]*1e9); off > 1.01+math.Abs(float64(residuals[i])) && residuals[i] == 0 && off > 120 {
							t.Fatalf("time %v became tick %d", times[i], tick)
						}
					}
					most := 0.02
					switch {
					case start+seconds < 10:
						most = 0.3 // two roundings to nearly the same grid
					case name == "one product":
						most = 0.12 // the float64 nearest to 1e-9 is a little more than that, so the phase drifts
					}
					if s := share(residuals); s > most {
						t.Errorf("%.1f %% of the times have a residual, with %d segments", 100*s, len(clock.Segments()))
					}
					if n := len(clock.Segments()); n > 20 {
						t.Errorf("%d segments", n)
					}
				})
			}
		}
	}
}

// Times of any kind come back, also those of no clock at all, and those that run backwards.
func TestSecondsOfAnyTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draws := []func() float64{
		r.Float64,
		func() float64 { return r.NormFloat64() * 1e6 },
		func() float64 { return math.Copysign(0, -1) },
		func() float64 { return math.Ldexp(r.Float64()-0.5, r.IntN(1000)-990) },
		func() float64 { return float64(r.Int64N(1e9)) },
		func() float64 { return float64(r.IntN(100)) * 1e-9 },
		func() float64 { return math.SmallestNonzeroFloat64 },
		func() float64 { return 1<<31 - r.Float64() },
	}
	for range 400 {
		draw, other := draws[r.IntN(len(draws))], draws[r.IntN(len(draws))]
		times := make([]float64, 1+r.IntN(200))
		for i := range times {
			if times[i] = draw(); r.IntN(10) == 0 {
				times[i] = other()
			}
		}
		if r.IntN(2) == 0 {
			slices.Sort(times)
		}
		fitted(t, times)
	}
}

// A clock that has nothing to do with nanoseconds does not fill the memory with segments.
func TestSecondsSegmentsAreFew(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var times []float64
	for range 100_000 {
		times = append(times, r.Float64()*100)
	}
	slices.Sort(times)
	if _, _, clock := fitted(t, times); len(clock.Segments()) > 16+100 {
		t.Errorf("%d segments", len(clock.Segments()))
	}
}

func FuzzSeconds(f *testing.F) {
	f.Add(1.0, 2.0, 1e-9, uint16(30))
	f.Add(-5.0, 0.0, math.SmallestNonzeroFloat64, uint16(300))
	f.Add(2e9, -1.0, 1e-3, uint16(100))
	f.Fuzz(func(t *testing.T, a, b, step float64, n uint16) {
		var times []float64
		for i := range int(n % 200) {
			for _, x := range []float64{a + float64(i)*step, b * float64(i)} {
				if math.Abs(x) < 1<<31 {
					times = append(times, x)
				}
			}
		}
		if len(times) > 0 {
			fitted(t, times)
		}
	})
}

// What was read from a file may say anything of a clock.
func FuzzSecondsClock(f *testing.F) {
	f.Add(uint64(1e9), int64(5), 0.5, uint8(43), uint64(7), int64(1000), int64(0))
	f.Add(uint64(0), int64(math.MinInt64), math.Inf(1), uint8(255), uint64(math.MaxUint64), int64(math.MaxInt64), int64(math.MinInt64))
	f.Fuzz(func(t *testing.T, resolution uint64, from int64, origin float64, grid uint8, phase uint64, tick, residual int64) {
		c := NewSecondsClock(resolution, []SecondsSegment{{from, origin, grid, phase}})
		got := c.Source(tick, residual)
		if back := orderOf(got) - orderOf(c.Seconds(tick)); back != residual {
			t.Errorf("residual %d became %d", residual, back)
		}
	})
}
