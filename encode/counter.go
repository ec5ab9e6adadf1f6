package encode

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/format"
)

// Counters mostly count something that goes on all the time: cycles, nanoseconds of CPU time. Where that is so, what is coded
// of a counter's value is not the difference to the one before, but what the difference departs from a rate times the
// difference of time; and where all differences are multiples of a unit, it is coded in that unit.

// Counter says how the values of one column are predicted.
type Counter struct {
	Column uint32
	// Rate is the expected increase per tick, in units of 2^-32.
	Rate uint64
	// Unit divides all differences; at least 1.
	Unit uint64
}

// firstSpan stands in place of the span of the first value in a run, which has no predecessor.
const firstSpan = math.MaxUint64

// expected returns the expected difference over a span of time, a multiple of the unit.
func (c *Counter) expected(span uint64) uint64 {
	high, low := bits.Mul64(span, c.Rate)
	e := high<<32 | low>>32
	return e - e%c.Unit
}

// code turns a difference into what is coded of it, and difference undoes it; both modulo 2^64.
func (c *Counter) code(difference, span uint64) uint64 {
	d := int64(difference - c.expected(span))
	if c.Unit > 1 {
		d /= int64(c.Unit)
	}
	return format.Zigzag(d)
}

func (c *Counter) difference(code, span uint64) uint64 {
	return uint64(format.Unzigzag(code))*c.Unit + c.expected(span)
}

// FitCounters chooses how the counters in the slices of a group are predicted, and codes their columns accordingly.
// Counters that are best coded as plain differences are not listed.
func FitCounters(group []*Slice) []Counter {
	var counters []Counter
	columns := 0
	for _, s := range group {
		columns = max(columns, len(s.Spans))
	}
	for column := range columns {
		if c, ok := fitCounter(group, column); ok {
			counters = append(counters, c)
			for _, s := range group {
				c.apply(s)
			}
		}
	}
	return counters
}

// step is a counter's increase over a span of time.
type step struct{ difference, span uint64 }

func steps(group []*Slice, column int) []step {
	var all []step
	for _, s := range group {
		if column >= len(s.Spans) {
			continue
		}
		for i, span := range s.Spans[column] {
			if span != firstSpan {
				all = append(all, step{uint64(format.Unzigzag(s.Columns[column][i])), span})
			}
		}
	}
	return all
}

// fitCounter compares a few rates by the bits that what is left over would take.
func fitCounter(group []*Slice, column int) (Counter, bool) {
	all := steps(group, column)
	if len(all) < 32 {
		return Counter{}, false
	}
	best := Counter{Column: uint32(column), Unit: commonUnit(all)}
	least := best.cost(all)
	if best.Unit == 1 {
		least *= 0.97 // a rate has to pay for itself
	}
	found := best.Unit > 1
	for _, rate := range rates(all) {
		c := Counter{Column: best.Column, Unit: best.Unit, Rate: rate}
		if cost := c.cost(all); cost < least {
			best, least, found = c, cost, true
		}
	}
	return best, found && best.exact(all)
}

// exact reports whether all steps come back. Steps of nearly 2^63 may not: what they depart from the rate is out of range.
func (c *Counter) exact(all []step) bool {
	for _, s := range all {
		if c.difference(c.code(s.difference, s.span), s.span) != s.difference {
			return false
		}
	}
	return true
}

func commonUnit(all []step) uint64 {
	g := uint64(0)
	for _, s := range all {
		for a := magnitude(s.difference); a != 0; {
			g, a = a, g%a
		}
		if g == 1 {
			return 1
		}
	}
	if g == 0 || g > math.MaxInt64 {
		return 1
	}
	return g
}

func magnitude(difference uint64) uint64 {
	if d := int64(difference); d < 0 {
		return -difference
	}
	return difference
}

// cost estimates the bits that the steps take.
func (c *Counter) cost(all []step) float64 {
	sum := 0.0
	for _, s := range all {
		sum += math.Log2(1 + float64(c.code(s.difference, s.span)))
	}
	return sum
}

// rates returns candidates: quantiles of the increases per tick.
func rates(all []step) []uint64 {
	var ratios []float64
	for i := 0; i < len(all); i += 1 + len(all)/4096 {
		if s := all[i]; s.span > 0 && int64(s.difference) > 0 {
			ratios = append(ratios, float64(s.difference)/float64(s.span))
		}
	}
	if len(ratios) == 0 {
		return nil
	}
	slices.Sort(ratios)
	var candidates []uint64
	for _, q := range []float64{0.25, 0.5, 0.75} {
		if r := ratios[int(q*float64(len(ratios)-1))] * (1 << 32); r >= 1 && r < 1<<62 {
			candidates = append(candidates, uint64(r))
		}
	}
	return candidates
}

// apply codes a slice's column anew.
func (c *Counter) apply(s *Slice) {
	if int(c.Column) >= len(s.Spans) {
		return
	}
	values := s.Columns[c.Column]
	for i, span := range s.Spans[c.Column] {
		if span != firstSpan {
			values[i] = c.code(uint64(format.Unzigzag(values[i])), span)
		}
	}
}

// appendCounters appends
//
//	uvarint  number of counters
//	each     uvarint column - the one before, uvarint rate, uvarint unit - 1
func appendCounters(dst []byte, counters []Counter) []byte {
	dst = format.AppendUvarint(dst, uint64(len(counters)))
	before := uint32(0)
	for _, c := range counters {
		dst = format.AppendUvarint(dst, uint64(c.Column-before))
		dst = format.AppendUvarint(dst, c.Rate)
		dst = format.AppendUvarint(dst, c.Unit-1)
		before = c.Column
	}
	return dst
}

func readCounters(r *format.Decoder) []Counter {
	counters := make([]Counter, r.Count(3, 1<<20))
	before := uint64(0)
	for i := range counters {
		before += r.Uvarint()
		c := Counter{Column: uint32(before), Rate: r.Uvarint(), Unit: r.Uvarint() + 1}
		if before >= sharedTimes || c.Unit == 0 || c.Unit > math.MaxInt64 || i > 0 && c.Column == counters[i-1].Column {
			r.Fail("bad counter")
			return nil
		}
		counters[i] = c
	}
	return counters
}
