package merged

import (
	"cmp"
	"math"
	"sort"
)

// Mark is a place in the merged order of a slice: before what is of a time, a location, and an event of it, or behind that.
type Mark struct {
	Time     int64  // in ticks
	Location uint32 // its index
	Ordinal  uint64
}

// Begin and End are before and behind all that a slice has.
var (
	Begin = Mark{Time: math.MinInt64}
	End   = Mark{Time: math.MaxInt64}
)

// Compare returns a negative number, zero, or a positive one, as the mark stands before another one, with it, or behind it.
func (m Mark) Compare(o Mark) int {
	return cmp.Or(cmp.Compare(m.Time, o.Time), cmp.Compare(m.Location, o.Location), cmp.Compare(m.Ordinal, o.Ordinal))
}

// In returns how many of the events of a location, of which the first ordinal and the times are known, stand before the mark.
func (m Mark) In(times []int64, location uint32, first uint64) int {
	return sort.Search(len(times), func(i int) bool { return m.Compare(Mark{times[i], location, first + uint64(i)}) <= 0 })
}
