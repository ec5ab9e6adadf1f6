package column

import (
	"math/bits"

	"github.com/pandotrace/pando/encode/internal/bitio"
)

// SpanBits estimates the bits that times between events take, as differences or as ticks: the entropy of their sizes,
// with the bits below the leading three of each. It leaves out what the context of an event tells, which is about as much of
// a difference as of ticks, and that a large number may come again and again.
func SpanBits(spans []uint64) int64 {
	const small = 16 // of these each number has a class of its own, above it four share a power of two
	var counts [256]int
	cost, classes := int64(0), 0
	for _, v := range spans {
		if v >= small {
			below := bits.Len64(v) - 3
			cost += int64(below) * bitio.Bit
			v = uint64(below)<<2 + v>>below&3 + 8
		}
		counts[v]++
		classes = max(classes, int(v)+1)
	}
	all := bitio.Log2(len(spans))
	for _, n := range counts[:classes] {
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
