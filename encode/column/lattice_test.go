package column

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// gridTimes makes times of a clock with the given period, computed with big integers. One event in `jump` changes the phase, one in
// 50 comes after up to 2^gap ticks.
func gridTimes(r *rand.Rand, n int, period Period, start int64, jump, gap int) []int64 {
	times := make([]int64, n)
	k, phase := new(big.Int), new(big.Int).SetUint64(r.Uint64N(uint64(period)))
	for i := range times {
		step := r.Int64N(200)
		if r.IntN(50) == 0 {
			step = r.Int64N(1 << gap)
		}
		k.Add(k, big.NewInt(step))
		if jump > 0 && r.IntN(jump) == 0 {
			phase.Add(phase, new(big.Int).SetUint64(r.Uint64N(uint64(period))))
		}
		t := new(big.Int).Mul(k, new(big.Int).SetUint64(uint64(period)))
		t.Add(t, phase).Rsh(t, LatticeBits)
		times[i] = start + t.Int64()
	}
	return times
}

// checkTicks recomputes the times from ticks and phases.
func checkTicks(t *rapid.T, p Period, ticks []uint64, phases []Phase, times []int64, start int64) {
	k, at := uint64(0), 0
	for _, f := range phases {
		for range f.Events {
			k += ticks[at]
			if got := start + int64(p.at(k, f.Value)); got != times[at] {
				t.Fatalf("event %d: time %d, should be %d", at, got, times[at])
			}
			at++
		}
	}
	if at != len(times) {
		t.Fatalf("phases cover %d of %d events", at, len(times))
	}
}

// Whatever the times and the period, ticks and phases give the times back exactly.
func TestTicksAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 300).Draw(t, "events")
		p := Period(rapid.Uint64Range(LatticeUnit, LatticeUnit<<rapid.IntRange(1, 18).Draw(t, "bits")).Draw(t, "period"))
		start := rapid.Int64Range(-1<<60, 1<<60).Draw(t, "start")
		times := gridTimes(r, n, p, start+r.Int64N(1000), rapid.IntRange(0, 40).Draw(t, "jump"), 30)
		if rapid.Bool().Draw(t, "noise") {
			for i := 1; i < n; i++ {
				times[i] = max(times[i-1], times[i]+r.Int64N(5))
			}
		}
		q := p + Period(rapid.IntRange(-1000, 1000).Draw(t, "error"))
		if !q.valid() {
			q = p
		}
		ticks := make([]uint64, n)
		phases := q.Ticks(ticks, nil, times, start, n+1)
		checkTicks(t, q, ticks, phases, times, start)
		if want := q.Phases(make([]uint64, n), times); len(phases) != want {
			t.Fatalf("%d phases, counted %d", len(phases), want)
		}
	})
}

// A period is found from the times alone, and after a second look well enough for the events to come.
func TestEstimatePeriod(t *testing.T) {
	for _, period := range []float64{10.014937162, 3.37, 7.7, 41.66666667, 100, 128.5, 1000} {
		r := rand.New(rand.NewPCG(7, uint64(period)))
		p := periodOf(period)
		times := gridTimes(r, 4096, p, 1<<40, 0, 16)
		ticks := make([]uint64, len(times))
		found := EstimatePeriod(ticks, times[:1024]).Improve(ticks, times[1024:2048])
		if n := found.Phases(ticks, times); n > len(times)/50 {
			t.Errorf("period %v: found %v, which needs %d phases", period, found.float(), n)
		}
	}
}

// Wheels see what exact alignment sees, but for a few digits.
func TestWheels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	high := 0
	for range 200 {
		period := 3 + 100*r.Float64()
		var differences []float64
		for range 32 {
			differences = append(differences, math.Floor(period*float64(r.IntN(80))))
		}
		step := 1 / (8 * period)
		w := newWheels(differences, step)
		for k := 1; k < 40; k++ {
			got, want := w.alignment(k), alignment(differences, float64(k)*step)
			if math.Abs(got-want) > 0.01 {
				t.Fatalf("period %v, %d steps: %v, want %v", period, k, got, want)
			}
			if want > 0.7 {
				high++
			}
		}
	}
	if high < 200 {
		t.Errorf("only %d frequencies that line up", high)
	}
}

// Times without a lattice are not taken for one that pays.
func TestEstimateWithoutLattice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	times := make([]int64, 1024)
	for i := 1; i < len(times); i++ {
		times[i] = times[i-1] + r.Int64N(1500)
	}
	ticks := make([]uint64, len(times))
	if p := EstimatePeriod(ticks, times); p != 0 && p.Phases(ticks, times) < len(times)/20 {
		t.Errorf("found a lattice of %v in noise", p.float())
	}
}

func BenchmarkTicks(b *testing.B) {
	p := periodOf(10.014937162)
	times := gridTimes(rand.New(rand.NewPCG(3, 4)), 2048, p, 0, 1000, 30)
	ticks := make([]uint64, len(times))
	var phases []Phase
	for b.Loop() {
		phases = p.Ticks(ticks, phases, times, 0, len(times))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(times)), "ns/event")
}

// at returns floor(k*period + phase).
func (p Period) at(k, phase uint64) uint64 {
	high, low := bits.Mul64(k, uint64(p))
	low, carry := bits.Add64(low, phase, 0)
	return (high+carry)<<(64-LatticeBits) | low>>LatticeBits
}
