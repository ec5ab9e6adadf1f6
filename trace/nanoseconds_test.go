package trace

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestNanoseconds: ticks become nanoseconds as fractions do, rounded to the nearest, halves away from zero.
func TestNanoseconds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resolution := rapid.OneOf(rapid.Just[uint64](1_000_000), rapid.Just[uint64](1_000_000_000), rapid.Uint64Range(1, 1<<40)).Draw(t, "resolution")
		sum := Sum{rapid.Int64Range(-1<<20, 1<<20).Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
		if rapid.Bool().Draw(t, "small") {
			sum = SumOf(rapid.Int64().Draw(t, "ticks"))
		}
		want := roundedQuotient(new(big.Int).Mul(sum.Big(), big.NewInt(1_000_000_000)), resolution)
		if want.BitLen() > 120 {
			t.Skip("more than a sum can hold")
		}
		if got := sum.Nanoseconds(resolution); got.Big().Cmp(want) != 0 {
			t.Fatalf("%s ticks, %d a second: %s ns, want %s", sum, resolution, got, want)
		}
		if sum == SumOf(int64(sum.Lo)) && int64(sum.Lo) != math.MinInt64 {
			if got := Nanoseconds(int64(sum.Lo), resolution); want.IsInt64() && got != want.Int64() {
				t.Fatalf("%s ticks, %d a second: %d ns, want %s", sum, resolution, got, want)
			}
		}
	})
}

// roundedQuotient returns n / d, halves away from zero.
func roundedQuotient(n *big.Int, d uint64) *big.Int {
	twice := new(big.Int).Mul(new(big.Int).Abs(n), big.NewInt(2))
	divisor := new(big.Int).SetUint64(d)
	twice.Add(twice, divisor)
	q := twice.Quo(twice, divisor.Mul(divisor, big.NewInt(2)))
	if n.Sign() < 0 {
		q.Neg(q)
	}
	return q
}
