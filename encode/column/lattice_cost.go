package column

import (
	"math/bits"

	"github.com/pandotrace/pando/encode/internal/bitio"
)

// SpanBits estimates the bits that times between events take, as differences or as ticks: the entropy of their sizes,
// with the bits below the leading three of each. It leaves out what the context of an event tells, which is about as much of
// a difference as of ticks, and that a large number may come again and again.
func SpanBits(spans []uint64) int64 {
	var c spanCounter
	for _, v := range spans {
		c.add(v)
	}
	return c.bits(len(spans))
}

// DifferenceBits is SpanBits of the differences between times, the first one after start.
func DifferenceBits(times []int64, start int64) int64 {
	var c spanCounter
	for _, t := range times {
		c.add(uint64(t - start))
		start = t
	}
	return c.bits(len(times))
}

// spanCounter counts spans by their sizes: below smallSpans each number is a class of its own, above it four share a power of two.
type spanCounter struct {
	counts  [256]int
	below   int // bits below the leading three, of all
	classes int
}

const smallSpans = 16

func (c *spanCounter) add(v uint64) {
	if v >= smallSpans {
		below := bits.Len64(v) - 3
		c.below += below
		v = uint64(below)<<2 + v>>below&3 + 8
	}
	c.counts[v]++
	c.classes = max(c.classes, int(v)+1)
}

// bits returns the estimate for the n spans that were added.
func (c *spanCounter) bits(n int) int64 {
	cost, all := int64(c.below)*bitio.Bit, bitio.Log2(n)
	for _, n := range c.counts[:c.classes] {
		if n > 0 {
			cost += int64(n) * (all - bitio.Log2(n))
		}
	}
	return cost / bitio.Bit
}

// PhaseBits estimates the bits that phases take: as many as their numbers have, and some to say how many these are.
func PhaseBits(phases []Phase) int64 {
	const lengths = 3
	sum := 0
	for _, p := range phases {
		sum += lengths + bits.Len(uint(p.Events)) + bits.Len64(p.Value>>p.Shift())
	}
	return int64(sum)
}
