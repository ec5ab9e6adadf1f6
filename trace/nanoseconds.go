package trace

import (
	"math"
	"math/big"
	"math/bits"
)

const nanosecondsPerSecond = 1_000_000_000

// Nanoseconds converts ticks of a clock, of which there are resolution per second, to the nearest nanosecond, halves away from zero. Results
// beyond 64 bits become 2^63-1 or -(2^63-1). A clock without a resolution (0) has ticks of a nanosecond.
func Nanoseconds(ticks int64, resolution uint64) int64 {
	if resolution == nanosecondsPerSecond || resolution == 0 {
		return ticks
	}
	if ticks < 0 {
		return -nanoseconds(uint64(-ticks), resolution)
	}
	return nanoseconds(uint64(ticks), resolution)
}

// nanoseconds returns n * 10^9 / resolution, rounded, at most the largest int64.
func nanoseconds(n, resolution uint64) int64 {
	hi, lo := bits.Mul64(n, nanosecondsPerSecond)
	lo, carry := bits.Add64(lo, resolution/2, 0)
	hi += carry
	if hi >= resolution {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, resolution)
	return int64(min(q, math.MaxInt64))
}

// Nanoseconds converts a sum of ticks by the rule of [Nanoseconds]; it is exact to the nanosecond whatever its size.
func (s Sum) Nanoseconds(resolution uint64) Sum {
	if resolution == nanosecondsPerSecond || resolution == 0 {
		return s
	}
	if s == SumOf(int64(s.Lo)) && s.Lo < 1<<62/nanosecondsPerSecond {
		return SumOf(Nanoseconds(int64(s.Lo), resolution))
	}
	n, r := s.Big(), new(big.Int).SetUint64(resolution)
	negative := n.Sign() < 0
	n.Abs(n).Mul(n, big.NewInt(nanosecondsPerSecond)).Add(n, new(big.Int).Rsh(r, 1)).Quo(n, r)
	if negative {
		n.Neg(n)
	}
	low := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
	return Sum{Hi: new(big.Int).Rsh(n, 64).Int64(), Lo: low.Uint64()}
}
