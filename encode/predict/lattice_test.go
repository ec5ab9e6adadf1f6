package predict

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/encode/column"
)

// drawPeriod draws a period: one of all lengths, shortened by fewer binary digits than are said.
func drawPeriod(r *rand.Rand, digits int) column.Period {
	return minPeriod + column.Period(r.Uint64N(uint64(column.MaxPeriod-minPeriod))>>r.IntN(digits))
}

// exactly returns floor(n·period / 2^40), and the rest.
func exactly(n int64, period column.Period) (whole, rest *big.Int) {
	product := new(big.Int).Mul(big.NewInt(n), new(big.Int).SetUint64(uint64(period)))
	return new(big.Int).DivMod(product, big.NewInt(column.LatticeUnit), new(big.Int))
}

// Where ticks lead is exact.
func TestTicksLeadWhereTheyDo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	fits, beyond := 0, 0
	for range 20000 {
		p := Prediction{Period: drawPeriod(r, 40)}
		n := int64(r.Uint64()) >> r.IntN(64)
		whole, rest := exactly(n, p.Period)
		got, ok := p.after(n)
		if want := whole.IsInt64() && n > -mostTicks && n < mostTicks; ok != want {
			t.Fatalf("%d ticks of %d: %v, want %v", n, p.Period, ok, want)
		}
		if !ok {
			beyond++
			continue
		}
		fits++
		if got.whole != whole.Int64() || got.part != rest.Uint64() {
			t.Fatalf("%d ticks of %d lead to %+v, want %v and %v", n, p.Period, got, whole, rest)
		}
		for more := range int64(2) {
			if step := got.whole + more; step > got.whole-1 && p.ticksTo(step) != n {
				t.Fatalf("%d ticks of %d lead to %d, but %d are found", n, p.Period, step, p.ticksTo(step))
			}
		}
	}
	if fits < 5000 || beyond < 1000 {
		t.Errorf("%d numbers of ticks, %d beyond 64 bits: this tests little", fits, beyond)
	}
}

// The bounds of a phase hold the phase, whatever it is, and after some hundred values nearly all are what their middle gives.
func TestPhasesAreLearned(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		p := Prediction{Column: 1, Other: 1, Unit: 1, Period: minPeriod + column.Period(r.Uint64N(100*column.LatticeUnit))}
		phase := r.Uint64N(column.LatticeUnit)
		ticks, others := uint64(1000), 0
		var m memory
		for i := range 2000 {
			ticks += r.Uint64N(200)
			position := new(big.Int).Mul(new(big.Int).SetUint64(ticks), new(big.Int).SetUint64(uint64(p.Period)))
			position.Add(position, new(big.Int).SetUint64(phase))
			part := new(big.Int)
			value, part := position.DivMod(position, big.NewInt(column.LatticeUnit), part)
			code, ok := p.codeOf(&m, 1, value.Uint64(), 0)
			if !ok || i > 1 && code >= awayCode {
				t.Fatalf("seed %d: value %d has the code %#x, %v", seed, i, code, ok)
			}
			if f := part.Uint64(); i > 0 && (f < m.phase.low || f >= m.phase.high) {
				t.Fatalf("seed %d: phase %d is outside of %+v after value %d", seed, f, m.phase, i)
			}
			if code >= otherCode && i > 200 {
				others++
			}
		}
		if others > 20 {
			t.Errorf("seed %d: %d of 1,800 values are not what is guessed", seed, others)
		}
	}
}

// A clock that starts a new phase is followed, at the price of a value.
func TestPhasesBegin(t *testing.T) {
	p := Prediction{Column: 1, Other: 1, Unit: 1, Period: 10*column.LatticeUnit + column.LatticeUnit/3}
	var m memory
	away := 0
	for i := range 400 {
		value := math.Floor(float64(7*i)*(10+1.0/3) + float64(i/100)*4.4)
		code, ok := p.codeOf(&m, 1, uint64(value), 0)
		if !ok {
			t.Fatalf("value %d has no code", i)
		}
		if code >= awayCode {
			away++
		}
	}
	if away < 3 || away > 12 {
		t.Errorf("%d values are not on the lattice, of which a phase begins at three", away)
	}
}
