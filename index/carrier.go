package index

import (
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// carrier carry the fields of items between the items and a block of values: all values of the first context, then all of
// the second, and so on. One walk over the items, which passes each field through value or one of its relatives, writes and
// reads alike: what the walk gets back is what it gave or, when carrier are read, what the block holds.
type carrier struct {
	read   bool
	next   []int // by context: where its next value stands
	values []uint64
	broken bool // something was read that is not written like that
	odd    bool // a remainder was

	period     column.Period // of the clocks; 0: the only ticks are the trace's
	remainders int           // context of what ticks leave of times
}

// write returns the values of a walk, in the memory of those that the carrier has if there is room; counts has their number by context.
func (c carrier) write(counts []int, walk func(*carrier)) []uint64 {
	c.lay(counts)
	walk(&c)
	return c.values
}

// scatter hands the values of a block to a walk; counts has their number by context.
func (c carrier) scatter(counts []int, m *column.Model, d *format.Decoder, b []byte, walk func(*carrier)) {
	c.lay(counts)
	if err := m.Decode(c.values, b, counts); err != nil {
		d.Fail("%v", err)
		return
	}
	c.read = true
	walk(&c)
	switch {
	case c.odd:
		d.Fail("a remainder makes a time of another number of ticks")
	case c.broken:
		d.Fail("a number does not fit its field")
	}
}

// lay makes room for values.
func (c *carrier) lay(counts []int) {
	c.next = make([]int, len(counts))
	all := 0
	for i, n := range counts {
		c.next[i] = all
		all += n
	}
	c.values = slices.Grow(c.values[:0], all)[:all]
}

// value carries a number.
func (c *carrier) value(context int, v uint64) uint64 {
	at := c.next[context]
	c.next[context] = at + 1
	if c.read {
		return c.values[at]
	}
	c.values[at] = v
	return v
}

// signed carries a number that may be less than 0, zigzag-coded.
func (c *carrier) signed(context int, v int64) int64 {
	return format.Unzigzag(c.value(context, format.Zigzag(v)))
}

// longer carries a length of time that is seldom less than another one: the ticks that it is longer.
func (c *carrier) longer(context int, than, d int64) int64 {
	before, more := c.ticks(than), int64(0)
	if !c.read {
		more = c.ticks(d) - before
	}
	return c.remainder(before+int64(c.value(context, uint64(more))), d)
}

// step carries a time difference that may be less than 0.
func (c *carrier) step(context int, d int64) int64 {
	k := int64(0)
	if !c.read {
		k = c.ticks(d)
	}
	return c.remainder(c.signed(context, k), d)
}

// remainder carries what k ticks leave of a time.
func (c *carrier) remainder(k, d int64) int64 {
	if c.period == 0 {
		return k
	}
	whole := c.time(k)
	d = whole + c.signed(c.remainders, d-whole)
	c.odd = c.odd || c.read && !c.has(d, k)
	return d
}

// periodBits is the number of binary digits behind the point of periods.
const periodBits = 40

// ticks returns the number of ticks whose time is nearest to d, with the sign of d.
func (c *carrier) ticks(d int64) int64 {
	switch {
	case c.period == 0 || d == 0:
		return d
	case d < 0:
		return -nearest(c.period, uint64(-d))
	}
	return nearest(c.period, uint64(d))
}

// nearest returns floor((d·2^40 + floor(period/2)) / period).
func nearest(p column.Period, d uint64) int64 {
	low, carry := bits.Add64(d<<periodBits, uint64(p)/2, 0)
	k, _ := bits.Div64(d>>(64-periodBits)+carry, low, uint64(p)) // at most 2^24, divided by more than 2^40
	return int64(k)
}

// has reports whether k is the number of ticks of d: whether 0 <= d·2^40 + floor(period/2) - k·period < period.
func (c *carrier) has(d, k int64) bool {
	if d < 0 {
		d, k = -d, -k
	}
	low, carry := bits.Add64(uint64(d)<<periodBits, uint64(c.period)/2, 0)
	high := uint64(d)>>(64-periodBits) + carry
	kHigh, kLow := bits.Mul64(uint64(k), uint64(c.period))
	low, borrow := bits.Sub64(low, kLow, 0)
	high, borrow = bits.Sub64(high, kHigh, borrow)
	return borrow == 0 && high == 0 && low < uint64(c.period)
}

// time returns the time that k ticks take, rounded.
func (c *carrier) time(k int64) int64 {
	if k < 0 {
		return -rounded(c.period, uint64(-k))
	}
	return rounded(c.period, uint64(k))
}

// rounded returns floor((k·period + 2^39) / 2^40).
func rounded(p column.Period, k uint64) int64 {
	high, low := bits.Mul64(k, uint64(p))
	low, carry := bits.Add64(low, 1<<(periodBits-1), 0)
	return int64((high+carry)<<(64-periodBits) | low>>periodBits)
}
