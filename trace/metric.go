package trace

import "math"

// baseDecimal is the value of EnumBase for powers of ten; all others are powers of two.
const baseDecimal = 1

// BaseNumber returns the number that the member's exponent is an exponent of: 2 or 10.
func (m *MetricMember) BaseNumber() uint64 {
	if m.Base == baseDecimal {
		return 10
	}
	return 2
}

// Scaled returns a recorded value in the member's unit: value times base to the power of the exponent, the rule of OTF2's metric members. A
// value of 5 with the base 10 and the exponent -9 in the unit "s" is 5 ns.
func (m *MetricMember) Scaled(v float64) float64 {
	switch {
	case m.Exponent == 0 || v == 0:
		return v
	case m.Base != baseDecimal:
		return math.Ldexp(v, int(max(-1<<16, min(m.Exponent, 1<<16))))
	case m.Exponent < 0: // powers of ten are exact, their inverses are not
		return v / math.Pow10(int(min(-m.Exponent, 400)))
	default:
		return v * math.Pow10(int(min(m.Exponent, 400)))
	}
}
