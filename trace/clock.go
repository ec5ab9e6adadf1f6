package trace

import "math"

// Clock is the correction of one location's clock: offsets to the trace's time measured at some local times, linear
// between them. The zero Clock corrects nothing. Local times are in the source's absolute ticks.
//
// Source: the piecewise linear interpolation of OTF2's ClockOffset records.
type Clock struct {
	offsets []clockOffset
}

type clockOffset struct {
	local  uint64
	offset int64
}

// Add appends a measured offset: trace time = local + offset. Local times must increase; others are ignored.
func (c *Clock) Add(local uint64, offset int64) {
	if n := len(c.offsets); n > 0 && c.offsets[n-1].local >= local {
		return
	}
	c.offsets = append(c.offsets, clockOffset{local, offset})
}

// Corrects reports whether the clock changes times at all: one offset alone makes no interval.
func (c *Clock) Corrects() bool { return len(c.offsets) > 1 }

// Corrected returns the trace's time of a local time. cursor keeps the interval from call to call and only moves
// forward; start with 0 for each stream.
func (c *Clock) Corrected(local uint64, cursor *int) uint64 {
	if !c.Corrects() {
		return local
	}
	i := *cursor
	for i < len(c.offsets)-2 && c.offsets[i+1].local < local {
		i++
	}
	*cursor = i
	o := c.offsets[i]
	return local + uint64(o.offset) + uint64(roundToInt64(c.slope(i)*distance(o.local, local)))
}

// distance returns to-from, which may have more than 63 bits.
func distance(from, to uint64) float64 {
	if to < from {
		return -float64(from - to)
	}
	return float64(to - from)
}

// slope returns the drift of interval i: the change of the offset per tick of local time.
func (c *Clock) slope(i int) float64 {
	a, b := c.offsets[i], c.offsets[i+1]
	return float64(b.offset-a.offset) / float64(b.local-a.local)
}

// Local returns the local time that the correction most likely came from. It is a pure function of the corrected time;
// the difference to the real local time is the record's residual, usually 0.
func (c *Clock) Local(corrected uint64) uint64 {
	if !c.Corrects() {
		return corrected
	}
	i := 0
	for i < len(c.offsets)-2 && int64(c.at(i+1)-corrected) < 0 {
		i++
	}
	o := c.offsets[i]
	d := float64(int64(corrected - c.at(i)))
	return o.local + uint64(roundToInt64(d/(1+c.slope(i))))
}

// at returns the corrected time of the begin of interval i.
func (c *Clock) at(i int) uint64 { return c.offsets[i].local + uint64(c.offsets[i].offset) }

// roundToInt64 rounds half to even. What does not fit becomes the smallest int64 (as x86 has it), so that every platform
// agrees.
func roundToInt64(x float64) int64 {
	x = math.RoundToEven(x)
	if !(x > -(1<<63) && x < 1<<63) {
		return math.MinInt64
	}
	return int64(x)
}
