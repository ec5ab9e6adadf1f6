package predict

import (
	"math"
	"slices"
)

// commonUnit returns the number that most growths are multiples of.
func commonUnit(steps []step) uint64 {
	growths := make([]int64, len(steps))
	for i := range steps {
		growths[i] = steps[i].growth
	}
	return unitOf(growths)
}

// valueUnit returns the number that most values are multiples of.
func (x *chosen) valueUnit() uint64 {
	values := make([]int64, len(x.points))
	for i := range x.points {
		values[i] = int64(x.points[i].value)
	}
	return unitOf(values)
}

// unitOf returns the most frequent among the greatest common divisors of a few numbers each, if nearly all numbers are multiples of
// it, or 1.
func unitOf(numbers []int64) uint64 {
	const few = 4
	var units []uint64
	g, n := uint64(0), 0
	for _, v := range numbers {
		if v == 0 {
			continue
		}
		g = divisor(g, magnitude(v))
		if n++; n%few == 0 {
			units = append(units, g)
			g = 0
		}
	}
	unit := mode(units)
	if unit <= 1 || unit > math.MaxInt64/4 {
		return 1
	}
	others := 0
	for _, v := range numbers {
		if magnitude(v)%unit != 0 {
			others++
		}
	}
	if others > len(numbers)/64 {
		return 1
	}
	return unit
}

func magnitude(v int64) uint64 { return uint64(max(v, -v)) }

// divisor returns the greatest common divisor.
func divisor(a, b uint64) uint64 {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

// mode returns the most frequent number, 0 if there are none.
func mode(numbers []uint64) (most uint64) {
	slices.Sort(numbers)
	longest, length := 0, 0
	for i, v := range numbers {
		if i > 0 && v == numbers[i-1] {
			length++
		} else {
			length = 1
		}
		if length > longest {
			longest, most = length, v
		}
	}
	return most
}

// rates returns candidates for a rate: of steps, quartiles of what a value grows per step of the clock; and medians of the same over
// many steps, which are more exact.
func rates(steps []step) []int64 {
	var candidates []int64
	add := func(r float64) {
		if r *= 1 << 32; math.Abs(r) >= 1 && math.Abs(r) < 1<<62 {
			candidates = append(candidates, int64(math.Round(r)))
		}
	}
	if single := ratios(steps, 1); len(single) > 0 {
		for _, q := range []float64{0.25, 0.5, 0.75} {
			add(single[int(q*float64(len(single)-1))])
		}
	}
	for _, n := range []int{8, 64} {
		if r := ratios(steps, n); len(r) > 0 {
			add(r[len(r)/2])
		}
	}
	slices.Sort(candidates)
	return slices.Compact(candidates)
}

// ratios returns, in ascending order, what values grow per step of the clock, each measured over n steps.
func ratios(steps []step, n int) []float64 {
	var all []float64
	growth, span, count := 0.0, 0.0, 0
	for i := range steps {
		s := &steps[i]
		if s.run {
			growth, span, count = 0, 0, 0
			continue
		}
		growth, span, count = growth+float64(s.growth), span+float64(s.span), count+1
		if count == n {
			if span != 0 {
				all = append(all, growth/span)
			}
			growth, span, count = 0, 0, 0
		}
	}
	slices.Sort(all)
	return all
}
