package edit

import (
	"math"

	"github.com/pandotrace/pando/trace"
)

// nearest returns the multiple of cell, an odd number below 2^60, that is nearest to a value of this type: 0 stays 0, and values that rise do not fall. What is no number, or too
// large for multiples to be exact, stays.
func nearest(t trace.ValueType, v, cell uint64) uint64 {
	half := cell / 2
	switch {
	case t.IsFloat():
		f, exact := t.Float(v), float64(1<<53)
		if t == trace.ValueFloat {
			exact = 1 << 24
		}
		n := math.Round(f/float64(cell)) * float64(cell)
		if !(math.Abs(f) < exact && math.Abs(n) < exact && math.Abs(n-f) <= float64(half)) {
			return v
		}
		return wordOf(t, n)
	case t.IsSigned():
		n := int64(v)
		if n < math.MinInt64+2*trace.MaxCell || n > math.MaxInt64-2*trace.MaxCell {
			return v
		}
		into := (n + int64(half)) % int64(cell)
		if into < 0 {
			into += int64(cell)
		}
		return uint64(n + int64(half) - into)
	case v > math.MaxUint64-cell:
		return v
	}
	return v + half - (v+half)%cell
}

// wordOf returns a float as a value of this type.
func wordOf(t trace.ValueType, f float64) uint64 {
	if t == trace.ValueFloat {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}
