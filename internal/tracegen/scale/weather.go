package scale

import (
	"math"
	"math/rand/v2"
)

// weather is what delays all locations of a copy alike: now and then, at the same instants of the base for all of them, time
// passes in which nothing happens. So no two repetitions take equally long, and what came before something else still does.
type weather struct {
	dice  *rand.Rand
	mean  float64 // of a delay, in ticks
	step  int64   // from instant to instant
	first int64   // instant of the body, and the end of them: ticks of the base at which all locations are in the body
	end   int64
	next  int64 // instant, never if there is no other
	total int64 // of all delays so far, in ticks
}

// The number of instants of a body that have delays; together they make it longer by one part in delayShare on the average.
const (
	delaysPerBody = 16
	delayShare    = 40

	never = maxTicks << 1
)

func newWeather(b *Base, seed uint64, number int) *weather {
	first, end := int64(0), b.last
	for _, l := range b.locations {
		if l.from < l.to {
			first, end = max(first, l.tickAt(l.from)), min(end, l.tickAt(l.to))
		}
	}
	step := max(1, b.length/delaysPerBody)
	w := &weather{
		dice: rand.New(rand.NewPCG(seed, uint64(number)<<32)), mean: float64(step) / delayShare,
		step: step, first: first + step/2, end: end,
	}
	w.rewind()
	if number > 0 {
		w.total = w.dice.Int64N(step) // copies do not begin together
	}
	return w
}

// rewind goes back to the begin of the body.
func (w *weather) rewind() { w.settle(w.first) }

// settle sets the next instant.
func (w *weather) settle(next int64) {
	if w.next = next; next >= w.end {
		w.next = never
	}
}

// pass moves to a tick of the base: the delays of all instants up to it have come.
func (w *weather) pass(tick int64) {
	for w.next <= tick {
		w.total += int64(w.dice.ExpFloat64() * w.mean)
		w.settle(w.next + w.step)
	}
}

// most returns a bound of the total delay over the repetitions: its mean and ten standard deviations.
func (w *weather) most(repetitions int) int64 {
	n := float64(repetitions) * delaysPerBody
	return w.step + int64((n+10*math.Sqrt(n))*w.mean)
}

// repeat moves to the end of the body and back to its begin.
func (w *weather) repeat() {
	w.pass(w.end)
	w.rewind()
}
