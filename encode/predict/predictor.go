package predict

import "github.com/pandotrace/pando/format"

// memory is what predictions need of the values before.
type memory struct {
	value, clock uint64 // the value before, and what stood on the clock then
	first, start uint64 // the same of the first value in the run
	run          uint32 // 0: no value yet
	phase        bounds // at the value before, of those on a lattice
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

// Set finds the predictions of columns.
type Set struct {
	// All are those that are stated, by column.
	All    []Prediction
	number []uint16 // by column: in All, from 1; 0 for those that are coded as differences to the value before
}

// NewSet makes the set for a number of columns, which all predictions are of.
func NewSet(columns int, all []Prediction) Set {
	s := Set{all, make([]uint16, columns)}
	for i := range all {
		s.number[all[i].Column] = uint16(i + 1)
	}
	return s
}

// Predictor follows the values of a slice, in their order, to code or decode them.
type Predictor struct {
	Set
	memories []memory // by column
	run      uint32   // from 1
}

// Reset starts a slice.
func (p *Predictor) Reset(of Set) {
	p.Set, p.run = of, 0
	p.memories = append(p.memories[:0], make([]memory, len(of.number))...)
}

// NextRun goes to the next run of the slice, at first to the first one.
func (p *Predictor) NextRun() { p.run++ }

// look returns the memory for a prediction, and what stands on the clock.
func (p *Predictor) look(q *Prediction, t int64) (m *memory, clock uint64) {
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

// Code returns what is coded of a value. ok is false if the column's prediction does not allow the value.
func (p *Predictor) Code(column uint32, v uint64, t int64) (code uint64, ok bool) {
	n := p.number[column]
	if n == 0 {
		m := &p.memories[column]
		m.enter(p.run)
		code = format.Zigzag(int64(v - m.value))
		m.keep(p.run, v, 0)
		return code, true
	}
	q := &p.All[n-1]
	whole, ok := q.whole(v)
	m, clock := p.look(q, t)
	code, fits := q.codeOf(m, p.run, whole, clock)
	return code, ok && fits
}

// Value is the inverse of Code. ok is false if there is no such value.
func (p *Predictor) Value(column uint32, code uint64, t int64) (v uint64, ok bool) {
	n := p.number[column]
	if n == 0 {
		m := &p.memories[column]
		m.enter(p.run)
		v = m.value + uint64(format.Unzigzag(code))
		m.keep(p.run, v, 0)
		return v, true
	}
	q := &p.All[n-1]
	m, clock := p.look(q, t)
	whole, ok := q.numberOf(m, p.run, code, clock)
	v, fits := q.value(whole)
	return v, ok && fits
}

// codeOf returns what is coded of a number in a run, and keeps it.
func (p *Prediction) codeOf(m *memory, run uint32, number, clock uint64) (code uint64, ok bool) {
	if p.Period == 0 {
		code, ok = p.code(int64(number - p.expected(m, clock)))
		m.keep(run, number, clock)
		return code, ok
	}
	m.begin(run)
	code, phase, ok := p.latticeCode(m, number, clock)
	m.keepPhase(run, number, clock, phase)
	return code, ok
}

// numberOf is the inverse of codeOf.
func (p *Prediction) numberOf(m *memory, run uint32, code, clock uint64) (number uint64, ok bool) {
	if p.Period == 0 {
		departure, ok := p.departure(code)
		number = p.expected(m, clock) + uint64(departure)
		m.keep(run, number, clock)
		return number, ok
	}
	m.begin(run)
	number, phase, ok := p.latticeValue(m, code, clock)
	m.keepPhase(run, number, clock, phase)
	return number, ok
}

// begin forgets the phase at the begin of a run.
func (m *memory) begin(run uint32) {
	if m.run != run {
		m.phase = anyPhase
	}
}

// keepPhase takes a value on a lattice. The first one of a run tells nothing of the phase: what it is compared with is of another location.
func (m *memory) keepPhase(run uint32, value, clock uint64, phase bounds) {
	if m.phase = phase; m.run != run {
		m.phase = anyPhase
	}
	m.keep(run, value, clock)
}
