package column

import (
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync"

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

// EstimatePeriod looks for a lattice in the times of a location, without knowing anything of its clock: the frequency
// at which the small differences line up best, improved until the times need the fewest phases. ticks is room for as many
// numbers as there are times.
func EstimatePeriod(ticks []uint64, times []int64) Period {
	if g := commonDivisor(times); g > 1 && g < 1<<18 {
		return Period(g) << LatticeBits
	}
	differences := shortDifferences(times)
	if len(differences) < 64 {
		return 0
	}
	longest := slices.Max(differences)
	step := 1 / (4 * longest)
	best, score := 0.0, 0.0
	w := newWheels(differences, step)
	for k := 8; float64(k)*step < 0.45 && score < 0.98; k++ { // from half of the longest on
		if f := float64(k) * step; w.alignment(k) > 0.3 {
			if s := alignment(differences, f); s > score+0.02 {
				best, score = f, s
			}
		}
	}
	if score < 0.7 {
		return 0
	}
	for d := step / 2; d > step/64; d /= 2 { // climb to the top of the peak
		for _, f := range []float64{best - d, best + d} {
			if s := alignment(differences, f); s > score {
				best, score = f, s
			}
		}
	}
	p := periodOf(1 / best)
	if !p.valid() {
		return 0
	}
	return p.improve(ticks, times, 1e3)
}

// Improve searches near a period that is known well for one with which the times need fewer phases.
func (p Period) Improve(ticks []uint64, times []int64) Period { return p.improve(ticks, times, 1e6) }

// shortDifferences returns some differences between successive times: short ones, as few frequencies tell them apart.
func shortDifferences(times []int64) []float64 {
	const few, longest = 160, 1 << 13
	var differences []float64
	for i := 1; i < len(times); i++ {
		if d := times[i] - times[i-1]; d > 0 && d <= longest {
			differences = append(differences, float64(d))
		}
	}
	slices.Sort(differences)
	half := max(min(len(differences), few), len(differences)/2)
	if half == 0 {
		return nil
	}
	limit := max(512, differences[half-1])
	within := sort.SearchFloat64s(differences, limit+1)
	kept := differences[:0]
	for i := 0; i < within; i += 1 + within/few {
		kept = append(kept, differences[i])
	}
	return kept
}

// commonDivisor returns the largest number that divides all differences of the times, 0 if they are all equal.
func commonDivisor(times []int64) int64 {
	g := int64(0)
	for i := 1; i < len(times) && g != 1; i++ {
		for a := times[i] - times[i-1]; a != 0; {
			g, a = a, g%a
		}
	}
	return g
}

// wheels tell fast, from a few of the differences and to a few digits, at which multiples of a frequency they line up.
type wheels struct {
	turns []uint32 // by difference: what a step of the frequency turns, in units of 2^-32
}

// wheelBits is the number of binary digits of a wheel's position that count.
const wheelBits = 10

// cosines returns the cosines of the positions of a wheel, in units of 2^-15.
var cosines = sync.OnceValue(func() *[1 << wheelBits]int32 {
	c := new([1 << wheelBits]int32)
	for i := range c {
		c[i] = int32(math.Round(math.Cos(2*math.Pi*float64(i)/(1<<wheelBits)) * (1 << 15)))
	}
	return c
})

func newWheels(differences []float64, step float64) wheels {
	const few = 32
	var w wheels
	for i := 0; i < len(differences); i += max(1, len(differences)/few) {
		w.turns = append(w.turns, uint32(int64(differences[i]*step*(1<<32))))
	}
	return w
}

// alignment is about what the function of this name returns.
func (w wheels) alignment(k int) float64 {
	cosines, sum := cosines(), int32(0)
	for _, t := range w.turns {
		sum += cosines[uint32(k)*t>>(32-wheelBits)]
	}
	return float64(sum) / float64(len(w.turns)<<15)
}

// alignment is 1 if all differences are whole multiples of 1/f, about 0 if they have nothing to do with it.
func alignment(differences []float64, f float64) float64 {
	sum := 0.0
	for _, d := range differences {
		x := d * f
		sum += math.Cos(2 * math.Pi * (x - math.Floor(x)))
	}
	return sum / float64(len(differences))
}

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
