package mpe

import (
	"math"
	"math/bits"
	"sort"
)

// Some formats (CLOG-2, SLOG-2) keep times as float64 seconds. Behind them stand the whole ticks of a clock, usually
// nanoseconds: the clock's float64 reading, a large number and so rounded to a coarse binary grid, less the reading at the
// program's start. A trace keeps the ticks; a SecondsClock says which float64 each of them was, so that no more than an
// occasional residual is needed to get the source's own times back, bit by bit.

// SecondsClock is the clock of one location of a source whose times are float64 seconds.
type SecondsClock struct {
	resolution uint64 // ticks per second
	segments   []SecondsSegment
}

// SecondsSegment says what a clock gave from tick From on, up to the next segment. Tick From+n was
//
//	Origin + floor((n<<Grid + Phase) / resolution) / 1<<Grid
//
// seconds, and Phase is less than the resolution.
type SecondsSegment struct {
	From   int64
	Origin float64
	Grid   uint8
	Phase  uint64
}

// maxGrid bounds grids: times are multiples of 2^-maxGrid seconds at the finest.
const maxGrid = 60

// NewSecondsClock returns a clock of the given ticks per second, at least one. Segments must be in order; those that are not, or
// that cannot be, are left out.
func NewSecondsClock(resolution uint64, segments []SecondsSegment) *SecondsClock {
	c := &SecondsClock{resolution: max(resolution, 1)}
	for _, s := range segments {
		if n := len(c.segments); s.Grid <= maxGrid && s.Phase < c.resolution && (n == 0 || c.segments[n-1].From <= s.From) {
			c.segments = append(c.segments, s)
		}
	}
	return c
}

// Segments returns the clock's segments, in order.
func (c *SecondsClock) Segments() []SecondsSegment { return c.segments }

// Seconds returns what the clock gave at a tick.
func (c *SecondsClock) Seconds(tick int64) float64 {
	i := sort.Search(len(c.segments), func(i int) bool { return c.segments[i].From > tick }) - 1
	if i >= 0 {
		s := &c.segments[i]
		if seconds, ok := s.after(uint64(tick-s.From), c.resolution); ok {
			return seconds
		}
	}
	return float64(tick) / float64(c.resolution)
}

// after returns what the clock gave n ticks after the segment's begin; ok is false if that is too far.
func (s *SecondsSegment) after(n, resolution uint64) (seconds float64, ok bool) {
	low, carry := bits.Add64(n<<s.Grid, s.Phase, 0)
	high := n>>(64-s.Grid) + carry
	if high >= resolution {
		return 0, false
	}
	steps, _ := bits.Div64(high, low, resolution)
	return s.Origin + float64(float64(steps)*powerOf2(-int(s.Grid))), true
}

// Source returns the source's own time of a record: what the clock gave at its tick, moved by its residual. Residuals count
// float64 values: 1 is the next larger one.
func (c *SecondsClock) Source(tick, residual int64) float64 {
	return float64At(orderOf(c.Seconds(tick)) + residual)
}

// orderOf numbers float64 values in their order, 0 being 0 and -1 being -0. float64At is its inverse.
func orderOf(f float64) int64 {
	b := int64(math.Float64bits(f))
	if b < 0 {
		b ^= math.MaxInt64
	}
	return b
}

func float64At(order int64) float64 {
	if order < 0 {
		order ^= math.MaxInt64
	}
	return math.Float64frombits(uint64(order))
}

// SecondsCursor gives the ticks of the times of one location, one after the other.
type SecondsCursor struct {
	clock   *SecondsClock
	from    []uint64 // by segment: the number of the time that it begins with
	next    uint64   // number of the next time
	last    int64    // the last tick
	at      int      // number of the segment
	segment *SecondsSegment
	turn    uint64 // number of the time that the next segment begins with
	limit   int64  // the next segment's first tick
	grid    grid   // of the segment
}

// Next returns tick and residual of the next time, which is finite and less than 2^61 ticks from 0. Ticks never run
// backwards: where times do, the residual tells.
func (c *SecondsCursor) Next(seconds float64) (tick, residual int64) {
	if tick, ok := c.Exact(seconds); ok {
		return tick, 0
	}
	c.next++
	c.last = max(c.last, int64(math.RoundToEven(seconds*float64(c.clock.resolution))))
	return c.last, orderOf(seconds) - orderOf(c.clock.Seconds(c.last))
}

// Exact is Next for times without a residual. It does nothing if the next time has one.
func (c *SecondsCursor) Exact(seconds float64) (tick int64, ok bool) {
	for c.next >= c.turn {
		c.at++
		c.enter()
	}
	m, ok := c.grid.offset(seconds)
	if !ok {
		return 0, false
	}
	n, ok := c.segment.ticks(m, c.clock.resolution)
	tick = c.segment.From + n
	if !ok || tick < c.last || tick >= c.limit {
		return 0, false
	}
	c.next++
	c.last = tick
	return tick, true
}

// enter makes the segment with number at the current one.
func (c *SecondsCursor) enter() {
	c.segment = &c.clock.segments[c.at]
	c.grid = c.segment.grid()
	c.turn, c.limit = math.MaxUint64, math.MaxInt64
	if c.at+1 < len(c.from) {
		c.turn, c.limit = c.from[c.at+1], c.clock.segments[c.at+1].From
	}
}

// ticks returns the number of ticks from the segment's begin to the time of m steps of its grid; ok is false if no tick has exactly
// this time.
func (s *SecondsSegment) ticks(m, resolution uint64) (n int64, ok bool) {
	// The ticks of m are those with 0 <= n<<Grid + Phase - m*resolution < resolution.
	high, low := bits.Mul64(m, resolution)
	mask := uint64(1)<<s.Grid - 1
	if mask < resolution { // several ticks have this time: the nearest
		low, carry := bits.Add64(low, mask/2, 0)
		return int64((high+carry)<<(64-s.Grid) | low>>s.Grid), true
	}
	low, borrow := bits.Sub64(low, s.Phase, 0)
	rest := -low & mask
	low, carry := bits.Add64(low, rest, 0)
	return int64((high-borrow+carry)<<(64-s.Grid) | low>>s.Grid), rest < resolution
}

// grid is that of a segment: times are its origin and whole steps.
type grid struct{ origin, perSecond, step float64 }

func (s *SecondsSegment) grid() grid {
	return grid{s.Origin, powerOf2(int(s.Grid)), powerOf2(-int(s.Grid))}
}

// offset returns the time since the origin in steps; ok is false if it is not on the grid, before the origin or too far away.
func (g *grid) offset(seconds float64) (m uint64, ok bool) {
	steps := (seconds - g.origin) * g.perSecond
	if !(steps >= 0 && steps < 1<<61) {
		return 0, false
	}
	n := int64(steps)
	back := g.origin + steps*g.step
	return uint64(n), float64(n) == steps && math.Float64bits(back) == math.Float64bits(seconds) // 0 is not -0
}

// powerOf2 returns 2^n, for n from -1022 to 1023.
func powerOf2(n int) float64 {
	return math.Float64frombits(uint64(1023+n) << 52)
}
