package mpe

import (
	"math"
	"math/bits"
)

// SecondsFit finds the clock behind the times of one location, which are given in order. It needs little memory, however
// many they are.
type SecondsFit struct {
	resolution uint64
	segments   []SecondsSegment
	from       []uint64 // by segment: the number of the time that it begins with
	times      uint64
	sample     []float64 // the begin of the last segment, as long as its grid is not known
	low, high  uint64    // the last segment's phase lies in [low, high)
	misfit     int       // rises with times that do not fit, sinks with those that do
	calm       int       // times since the last one that did not fit
}

// Bounds of a fit.
const (
	sampleTimes    = 24   // from which a grid is found
	misfitStep     = 8    // what a time that does not fit weighs; one that fits weighs -1
	misfitByOne    = 2    // what one weighs that was rounded twice, and so to the wrong side
	misfitLimit    = 32   // from which on a new segment begins
	calmTimes      = 512  // that fit, one after the other, after which not all are looked at
	freeSegments   = 16   // that every clock may have,
	timesOfSegment = 1024 // times for each segment beyond these
)

// NewSecondsFit starts a fit with the given ticks per second, at most 2^32.
func NewSecondsFit(resolution uint64) *SecondsFit { return &SecondsFit{resolution: resolution} }

// Add takes in the next times, which are finite and less than 2^61 ticks from 0.
func (f *SecondsFit) Add(seconds ...float64) {
	for _, s := range seconds {
		if f.calm < calmTimes || f.times%4 == 0 { // else a sample is enough
			f.look(s)
		}
		f.times++
	}
}

func (f *SecondsFit) look(seconds float64) {
	switch {
	case len(f.segments) == 0:
		f.begin(seconds)
	case len(f.sample) > 0:
		if f.sample = append(f.sample, seconds); len(f.sample) == sampleTimes {
			f.settle()
		}
	default:
		f.weigh(f.narrow(seconds))
		if f.misfit >= misfitLimit && uint64(len(f.segments)) < freeSegments+f.times/timesOfSegment {
			f.end()
			f.begin(seconds)
		}
	}
}

// Clock ends the fit and returns the clock.
func (f *SecondsFit) Clock() *SecondsClock {
	f.end()
	return NewSecondsClock(f.resolution, f.segments)
}

// Cursor returns a cursor over the times that the fit was made with, for the clock that it returned.
func (f *SecondsFit) Cursor(clock *SecondsClock) *SecondsCursor {
	c := &SecondsCursor{clock: clock, from: f.from, last: math.MinInt64}
	if len(f.from) > 0 {
		c.enter()
	}
	return c
}

func (f *SecondsFit) begin(seconds float64) {
	from := int64(math.RoundToEven(seconds * float64(f.resolution)))
	if n := len(f.segments); n > 0 {
		from = max(from, f.segments[n-1].From)
	}
	f.segments = append(f.segments, SecondsSegment{From: from, Origin: seconds})
	f.from = append(f.from, f.times)
	f.sample = append(f.sample[:0], seconds)
	f.low, f.high, f.misfit, f.calm = 0, f.resolution, 0, 0
}

func (f *SecondsFit) end() {
	if len(f.segments) == 0 {
		return
	}
	if len(f.sample) > 0 {
		f.settle()
	}
	f.segments[len(f.segments)-1].Phase = f.low + (f.high-f.low)/2
}

// settle finds the grid of the last segment.
func (f *SecondsFit) settle() {
	s := &f.segments[len(f.segments)-1]
	for _, t := range f.sample {
		s.Grid = max(s.Grid, gridOf(t-s.Origin))
	}
	for _, t := range f.sample {
		f.weigh(f.narrow(t))
	}
	f.sample = nil
}

// weigh takes in what a time weighs.
func (f *SecondsFit) weigh(misfit int) {
	f.misfit = max(f.misfit+misfit, 0)
	if f.calm++; misfit > 0 {
		f.calm = 0
	}
}

// gridOf returns the number of binary digits that a time has behind the point, at most maxGrid.
func gridOf(seconds float64) uint8 {
	if seconds == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(seconds)
	mantissa := uint64(math.Abs(fraction) * (1 << 53))
	return uint8(min(max(53-exponent-bits.TrailingZeros64(mantissa), 0), maxGrid))
}

// narrow narrows the phase so that a tick of the last segment has the given time. It returns what the time weighs.
func (f *SecondsFit) narrow(seconds float64) (misfit int) {
	s := &f.segments[len(f.segments)-1]
	g := s.grid()
	m, ok := g.offset(seconds)
	switch {
	case !ok:
		return misfitStep
	case uint64(1)<<s.Grid <= f.resolution:
		return -1
	}
	// Tick n has this time if the phase is in [p, p+resolution), where p is m*resolution - n<<Grid. The last tick
	// for which that ends behind low is the only one that can be.
	high, low := bits.Mul64(m, f.resolution)
	end, carry := bits.Add64(low, f.resolution-1-f.low, 0)
	n := (high+carry)<<(64-s.Grid) | end>>s.Grid
	phase := int64(low - n<<s.Grid)
	from, to := max(int64(f.low), phase), min(int64(f.high), phase+int64(f.resolution))
	switch {
	case from < to:
		f.low, f.high = uint64(from), uint64(to)
		return -1
	case from-to < int64(f.resolution) || 1<<s.Grid-(from-to) < int64(f.resolution):
		return misfitByOne
	}
	return misfitStep
}
