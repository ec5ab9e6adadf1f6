package trace

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums do what integers of any size do.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func() int64 {
		if r.IntN(8) == 0 {
			return []int64{0, 1, -1, math.MaxInt64, math.MinInt64}[r.IntN(5)]
		}
		return int64(r.Uint64()) >> r.IntN(64)
	}
	var s Sum
	want := new(big.Int)
	for range 10_000 {
		v := draw()
		switch o := SumOf(v); r.IntN(3) {
		case 0:
			s = s.Plus(o)
			want.Add(want, big.NewInt(v))
		case 1:
			s = s.Minus(o)
			want.Sub(want, big.NewInt(v))
		case 2:
			s.Add(uint64(v))
			want.Add(want, new(big.Int).SetUint64(uint64(v)))
		}
		checkSum(t, s, want)
		o := SumOf(draw())
		if s.Cmp(o) != want.Cmp(o.Big()) || s.Cmp(s) != 0 || o.Cmp(s) != -s.Cmp(o) {
			t.Fatalf("%v against %v: %d", s, o, s.Cmp(o))
		}
	}
}

func checkSum(t *testing.T, s Sum, want *big.Int) {
	t.Helper()
	if s.Big().Cmp(want) != 0 || s.String() != want.String() {
		t.Fatalf("%s (%v), want %v", s, s.Big(), want)
	}
	if b, err := json.Marshal(s); err != nil || string(b) != want.String() {
		t.Fatalf("JSON %s, %v; want %v", b, err, want)
	}
	if f, _ := new(big.Float).SetInt(want).Float64(); s.Float() != f {
		t.Fatalf("%g, want %g", s.Float(), f)
	}
}

// Values of metrics are compared as their types say, and multiplied by any number of ticks.
func TestValues(t *testing.T) {
	double := math.Float64bits
	for _, c := range []struct {
		typ  ValueType
		a, b uint64
		want int
	}{
		{ValueUint64, 1, math.MaxUint64, -1}, {ValueInt64, 1, math.MaxUint64, 1}, {ValueNone, 3, 3, 0},
		{ValueDouble, double(-1), double(1), -1}, {ValueDouble, double(math.NaN()), double(math.Inf(-1)), -1},
		{ValueFloat, uint64(math.Float32bits(2)), uint64(math.Float32bits(-3)), 1},
	} {
		if got := c.typ.Compare(c.a, c.b); got != c.want || c.typ.Compare(c.b, c.a) != -c.want {
			t.Errorf("%v: %#x against %#x: %d", c.typ, c.a, c.b, got)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		v, ticks := r.Uint64()>>r.IntN(64), r.Uint64()>>(1+r.IntN(63))
		n := new(big.Int).SetUint64(ticks)
		checkSum(t, ValueInt64.Times(v, ticks), new(big.Int).Mul(big.NewInt(int64(v)), n))
		checkSum(t, ValueUint64.Times(v, ticks), new(big.Int).Mul(new(big.Int).SetUint64(v), n))
	}
	if f := ValueInt8.Float(math.MaxUint64); f != -1 {
		t.Errorf("-1 is %g", f)
	}
}
