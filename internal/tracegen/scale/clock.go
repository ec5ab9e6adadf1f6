package scale

import (
	"errors"
	"math"
	"math/bits"
)

// clock is the lattice that all times of the base lie on, more or less: origin + floor(k*period + phase) for whole k, each
// location with a phase of its own. Played times lie on it exactly.
type clock struct {
	origin int64
	// period is the length of a tick in units of 2^-40 of the trace's own ticks; it is 1 where there is no lattice.
	period uint64
}

const clockUnit = 1 << 40

// time returns the time of a tick.
func (c *clock) time(tick int64, phase uint64) int64 {
	high, low := bits.Mul64(uint64(tick), c.period)
	low, carry := bits.Add64(low, phase, 0)
	return c.origin + int64((high+carry)<<24|low>>40)
}

// tick returns the tick that is nearest to a time not before the origin.
func (c *clock) tick(time int64) int64 {
	if c.period == clockUnit {
		return time - c.origin
	}
	return int64(float64(time-c.origin)*clockUnit/float64(c.period) + 0.5)
}

// maxTicks bounds the ticks of a played trace, so that no sum of them overflows.
const maxTicks = 1 << 60

var errTooLong = errors.New("the times reach too far")

// settleClock finds the base's clock and turns the times of all events into ticks.
func (b *Base) settleClock() error {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, l := range b.locations {
		if times := l.events.Times; len(times) > 0 {
			first, last = min(first, times[0]), max(last, times[len(times)-1])
		}
	}
	if first > last {
		return errors.New("the base has no events")
	}
	if uint64(last-first) > maxTicks {
		return errTooLong
	}
	b.clock = clock{first, periodOf(b.shortDistances())}
	for _, l := range b.locations {
		for i, t := range l.events.Times {
			l.events.Times[i] = b.clock.tick(t)
		}
	}
	b.last = b.clock.tick(last)
	return nil
}

// longestDistance is the longest one by which a period is found, in the trace's ticks.
const longestDistance = 1000

// shortDistances returns some of the short distances between successive events.
func (b *Base) shortDistances() []float64 {
	var all []float64
	for _, l := range b.locations {
		for i := 1; i < l.events.Len(); i++ {
			if d := l.events.Times[i] - l.events.Times[i-1]; d > 0 && d <= longestDistance {
				all = append(all, float64(d))
			}
		}
	}
	some := all[:0]
	for i := 0; i < len(all); i += 1 + len(all)/500 {
		some = append(some, all[i])
	}
	return some
}

// periodOf returns the longest period that the distances are multiples of, but for rounding, in units of the clock's.
func periodOf(distances []float64) uint64 {
	const step = 1.0 / (8 * longestDistance)
	best, score := 1.0, 0.7
	for f := 1.0 / 512; f < 0.45; f += step {
		if s := alignment(distances, f); s > score+0.02 {
			best, score = f, s
		}
	}
	if len(distances) < 100 || best == 1 {
		return clockUnit
	}
	return uint64(clockUnit / best)
}

// alignment is 1 if all distances are multiples of 1/f, and about 0 if they have nothing to do with it.
func alignment(distances []float64, f float64) float64 {
	sum := 0.0
	for _, d := range distances {
		sum += math.Cos(2 * math.Pi * d * f)
	}
	return sum / float64(max(1, len(distances)))
}
