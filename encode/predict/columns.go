package predict

import (
	"math"

	"github.com/pandotrace/pando/format"
)

// Clock tells what a column's clock is: the time of the event, the values of another column, or nothing.
func (s *Set) Clock(column uint32) (source Source, other uint32) {
	q := s.of(column)
	return q.Source, q.Other
}

// of returns the prediction of a column.
func (s *Set) of(column uint32) Prediction {
	if n := s.number[column]; n > 0 {
		return s.All[n-1]
	}
	return Prediction{Column: column, Other: column, Unit: 1}
}

// Before returns the value that the memory of a column has.
func (p *Predictor) Before(column uint32) uint64 { return p.memories[column].value }

// Numbers turns the codes of values of a column that follow each other in a run into numbers, as Value does one by one; Values makes values
// of numbers. clocks are what stands on the column's clock at each, nil if it has none. bad is the index of a code that stands for nothing,
// -1 if all stand for something. The column must have a memory of its own.
func (p *Predictor) Numbers(column uint32, clocks, codes []uint64) (bad int) {
	if len(codes) == 0 {
		return -1
	}
	q, m := p.of(column), &p.memories[column]
	m.enter(p.run)
	if q.Period > 0 {
		return q.latticeNumbers(m, p.run, clocks, codes)
	}
	if bad := q.departures(codes); bad >= 0 {
		return bad
	}
	last, begin, end := len(codes)-1, uint64(0), uint64(0) // of what stands on the clock
	switch q.Source {
	case FromBefore:
		sum := m.value
		for i, d := range codes {
			sum += d
			codes[i] = sum
		}
	case FromTime, FromColumn:
		q.grow(m, clocks, codes)
		begin, end = clocks[0], clocks[last]
	}
	m.keep(p.run, codes[0], begin)
	m.value, m.clock = codes[last], end
	return -1
}

// Values returns the values that numbers of a column stand for: the numbers themselves, or others in a list
// that room makes. bad is the index of a number that stands for none, -1 if all stand for one.
func (s *Set) Values(column uint32, numbers []uint64, room func(n int) []uint64) (values []uint64, bad int) {
	q := s.of(column)
	if q.Divisor == 0 {
		return numbers, -1
	}
	values = room(len(numbers))
	for i, n := range numbers {
		v, ok := q.value(n)
		if !ok {
			return nil, i
		}
		values[i] = v
	}
	return values, -1
}

// departures turns codes into what they stand for. It returns the index of one that stands for nothing, -1 if all do.
func (p *Prediction) departures(codes []uint64) (bad int) {
	switch {
	case p.Unit == 1 && p.Unsigned:
	case p.Unit == 1:
		for i, code := range codes {
			codes[i] = uint64(format.Unzigzag(code))
		}
	default:
		return p.multiples(codes)
	}
	return -1
}

// multiples does it where most departures are multiples of a unit.
func (p *Prediction) multiples(codes []uint64) (bad int) {
	unit, most := int64(p.Unit), uint64(math.MaxInt64)/p.Unit
	for i, code := range codes {
		count := int64(code)
		if !p.Unsigned {
			count = format.Unzigzag(code)
		}
		if code <= math.MaxInt64 && uint64(count)+most <= 2*most { // no product is too large
			codes[i] = uint64(count * unit)
			continue
		}
		d, ok := p.departure(code)
		if !ok {
			return i
		}
		codes[i] = uint64(d)
	}
	return -1
}

// grow adds to departures the values before them, and what these grow by while clocks go on.
func (p *Prediction) grow(m *memory, clocks, departures []uint64) {
	value, before := m.value, m.clock
	if m.run == 0 {
		before = clocks[0] // nothing is added to a first value
	}
	departures = departures[:len(clocks)]
	if p.Unit > 1 {
		for i, clock := range clocks {
			value += uint64(p.growth(int64(clock-before))) + departures[i]
			departures[i], before = value, clock
		}
		return
	}
	rate := p.Rate
	for i, clock := range clocks {
		value += uint64(scaled(int64(clock-before), rate)) + departures[i]
		departures[i], before = value, clock
	}
}
