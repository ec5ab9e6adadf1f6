package trace

import (
	"cmp"
	"math"
)

// What the calls, messages, collective operations and metric values of a window [from, to) add up to. Sums are exact.

// CallTotals is what the calls of a region on a location add up to.
type CallTotals struct {
	// Location and Region are those of [Call].
	Location, Region uint64
	// Count is the number of calls that overlap the window, see [Call.Overlaps].
	Count uint64
	// Inclusive is the sum of their durations within the window, in ticks: with recursion it may be more than the window is long.
	Inclusive Sum
	// Exclusive is the same less the durations within the window of their direct children.
	Exclusive Sum
	// Busy is the time in the window with at least one open call of the region.
	Busy Sum
}

// MessageTotals is what the messages from a location to another add up to: those that overlap the window.
type MessageTotals struct {
	SendLocation, ReceiveLocation uint64
	Count                         uint64
	// Bytes is the sum of the lengths as sent.
	Bytes Sum
}

// CollectiveTotals is what the collective operations of a kind on a communicator add up to on a location: those whose end, an
// MpiCollectiveEnd or NonBlockingCollectiveComplete, lies in the window.
type CollectiveTotals struct {
	Location, Operation, Communicator uint64
	Count                             uint64
	// Sent and Received are bytes.
	Sent, Received Sum
}

// MetricTotals is what one counter of a metric was on a location. Its values are those of equal type in the same place of the
// location's Metric events; each holds until the next one, and the last one until the last event of the trace.
type MetricTotals struct {
	Location, Metric uint64
	// Member is the place among the values of the events, from 0.
	Member uint64
	// Type is that of Min, Max and Last.
	Type ValueType
	// Count is the number of values in the window.
	Count uint64
	// Min and Max are the extremes of the values in the window, 0 if there are none; not a number is less than all numbers.
	Min, Max uint64
	// Last is the value at the window's last instant: in the window or before it.
	Last uint64
	// Integral is the integral of the value over the window, as far as there is one, in its unit times ticks: exact for
	// integers, 0 for others.
	Integral Sum
	// FloatIntegral is the same for values that are floats, added up in time order, each time rounded.
	FloatIntegral float64
}

// MetricPixels is what a counter was on a location, pixel by pixel. Values of another type are another counter.
type MetricPixels struct {
	Location uint64
	Type     ValueType
	Pixels   []MetricPixel
}

// MetricPixel is what a counter was in a pixel.
type MetricPixel struct {
	// Known is false before the counter's first value, and of a pixel without any time.
	Known bool
	// Count is the number of values in the pixel. Min and Max are their extremes, or Last if there are none.
	Count    uint64
	Min, Max uint64
	// Last is the value at the pixel's last instant: in the pixel or before it.
	Last uint64
}

// IsFloat reports whether values of this type are floats.
func (t ValueType) IsFloat() bool { return t == ValueFloat || t == ValueDouble }

// IsSigned reports whether values of this type are signed integers.
func (t ValueType) IsSigned() bool { return t >= ValueInt8 && t <= ValueInt64 }

// Float returns the number that a value of this type stands for, rounded.
func (t ValueType) Float(v uint64) float64 {
	switch {
	case t == ValueFloat:
		return float64(math.Float32frombits(uint32(v)))
	case t == ValueDouble:
		return math.Float64frombits(v)
	case t.IsSigned():
		return float64(int64(v))
	}
	return float64(v)
}

// Compare orders values of this type as numbers; not a number comes before all others.
func (t ValueType) Compare(a, b uint64) int {
	switch {
	case t.IsFloat():
		return cmp.Compare(t.Float(a), t.Float(b))
	case t.IsSigned():
		return cmp.Compare(int64(a), int64(b))
	}
	return cmp.Compare(a, b)
}

// Times returns a value of an integral type times a number of ticks.
func (t ValueType) Times(v, ticks uint64) Sum { return product(v, t.IsSigned(), ticks) }

// Summary is what a window adds up to, exactly. Lines are ordered by location (in the order of definition), then by the other
// ids that name them. There are none for what does not occur in the window.
type Summary struct {
	Calls       []CallTotals
	Messages    []MessageTotals
	Collectives []CollectiveTotals
	Metrics     []MetricTotals
}
