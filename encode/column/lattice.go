package column

import (
	"math/bits"

	"github.com/pandotrace/pando/format"
)

// Shift returns the number of zero bits that a phase ends in, at most 40.
func (p Phase) Shift() uint64 { return uint64(min(bits.TrailingZeros64(p.Value), LatticeBits)) }

// Many clocks tick more coarsely than their unit says: all times of a location are floor(k*period + phase) for whole k.
// Where that holds exactly, a run of events keeps the tick counts k instead of the times, which are smaller and repeat more often.

// Period is the length of a clock's tick in units of 2^-40 of the trace's ticks; 0 means that the clock has no lattice
// that is known. A period of less than one tick of the trace is never used.
type Period uint64

const (
	// LatticeBits is the number of binary digits behind the point of periods and phases.
	LatticeBits = 40
	// LatticeUnit is one tick of the trace, as a period or phase.
	LatticeUnit = 1 << LatticeBits
	// MaxPeriod is the longest period.
	MaxPeriod = Period(1) << 60
)

// GridPeriod returns the period of times that lie on a grid of cells of some ticks: the cell or, where no period is as long, a large part of it;
// 0 if there are no cells, or no such part.
func GridPeriod(cell uint64) Period {
	const longest, tries = uint64(MaxPeriod / LatticeUnit), 1 << 12
	for least, parts := (cell+longest-1)/longest, uint64(0); cell > 0 && parts < tries; parts++ {
		if cell%(least+parts) == 0 {
			return Period(cell/(least+parts)) << LatticeBits
		}
	}
	return 0
}

func (p Period) valid() bool { return p >= LatticeUnit && p <= MaxPeriod }

func (p Period) float() float64 { return float64(p) / LatticeUnit }

func periodOf(f float64) Period {
	if !(f >= 1 && f < 1<<19) {
		return 0
	}
	return Period(f * LatticeUnit)
}

// Beyond returns a number whose highest bit tells that floor(k*period + phase) is 2^64 or more.
func (p Period) Beyond(k, phase uint64) uint64 {
	high, low := bits.Mul64(k, uint64(p))
	_, carry := bits.Add64(low, phase, 0)
	return 1<<LatticeBits - 1 - high - carry
}

// Phase is the phase of a clock over some events: while it lasts, times are start + floor(k*period + Value), k counting the
// ticks of the whole run. Clocks that are disciplined change their phase now and then.
type Phase struct {
	Events int
	// Value is in units of 2^-40 of the trace's ticks.
	Value uint64
}

// Ticks finds the tick counts of times, which do not decrease, and the phases at which the period gives exactly these times:
// ticks[i] is the number of ticks between times[i-1] and times[i] (or start and times[0]). It returns nil if there would be more
// phases than limit.
func (p Period) Ticks(ticks []uint64, phases []Phase, times []int64, start int64, limit int) []Phase {
	phases = phases[:0]
	total := uint64(0)
	for at := 0; at < len(times); {
		if len(phases) == limit {
			return nil
		}
		n, low, high := p.stretch(ticks[at:], times[at:])
		x := uint64(times[at] - start)
		lo, carry := bits.Add64(x<<LatticeBits, low, 0)
		k, rest := bits.Div64(x>>(64-LatticeBits)+carry, lo, uint64(p))
		if k < total {
			rest += (total - k) * uint64(p)
			k = total
		}
		ticks[at] = k - total
		for _, d := range ticks[at : at+n] {
			total += d
		}
		phases = append(phases, Phase{Events: n, Value: roundest(rest, rest+high-low)})
		at += n
	}
	return phases
}

// stretch counts the ticks of the longest run of times that one phase fits, setting ticks[0] to 0. The phase relative to times[0] lies in [low, high).
func (p Period) stretch(ticks []uint64, times []int64) (n int, low, high uint64) {
	reciprocal := 1 / p.float()
	y, lowest, highest := int64(0), int64(0), int64(LatticeUnit)
	ticks[0] = 0
	before := times[0]
	for i := 1; i < len(times); i++ {
		d := times[i] - before
		before = times[i]
		if d >= 1<<52 {
			return i, uint64(lowest), uint64(highest)
		}
		k := uint64(int64(float64(d) * reciprocal))      // by way of int64, which processors convert at once
		y += int64(uint64(d)<<LatticeBits - k*uint64(p)) // small, as k is about d/p
		for y <= lowest-LatticeUnit {
			y += int64(p)
			k--
		}
		for y >= highest {
			y -= int64(p)
			k++
		}
		if y <= lowest-LatticeUnit {
			return i, uint64(lowest), uint64(highest)
		}
		lowest, highest = max(lowest, y), min(highest, y+LatticeUnit)
		ticks[i] = k
	}
	return len(times), uint64(lowest), uint64(highest)
}

// roundest returns the number in [low, high) that ends in the most zero bits, among those of at most 40.
func roundest(low, high uint64) uint64 {
	for shift := LatticeBits; shift > 0; shift-- {
		if v := (low + 1<<shift - 1) >> shift << shift; v < high {
			return v
		}
	}
	return low
}

// Phases returns the number of phases that the times need.
func (p Period) Phases(ticks []uint64, times []int64) int {
	if !p.valid() {
		return len(times)
	}
	n := 0
	for at := 0; at < len(times); n++ {
		k, _, _ := p.stretch(ticks, times[at:])
		at += k
	}
	return n
}

// improve searches for the period with which the times need the fewest phases. It begins with periods that differ by up to 1/closeness.
func (p Period) improve(ticks []uint64, times []int64, closeness uint64) Period {
	best, fewest := p, p.Phases(ticks, times)
	for width := uint64(p) / closeness; width > uint64(p)/3e10 && fewest > 1; width /= 8 {
		around := best
		first, last := Period(0), Period(0)
		for i := -16; i <= 16; i++ {
			q := around + Period(int64(width/16)*int64(i))
			switch n := q.Phases(ticks, times); {
			case n < fewest:
				best, fewest, first, last = q, n, q, q
			case n == fewest && last != 0 && last+Period(width/16) == q:
				last = q
			}
		}
		if last != 0 {
			best = first + (last-first)/2
		}
	}
	return best
}

// Improve searches near a period that is known well for one with which the times need fewer phases.
func (p Period) Improve(ticks []uint64, times []int64) Period { return p.improve(ticks, times, 1e6) }

// AppendPeriods appends the periods of clocks:
//
//	uvarint  number of locations with a period
//	each     uvarint location - the one before - 1 (the first: location), varint period - the one before
func AppendPeriods(dst []byte, periods []LocationPeriod) []byte {
	dst = format.AppendUvarint(dst, uint64(len(periods)))
	next, before := uint32(0), Period(0)
	for _, p := range periods {
		dst = format.AppendUvarint(dst, uint64(p.Location-next))
		dst = format.AppendVarint(dst, int64(p.Period-before))
		next, before = p.Location+1, p.Period
	}
	return dst
}

// ReadPeriods reads what AppendPeriods wrote.
func ReadPeriods(r *format.Decoder) []LocationPeriod {
	periods := make([]LocationPeriod, r.Count(2, 1<<30))
	next, before := uint64(0), Period(0)
	for i := range periods {
		location := next + r.Uvarint()
		before += Period(r.Varint())
		if location >= 1<<32 || location < next || !before.valid() {
			r.Fail("bad period")
			return nil
		}
		periods[i] = LocationPeriod{uint32(location), before}
		next = location + 1
	}
	return periods
}

// LocationPeriod is the period of a location's clock.
type LocationPeriod struct {
	Location uint32
	Period   Period
}
