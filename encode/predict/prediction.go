package predict

import (
	"math"
	"math/bits"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// What varies seldom comes out of the blue: a request gets the number after the one before, cycles go on with time, and CPU time
// with cycles. So what is coded of a value, unless it is a time, is what it departs from a prediction. Which prediction is best is
// found for each column in each group of slices.

// Source is what the values of a column are predicted from.
type Source uint8

const (
	// FromBefore predicts the value before.
	FromBefore Source = iota
	// FromNothing predicts 0.
	FromNothing
	// FromTime predicts the value before, and a rate for each tick since then.
	FromTime
	// FromColumn predicts the value before, and a rate for each step that another column's value took since then.
	FromColumn
)

// Prediction says how the values of one column are predicted. The value before is that on the location in the slice. For a
// location's first value it is the first one of the location that had the column's values before, and for the first in the slice 0.
type Prediction struct {
	Column uint32
	Source Source
	// Rate belongs to FromTime and FromColumn, in units of 2^-32.
	Rate int64
	// Other is the other column of FromColumn. Else, if it is not Column itself, the two have one memory: the value before is that of
	// any column that shares it. It is less than Column, and says so of none itself.
	Other uint32
	// Unit is what departures are divided by; at least 1.
	Unit uint64
	// Period, if it is not 0, says that values lie on a lattice of this period. Then Rate is of ticks, there is no unit, and
	// departures are signed.
	Period column.Period
	// Unsigned says that departures are hardly ever negative.
	Unsigned bool
	// Divisor, if it is not 0, says that values are doubles: whole numbers divided by it. What is predicted is the whole number.
	Divisor uint64
}

const (
	// maxDivisor keeps all divisors doubles.
	maxDivisor = 1 << 52
	// maxWhole is above the whole numbers that are divided. Their quotients by one divisor are all different.
	maxWhole = 1 << 51
)

// Sharing reports whether the column has its memory with another.
func (p *Prediction) Sharing() bool { return p.Source != FromColumn && p.Other != p.Column }

// growth returns what a rate makes of a number of steps: the multiple of the unit that is nearest.
func (p *Prediction) growth(steps int64) int64 {
	g := scaled(steps, p.Rate)
	if p.Unit == 1 {
		return g
	}
	g += int64(p.Unit / 2)
	rest := g % int64(p.Unit)
	if rest < 0 {
		rest += int64(p.Unit)
	}
	return g - rest
}

// scaled returns a number of steps times a rate in units of 2^-32, rounded down.
func scaled(steps, rate int64) int64 {
	high, low := product(steps, rate)
	return int64(high<<32 | low>>32)
}

// product returns the product of two signed numbers, in two words.
func product(a, b int64) (high, low uint64) {
	high, low = bits.Mul64(uint64(a), uint64(b))
	return high - uint64(a>>63)&uint64(b) - uint64(b>>63)&uint64(a), low
}

// code turns a departure into what is coded. Multiples of the unit are divided by it. Others, which are rare, are at the other end of
// the numbers; ok is false if there is no room for them.
func (p *Prediction) code(departure int64) (code uint64, ok bool) {
	unit := int64(p.Unit)
	switch {
	case p.Unsigned && unit == 1:
		return uint64(departure), true
	case p.Unsigned && departure >= 0 && departure%unit == 0:
		return uint64(departure / unit), true
	case !p.Unsigned && departure%unit == 0:
		return format.Zigzag(departure / unit), true
	}
	code = ^format.Zigzag(departure)
	return code, code > math.MaxInt64
}

// departure is the inverse of code; ok is false if the code is none.
func (p *Prediction) departure(code uint64) (departure int64, ok bool) {
	unit, count := int64(p.Unit), int64(code)
	if !p.Unsigned {
		count = format.Unzigzag(code)
	}
	switch {
	case unit == 1:
		return count, true
	case code <= math.MaxInt64:
		return count * unit, count*unit/unit == count
	}
	departure = format.Unzigzag(^code)
	return departure, departure%unit != 0 || p.Unsigned && departure < 0
}

// whole returns the whole number of a value: the value times the divisor.
func (p *Prediction) whole(v uint64) (n uint64, ok bool) {
	if p.Divisor == 0 {
		return v, true
	}
	x := math.RoundToEven(math.Float64frombits(v) * float64(p.Divisor))
	if !(math.Abs(x) < maxWhole) {
		return 0, false
	}
	n = uint64(int64(x))
	w, _ := p.value(n)
	return n, w == v
}

// value is the inverse of whole.
func (p *Prediction) value(n uint64) (v uint64, ok bool) {
	if p.Divisor == 0 {
		return n, true
	}
	return math.Float64bits(float64(int64(n)) / float64(p.Divisor)), int64(n) < maxWhole && int64(n) > -maxWhole
}
