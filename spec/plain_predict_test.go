package spec

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// plainPrediction is the prediction of a column.
type plainPrediction struct {
	source, other, divisor uint64
	rate                   int64
	unit                   int64 // 0 if there is none
	period                 int64 // 0 if there is none
	shares, unsigned       bool
}

func (s *plainStatistics) readPredictions(p *plain) {
	column := uint64(0)
	for range p.uvarint() {
		column += p.uvarint()
		form := uint64(p.byte())
		q := &plainPrediction{source: form % 4, shares: form/4%2 == 1, unsigned: form/32%2 == 1}
		if q.source >= 2 {
			q.rate = int64(p.varint())
		}
		if q.source == 3 || q.shares {
			q.other = column - p.uvarint()
		}
		if form/8%2 == 1 {
			q.unit = int64(p.uvarint() + 2)
		}
		if form/16%2 == 1 {
			q.divisor = p.uvarint() + 1
		}
		if form/64 == 1 {
			q.period = int64(p.uvarint()) + 2<<40
		}
		s.predictions[column] = q
	}
}

// plainMemory is what predictions know of the values before.
type plainMemory struct {
	value, clock, first, firstClock uint64
	run                             int   // 0: none
	low, high                       int64 // bounds of the phase
}

func (c *plainColumns) memory(column uint64) *plainMemory {
	if c.memories[column] == nil {
		c.memories[column] = &plainMemory{}
	}
	return c.memories[column]
}

// predicted returns the value of a column that has a code, in a run, which counts from 1.
func (c *plainColumns) predicted(column int, code, now uint64, run int) uint64 {
	q := c.predictions[uint64(column)]
	if q == nil {
		q = &plainPrediction{}
	}
	m, clock := c.memory(uint64(column)), uint64(0)
	switch {
	case q.shares:
		met["shared memory"]++
		m = c.memory(q.other)
	case q.source == 2:
		clock = now
	case q.source == 3:
		clock = c.memory(q.other).value
	}
	if m.run != run {
		m.value, m.clock = m.first, m.firstClock
	}
	value := q.departure(code)
	switch {
	case q.source == 1:
		met["from nothing"]++
	case q.source == 0 || m.run == 0:
		value += m.value
	default:
		met[[]string{"from time", "from another column"}[q.source-2]]++
		value += m.value + q.growth(int64(clock-m.clock))
	}
	if q.period > 0 {
		value = q.onLattice(m, code, clock, run)
	}
	m.value, m.clock = value, clock
	if m.run != run {
		m.run, m.first, m.firstClock = run, value, clock
	}
	if q.divisor > 0 {
		met["double"]++
		return math.Float64bits(float64(int64(value)) / float64(q.divisor))
	}
	return value
}

// onLattice returns the value that a code stands for, and narrows the bounds of the phase.
func (q *plainPrediction) onLattice(m *plainMemory, code, clock uint64, run int) uint64 {
	if m.run != run {
		m.low, m.high = 0, 1<<40
	}
	ticks := new(big.Int)
	if q.source >= 2 && m.run != 0 {
		ticks.Mul(big.NewInt(int64(clock-m.clock)), big.NewInt(q.rate))
		ticks.Rsh(ticks.Add(ticks, big.NewInt(1<<31)), 32)
	}
	if code < 1<<63 {
		ticks.Add(ticks, big.NewInt(int64(unzigzag(code%(1<<62)))))
	}
	whole, rest := ticks.Mul(ticks, big.NewInt(q.period)), new(big.Int)
	whole.DivMod(whole, big.NewInt(1<<40), rest)
	step, part := whole.Int64(), rest.Int64()
	if code >= 1<<63 {
		met["value beside the lattice"]++
		m.low, m.high = 0, 1<<40
		return m.value + uint64(step) + unzigzag(math.MaxUint64-code)
	}
	more := m.low+m.high+2*part >= 2<<40
	if code >= 1<<62 {
		met["value that the phase's middle does not give"]++
		more = !more
	}
	m.low, m.high = m.low+part, m.high+part
	if more {
		step, m.low, m.high = step+1, max(m.low-1<<40, 0), m.high-1<<40
	} else {
		m.high = min(m.high, 1<<40)
	}
	if m.run != run {
		m.low, m.high = 0, 1<<40
	}
	met["value on a lattice"]++
	return m.value + uint64(step)
}

// growth returns what the clock's steps make of the value.
func (q *plainPrediction) growth(n int64) uint64 {
	g := new(big.Int).Mul(big.NewInt(n), big.NewInt(q.rate))
	g.Rsh(g, 32) // rounds down
	if q.unit > 0 {
		unit := big.NewInt(q.unit)
		g.Add(g, big.NewInt(q.unit/2))
		g.Sub(g, new(big.Int).Mod(g, unit))
	}
	return g.And(g, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func (q *plainPrediction) departure(code uint64) uint64 {
	if q.unsigned {
		met["unsigned"]++
	}
	switch {
	case q.unit == 0 && q.unsigned:
		return code
	case q.unit == 0:
		return unzigzag(code)
	case code < 1<<63 && q.unsigned:
		return code * uint64(q.unit)
	case code < 1<<63:
		met["unit"]++
		return unzigzag(code) * uint64(q.unit)
	}
	met["departure beside the unit"]++
	return unzigzag(math.MaxUint64 - code)
}

// measured is a trace of events that carry all sorts of numbers.
func measured() trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	types := []trace.ValueType{trace.ValueUint64, trace.ValueInt64, trace.ValueDouble, trace.ValueUint64, trace.ValueInt32, trace.ValueUint64, trace.ValueUint64}
	for location := range uint64(3) {
		t.Location(location, t.Process("process"))
		r := rand.New(rand.NewPCG(1, location))
		now, bytes, picked, request := int64(0), uint64(0), []uint64{77777, 5, 1 << 40}, uint64(0)
		b := t.Events(location)
		for i := range 500 {
			now += 100 + r.Int64N(1000)
			bytes += r.Uint64N(100)
			cycles := uint64(26 * (now/10 + r.Int64N(4)))
			if i >= 300 {
				cycles += 14 // from some time on, no multiple of the unit
			}
			values := []uint64{
				cycles, cycles*3/8 + r.Uint64N(3), math.Float64bits(float64(bytes) / (1 << 20)), picked[r.IntN(len(picked))],
				uint64(r.Int64N(2000)*1000 - 1_000_000), 1000*r.Uint64N(1000) + bytes<<20,
				uint64(float64(now/11+r.Int64N(3))*10.0149 + 3.3*float64(i/120)), // processor time by a clock that ticks each 10 ns and a bit
			}
			words := []uint64{0, uint64(len(values))}
			for k, v := range values {
				words = append(words, uint64(types[k]), v)
			}
			b.Append(trace.KindMetric, now, words...)
			for _, k := range []trace.Kind{trace.KindMpiIrecvRequest, trace.KindMpiIsendComplete} {
				request += 1 + r.Uint64N(9)
				b.Append(k, now, request)
			}
		}
	}
	return t
}
