package fold

import (
	"math"
	"math/bits"
)

// sum is the time of a region in a pixel, on the members that have any.
type sum struct {
	region  uint64 // id
	ticks   uint64 // of all, up to MaxUint64
	least   uint64
	members uint32
}

// busySum is the time in calls in a pixel: of all members, the least and the most of those that have any, and their number.
type busySum struct {
	sum, least, most uint64
	members          uint32
}

// pile adds up the members of a group.
type pile struct {
	group, members int
	left           int           // members that were not read yet
	sums           []sum         // pixel by pixel, and in each by region
	ends           []int         // of the sums of each pixel
	busy           []busySum     // by pixel
	errors         []uint64      // by pixel
	times          []memberTimes // by pixel, as quantiles need them; nil without
	slab           []uint32      // room for parts of these
	some           []uint32      // those of a pixel
	shift          uint          // they are in units of 1 << shift ticks
	// mixed are the pixels whose union the sums do not tell, nil if there are none; union is what calls told.
	mixed []bool
	union []uint64
	spans []span // busy ones of members, which the sweep collects
}

// plus adds, up to the greatest number.
func plus(a, b uint64) uint64 {
	if s := a + b; s >= a {
		return s
	}
	return math.MaxUint64
}

// times multiplies, up to the greatest number.
func times(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return math.MaxUint64
}

// startOf returns where the list of a pixel begins, of which the ends are known.
func startOf(ends []int, pixel int) int {
	if pixel == 0 {
		return 0
	}
	return ends[pixel-1]
}
