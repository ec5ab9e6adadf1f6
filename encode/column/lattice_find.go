package column

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"
)

const (
	// leastAlignment is how well differences must line up with a frequency.
	leastAlignment = 0.7
	// surePeak is an alignment that no other frequency is likely to surpass.
	surePeak = 0.98
	// maxPeaks is the number of frequencies that are compared by the phases that times need: where differences are nearly alike, frequencies
	// that have nothing to do with the clock line up as well.
	maxPeaks, peakSample = 4, 512
)

// EstimatePeriod looks for a lattice in the times of a location, without knowing anything of its clock: the frequency
// at which the small differences line up best, improved until the times need the fewest phases. ticks is room for as many
// numbers as there are times.
func EstimatePeriod(ticks []uint64, times []int64) Period {
	if g := commonDivisor(times); g > 1 && g < 1<<18 {
		return Period(g) << LatticeBits
	}
	differences := shortDifferences(times)
	if len(differences) < 64 {
		return 0
	}
	best, fewest := Period(0), 0
	sample := times[:min(len(times), peakSample)]
	for _, p := range findPeaks(differences) {
		q := periodOf(1 / p.climb(differences))
		if !q.valid() {
			continue
		}
		// Neither is as close to the clock's as can be yet: only far fewer phases tell of a better one.
		if n := q.Phases(ticks, sample); best == 0 || n < fewest/4 {
			best, fewest = q, n
		}
	}
	if best == 0 {
		return 0
	}
	return best.improve(ticks, times, 1e3)
}

// peak is a frequency at which differences line up, found to within a step.
type peak struct{ frequency, step, score float64 }

// findPeaks returns the best of the frequencies at which differences line up. The first is the lowest of those that do so about best: multiples
// of a clock's frequency do as well as it.
func findPeaks(differences []float64) (peaks []peak) {
	longest := slices.Max(differences)
	step := 1 / (4 * longest)
	w := newWheels(differences, step)
	last := -2 // the latest step at which they line up
	var first peak
	for k := 8; float64(k)*step < 0.45; k++ { // from half of the longest on
		if w.alignment(k) <= 0.3 {
			continue
		}
		p := peak{float64(k) * step, step, 0}
		if p.score = alignment(differences, p.frequency); p.score < leastAlignment {
			continue
		}
		if p.score > first.score+0.02 {
			first = p
		}
		if n := len(peaks); k-last > 1 || n == 0 {
			peaks = append(peaks, p)
		} else if p.score > peaks[n-1].score {
			peaks[n-1] = p
		}
		if last = k; p.score >= surePeak {
			break
		}
	}
	if len(peaks) == 0 {
		return nil
	}
	peaks = slices.DeleteFunc(peaks, func(p peak) bool { return p.multipleOf(first) })
	slices.SortStableFunc(peaks, func(a, b peak) int { return cmp.Compare(b.score, a.score) })
	return append([]peak{first}, peaks[:min(len(peaks), maxPeaks)]...)
}

// multipleOf reports whether a frequency is about that of another peak, or a multiple of it.
func (p peak) multipleOf(q peak) bool {
	times := p.frequency / q.frequency
	return math.Abs(times-math.Round(times)) < 2*q.step/q.frequency
}

// climb returns the frequency at the top of a peak.
func (p peak) climb(differences []float64) float64 {
	for d := p.step / 2; d > p.step/64; d /= 2 {
		for _, f := range []float64{p.frequency - d, p.frequency + d} {
			if s := alignment(differences, f); s > p.score {
				p.frequency, p.score = f, s
			}
		}
	}
	return p.frequency
}

// shortDifferences returns some differences between successive times: short ones, as few frequencies tell them apart.
func shortDifferences(times []int64) []float64 {
	const few, longest = 160, 1 << 13
	var differences []float64
	for i := 1; i < len(times); i++ {
		if d := times[i] - times[i-1]; d > 0 && d <= longest {
			differences = append(differences, float64(d))
		}
	}
	slices.Sort(differences)
	half := max(min(len(differences), few), len(differences)/2)
	if half == 0 {
		return nil
	}
	limit := max(512, differences[half-1])
	within := sort.SearchFloat64s(differences, limit+1)
	kept := differences[:0]
	for i := 0; i < within; i += 1 + within/few {
		kept = append(kept, differences[i])
	}
	return kept
}

// commonDivisor returns the largest number that divides all differences of the times, 0 if they are all equal.
func commonDivisor(times []int64) int64 {
	g := int64(0)
	for i := 1; i < len(times) && g != 1; i++ {
		for a := times[i] - times[i-1]; a != 0; {
			g, a = a, g%a
		}
	}
	return g
}

// wheels tell fast, from a few of the differences and to a few digits, at which multiples of a frequency they line up.
type wheels struct {
	turns []uint32 // by difference: what a step of the frequency turns, in units of 2^-32
}

// wheelBits is the number of binary digits of a wheel's position that count.
const wheelBits = 10

// cosines returns the cosines of the positions of a wheel, in units of 2^-15.
var cosines = sync.OnceValue(func() *[1 << wheelBits]int32 {
	c := new([1 << wheelBits]int32)
	for i := range c {
		c[i] = int32(math.Round(math.Cos(2*math.Pi*float64(i)/(1<<wheelBits)) * (1 << 15)))
	}
	return c
})

func newWheels(differences []float64, step float64) wheels {
	const few = 32
	var w wheels
	for i := 0; i < len(differences); i += max(1, len(differences)/few) {
		w.turns = append(w.turns, uint32(int64(differences[i]*step*(1<<32))))
	}
	return w
}

// alignment is about what the function of this name returns.
func (w wheels) alignment(k int) float64 {
	cosines, sum := cosines(), int32(0)
	for _, t := range w.turns {
		sum += cosines[uint32(k)*t>>(32-wheelBits)]
	}
	return float64(sum) / float64(len(w.turns)<<15)
}

// alignment is 1 if all differences are whole multiples of 1/f, about 0 if they have nothing to do with it.
func alignment(differences []float64, f float64) float64 {
	sum := 0.0
	for _, d := range differences {
		x := d * f
		sum += math.Cos(2 * math.Pi * (x - math.Floor(x)))
	}
	return sum / float64(len(differences))
}
