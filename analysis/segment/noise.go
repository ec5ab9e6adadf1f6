package segment

import (
	"math"
	"math/bits"
)

// noise is how excesses of time are distributed: counts of them by size, to one part in 16. Those that are not above 0 count as 0.
type noise struct {
	counts [64 * noiseSteps]uint32
	total  uint64
}

// noiseSteps is the number of sizes for each doubling.
const noiseSteps = 16

// sizeOf returns the number of a size.
func sizeOf(ticks int64) int {
	if ticks < noiseSteps {
		return int(max(ticks, 0))
	}
	n := bits.Len64(uint64(ticks)) - 5
	return n*noiseSteps + int(ticks>>n)
}

// largest returns the largest time of a size.
func largest(size int) int64 {
	if size < 2*noiseSteps {
		return int64(size)
	}
	n := size/noiseSteps - 1
	return int64(size-n*noiseSteps+1)<<n - 1
}

func (n *noise) add(ticks int64) {
	n.counts[sizeOf(ticks)]++
	n.total++
}

// without returns the smallest time that a share of the excesses do not exceed, when those of another distribution, which are among them, are
// left out.
func (n *noise) without(o *noise, share float64) int64 {
	most := n.total - o.total
	if most == 0 {
		return 0
	}
	left := most - uint64(share*float64(most))
	for size := len(n.counts) - 1; size > 0; size-- {
		c := uint64(n.counts[size] - o.counts[size])
		if c >= left {
			return largest(size)
		}
		left -= c
	}
	return 0
}

// Where the tail of noise is looked at: at the excess that one in a hundred segments has, or twenty where these are less.
const (
	tailShare    = 0.01
	tailSegments = 20
)

// limit returns the excess that an interruption has at least, where the noise of the location itself is left out; see [Analysis.Judge].
func (n *noise) limit(own *noise) int64 {
	segments := float64(n.total - own.total)
	share := tailShare
	if segments > 0 && tailSegments < share*segments {
		share = tailSegments / segments
	}
	far, near := float64(n.without(own, 1-share)), float64(n.without(own, 1-10*share))
	exponent := math.Inf(1)
	if far > near {
		exponent = math.Log(10) / math.Log(far/max(near, 1))
	}
	// A hundred traces have that many segments beyond far, of which one may reach the limit.
	reached := math.Pow(max(100*share*segments, 1), 1/max(exponent, heaviest))
	return int64(min(max(beyondNoise, reached)*far, math.MaxInt64/2))
}
