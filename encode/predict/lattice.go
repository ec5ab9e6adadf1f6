package predict

import (
	"math/bits"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/format"
)

// Counters that read a clock which ticks more coarsely than their unit, like the processor time of a thread, lie on a lattice: floor(n·period +
// phase) for whole n. The phase changes now and then. What is coded is a number of ticks; of the phase, reader and writer learn from the values
// themselves between which bounds it lies, and begin anew where a value fits none between them.

// minPeriod keeps the values of one number of ticks apart from those of the next.
const minPeriod = 2 * column.LatticeUnit

// Ranges of codes on a lattice: a number of ticks by which the value is the one that the middle of the bounds gives, or the other one that the
// bounds allow; or a departure from what is expected, of a value that they do not allow.
const (
	otherCode = 1 << 62
	awayCode  = 1 << 63
)

// bounds are those of the phase at a value, in units of 2^-40: low is allowed, high is not.
type bounds struct{ low, high uint64 }

// anyPhase allows all.
var anyPhase = bounds{0, column.LatticeUnit}

// ticked is where a number of ticks leads: by whole steps or one more, and a part of one.
type ticked struct {
	whole int64
	part  uint64
}

// mostTicks bounds the ticks between two values.
const mostTicks = 1 << 60

// after returns where n ticks lead; ok is false if they are too many, or the steps do not fit into 64 bits.
func (p *Prediction) after(n int64) (t ticked, ok bool) {
	if t, ok = lead(n, p.Period); !ok {
		t = ticked{}
	}
	return t, ok
}

// lead returns where n ticks of a period lead, and whether that is so.
func lead(n int64, period column.Period) (t ticked, ok bool) {
	high, low := product(n, int64(period))
	t = ticked{int64(high<<(64-column.LatticeBits) | low>>column.LatticeBits), low & (column.LatticeUnit - 1)}
	return t, uint64(n+mostTicks-1) < 2*mostTicks-1 && int64(high)>>(column.LatticeBits-1) == t.whole>>63
}

// more reports whether the middle of the bounds makes it one step more.
func (b bounds) more(t ticked) bool { return b.low+b.high+2*t.part >= 2*column.LatticeUnit }

// narrow returns the bounds after a number of ticks, with one step more or not; ok is false if they do not allow that.
func (b bounds) narrow(t ticked, more bool) (after bounds, ok bool) {
	after = bounds{b.low + t.part, b.high + t.part}
	if more {
		after = bounds{max(after.low, column.LatticeUnit) - column.LatticeUnit, max(after.high, column.LatticeUnit) - column.LatticeUnit}
	} else {
		after.high = min(after.high, column.LatticeUnit)
	}
	return after, after.low < after.high
}

// ticksTo returns the only number of ticks that can lead to a step from one value to the next: the least one that leads to a step less, as a
// period has two steps or more.
func (p *Prediction) ticksTo(step int64) int64 {
	least := step - 1
	magnitude := uint64(least)
	if least < 0 {
		magnitude = -magnitude
	}
	quotient, rest := bits.Div64(magnitude>>(64-column.LatticeBits), magnitude<<column.LatticeBits, uint64(p.Period))
	if least < 0 {
		return -int64(quotient)
	}
	if rest > 0 {
		quotient++
	}
	return int64(quotient)
}

// expectedTicks returns the number of ticks that is predicted: the nearest one to what the rate gives.
func (p *Prediction) expectedTicks(m *memory, clock uint64) int64 {
	if p.Source < FromTime || m.run == 0 {
		return 0
	}
	return nearest(int64(clock-m.clock), p.Rate)
}

// nearest returns a number of steps times a rate in units of 2^-32, rounded to the nearest number.
func nearest(steps, rate int64) int64 {
	high, low := product(steps, rate)
	low, carry := bits.Add64(low, 1<<31, 0)
	return int64((high+carry)<<32 | low>>32)
}

// latticeCode returns what is coded of a value, and the bounds of the phase after it. ok is false if the value has no code.
func (p *Prediction) latticeCode(m *memory, value, clock uint64) (code uint64, after bounds, ok bool) {
	expected, step := p.expectedTicks(m, clock), int64(value-m.value)
	if n, t, more, after, ok := p.locate(m.phase, step); ok {
		code := format.Zigzag(n - expected)
		if more != m.phase.more(t) {
			return code + otherCode, after, code < otherCode
		}
		return code, after, code < otherCode
	}
	t, _ := p.after(expected)
	code = ^format.Zigzag(step - t.whole)
	return code, anyPhase, code >= awayCode
}

// locate returns by how many ticks, and with one step more or not, a step is on the lattice within bounds of the phase; ok is false if it is not.
func (p *Prediction) locate(phase bounds, step int64) (n int64, t ticked, more bool, after bounds, ok bool) {
	n = p.ticksTo(step)
	if t, ok = p.after(n); !ok {
		return
	}
	switch step - t.whole {
	case 0:
		after, ok = phase.narrow(t, false)
	case 1:
		more = true
		after, ok = phase.narrow(t, true)
	default:
		ok = false
	}
	return n, t, more, after, ok
}

// latticeValue is the inverse of latticeCode. ok is false if no value has the code.
func (p *Prediction) latticeValue(m *memory, code, clock uint64) (value uint64, after bounds, ok bool) {
	expected := p.expectedTicks(m, clock)
	if code >= awayCode {
		t, _ := p.after(expected)
		step := t.whole + format.Unzigzag(^code)
		_, _, _, _, on := p.locate(m.phase, step)
		return m.value + uint64(step), anyPhase, !on
	}
	t, ok := p.after(expected + format.Unzigzag(code&(otherCode-1)))
	more := m.phase.more(t) != (code >= otherCode)
	after, allowed := m.phase.narrow(t, more)
	return m.value + uint64(t.whole) + uint64(bitio.FromBool(more)), after, ok && allowed
}

// latticeNumbers turns the codes of values that follow each other in a run into numbers. It returns the index of a code that no value has, -1
// if all are those of values.
func (p *Prediction) latticeNumbers(m *memory, run uint32, clocks, codes []uint64) (bad int) {
	clock := uint64(0)
	for i := 0; i < len(codes); i++ {
		if m.run == run {
			if i += p.usual(m, clocks[min(i, len(clocks)):], codes[i:]); i == len(codes) {
				break
			}
		}
		if clocks != nil {
			clock = clocks[i]
		}
		if _, ok := p.numberOf(m, run, codes[i], clock); !ok {
			return i
		}
		codes[i] = m.value
	}
	return -1
}

// usual is latticeNumbers for what nearly all codes are: of values behind the first one of a run, that the middle of the bounds gives. It returns
// how many of the first ones are such. Clocks are those of the codes, or none.
func (p *Prediction) usual(m *memory, clocks, codes []uint64) (n int) {
	value, clock, phase, rate, period := m.value, m.clock, m.phase, p.Rate, p.Period
	if p.Source < FromTime {
		rate = 0
	}
	for n < len(codes) {
		code, now := codes[n], uint64(0)
		if n < len(clocks) {
			now = clocks[n]
		}
		t, ok := lead(nearest(int64(now-clock), rate)+format.Unzigzag(code), period)
		more := phase.more(t)
		narrower, allowed := phase.narrow(t, more)
		if !ok || !allowed || code >= otherCode {
			break
		}
		value += uint64(t.whole) + uint64(bitio.FromBool(more))
		codes[n], clock, phase = value, now, narrower
		n++
	}
	m.value, m.clock, m.phase = value, clock, phase
	return n
}
