package slice

import (
	"math"
	"math/bits"

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

// sharing reports whether the column has its memory with another.
func (p *Prediction) sharing() bool { return p.Source != FromColumn && p.Other != p.Column }

// growth returns what a rate makes of a number of steps: the multiple of the unit that is nearest.
func (p *Prediction) growth(steps int64) int64 {
	high, low := bits.Mul64(uint64(steps), uint64(p.Rate))
	high -= uint64(steps>>63)&uint64(p.Rate) + uint64(p.Rate>>63)&uint64(steps)
	g := int64(high<<32 | low>>32)
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

// memory is what predictions need of the values before.
type memory struct {
	value, clock uint64 // the value before, and what stood on the clock then
	first, start uint64 // the same of the first value in the run
	run          uint32 // 0: no value yet
}

// enter goes to a run: at its begin the memory is set back to the begin of the run before.
func (m *memory) enter(run uint32) {
	if m.run != run {
		m.value, m.clock = m.first, m.start
	}
}

// keep takes a value that stands in a run.
func (m *memory) keep(run uint32, value, clock uint64) {
	m.value, m.clock = value, clock
	if m.run != run {
		m.run, m.first, m.start = run, value, clock
	}
}

// expected returns the number that is predicted when something stands on the clock.
func (p *Prediction) expected(m *memory, clock uint64) uint64 {
	switch {
	case p.Source == FromNothing:
		return 0
	case p.Source == FromBefore || m.run == 0:
		return m.value
	}
	return m.value + uint64(p.growth(int64(clock-m.clock)))
}

// predictions finds the predictions of columns.
type predictions struct {
	all    []Prediction
	number []uint16 // by column: in all, from 1; 0 for those that are coded as differences to the value before
}

func newPredictions(columns int, all []Prediction) predictions {
	p := predictions{all, make([]uint16, columns)}
	for i := range all {
		p.number[all[i].Column] = uint16(i + 1)
	}
	return p
}

// predictor follows the values of a slice, in their order, to code or decode them.
type predictor struct {
	predictions
	memories []memory // by column
	run      uint32   // from 1
}

// reset starts a slice.
func (p *predictor) reset(of predictions) {
	p.predictions, p.run = of, 0
	p.memories = append(p.memories[:0], make([]memory, len(of.number))...)
}

// look returns the memory for a prediction, and what stands on the clock.
func (p *predictor) look(q *Prediction, t int64) (m *memory, clock uint64) {
	switch q.Source {
	case FromTime:
		m, clock = &p.memories[q.Column], uint64(t)
	case FromColumn:
		m, clock = &p.memories[q.Column], p.memories[q.Other].value
	default:
		m = &p.memories[q.Other]
	}
	m.enter(p.run)
	return m, clock
}

// code returns what is coded of a value. ok is false if the column's prediction does not allow the value.
func (p *predictor) code(column uint32, v uint64, t int64) (code uint64, ok bool) {
	n := p.number[column]
	if n == 0 {
		m := &p.memories[column]
		m.enter(p.run)
		code = format.Zigzag(int64(v - m.value))
		m.keep(p.run, v, 0)
		return code, true
	}
	q := &p.all[n-1]
	whole, ok := q.whole(v)
	m, clock := p.look(q, t)
	code, fits := q.code(int64(whole - q.expected(m, clock)))
	m.keep(p.run, whole, clock)
	return code, ok && fits
}

// value is the inverse of code. ok is false if there is no such value.
func (p *predictor) value(column uint32, code uint64, t int64) (v uint64, ok bool) {
	n := p.number[column]
	if n == 0 {
		m := &p.memories[column]
		m.enter(p.run)
		v = m.value + uint64(format.Unzigzag(code))
		m.keep(p.run, v, 0)
		return v, true
	}
	q := &p.all[n-1]
	m, clock := p.look(q, t)
	departure, ok := q.departure(code)
	whole := q.expected(m, clock) + uint64(departure)
	m.keep(p.run, whole, clock)
	v, fits := q.value(whole)
	return v, ok && fits
}
