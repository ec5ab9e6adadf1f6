package table

import (
	"math"
	"math/bits"
)

const nanosecondsPerSecond = 1_000_000_000

// Nanoseconds converts ticks to the nearest nanosecond, halves away from zero. Results beyond 64 bits become 2^63-1 or
// -(2^63-1). A trace without a resolution has ticks of a nanosecond.
func (x *Catalog) Nanoseconds(ticks int64) int64 {
	if x.resolution == nanosecondsPerSecond || x.resolution == 0 {
		return ticks
	}
	if ticks < 0 {
		return -scaled(uint64(-ticks), x.resolution)
	}
	return scaled(uint64(ticks), x.resolution)
}

// scaled returns n * 10^9 / resolution, rounded, at most the largest int64.
func scaled(n, resolution uint64) int64 {
	hi, lo := bits.Mul64(n, nanosecondsPerSecond)
	lo, carry := bits.Add64(lo, resolution/2, 0)
	hi += carry
	if hi >= resolution {
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, resolution)
	return int64(min(q, math.MaxInt64))
}
