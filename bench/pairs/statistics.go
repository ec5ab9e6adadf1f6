package main

import (
	"fmt"
	"slices"
)

// minPairs is the least number of pairs whose extremes have the median between them with a probability of 95 %.
const minPairs = 6

// row is what the runs of a command say: medians, and the ratios of pairs.
func row(before, after []float64) string {
	ratios := make([]float64, len(before))
	for i := range ratios {
		ratios[i] = after[i] / before[i]
	}
	slices.Sort(ratios)
	low := rank(len(ratios))
	return fmt.Sprintf("%.3f | %.3f | **%.3f** | %.3f to %.3f | %.2f to %.2f", median(before), median(after), median(ratios),
		ratios[low], ratios[len(ratios)-1-low], ratios[0], ratios[len(ratios)-1])
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// rank returns the largest k for which the median lies between the k-th smallest and the k-th largest of n values, counted from 0, with a
// probability of at least 95 %: the number of values below the median is binomial.
func rank(n int) int {
	outside, term := 0.0, 1.0 // term is the probability of k values below the median
	for range n {
		term /= 2
	}
	for k := range n / 2 {
		if outside += 2 * term; outside > 0.05 {
			return k - 1
		}
		term *= float64(n-k) / float64(k+1)
	}
	return n/2 - 1
}
