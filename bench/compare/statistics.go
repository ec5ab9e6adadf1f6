package main

import (
	"math"
	"slices"
	"strconv"
)

// spread is what several measurements of one thing say.
type spread struct{ median, min, max float64 }

// spreadOf needs at least one value.
func spreadOf(values []float64) spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return spread{(sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[0], sorted[n-1]}
}

// String gives the median, and the extremes if they differ from it in what is shown.
func (s spread) String() string {
	median, least, most := figure(s.median), figure(s.min), figure(s.max)
	if least == median && most == median {
		return median
	}
	return median + " (" + least + ".." + most + ")"
}

// quantile returns the smallest value that at least this share of the values does not exceed.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

// quantiles returns the quantile of each round; the rounds, equally long, follow each other.
func quantiles(values []float64, rounds int, share float64) (of []float64) {
	for round := range slices.Chunk(values, len(values)/rounds) {
		of = append(of, quantile(round, share))
	}
	return of
}

// ratios divides round by round: what disturbs the machine for a while disturbs both sides of a fraction.
func ratios(of, to []float64) []float64 {
	r := make([]float64, len(of))
	for i := range of {
		r[i] = of[i] / to[i]
	}
	return r
}

// each applies a function to all values.
func each[T, U any](values []T, f func(T) U) []U {
	out := make([]U, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// tryEach does the same with a function that may fail.
func tryEach[T, U any](values []T, f func(T) (U, error)) (out []U, err error) {
	for _, v := range values {
		u, err := f(v)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

// figure shows three significant digits, and all digits before the point. What is no number, as the ratio to nothing, is
// not shown.
func figure(x float64) string {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return ""
	}
	decimals := 0
	if x != 0 {
		decimals = max(0, 2-int(math.Floor(math.Log10(math.Abs(x)))))
	}
	return grouped(strconv.FormatFloat(x, 'f', min(decimals, 9), 64))
}

// grouped puts commas between thousands.
func grouped(number string) string {
	end := len(number)
	for i, c := range number {
		if c == '.' {
			end = i
			break
		}
	}
	for i := end - 3; i > 0 && '0' <= number[i-1] && number[i-1] <= '9'; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return number
}
