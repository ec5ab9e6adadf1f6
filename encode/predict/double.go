package predict

import (
	"math/bits"
)

// divide looks for a divisor for a column of doubles. If that makes the column cheaper, its sample becomes whole numbers.
func (c *Chooser) divide(x *chosen) {
	doubles := *x
	for _, d := range append([]uint64{x.binaryDivisor()}, decimalDivisors[:]...) {
		x.Divisor = d
		whole, ok := x.wholes(x.points)
		if d == 0 || !ok {
			continue
		}
		x.points = whole
		if x.cost = c.estimate(x, &x.Prediction, nil) + statementCost; x.cost < doubles.cost {
			return
		}
		break
	}
	*x = doubles
}

var decimalDivisors = [...]uint64{10, 100, 1e3, 1e4, 1e5, 1e6, 1e9}

// binaryDivisor returns the power of two that makes all doubles of the sample whole numbers, 0 if it is too large.
func (x *chosen) binaryDivisor() uint64 {
	digits := 0
	for i := range x.points {
		digits = max(digits, fraction(x.points[i].value))
	}
	if digits > bits.Len64(maxDivisor)-1 {
		return 0
	}
	return 1 << digits
}

// fraction returns the number of binary digits that a double has behind the point.
func fraction(v uint64) int {
	const mantissa = 52
	if v<<1 == 0 {
		return 0
	}
	exponent := int(v>>mantissa&0x7ff) - 1023
	return mantissa - bits.TrailingZeros64(v|1<<mantissa) - exponent
}

// wholes returns the sample as whole numbers; ok is false if one is none.
func (p *Prediction) wholes(points []point) (whole []point, ok bool) {
	whole = make([]point, len(points))
	for i, at := range points {
		if at.value, ok = p.whole(at.value); !ok {
			return nil, false
		}
		whole[i] = at
	}
	return whole, true
}
