// Package order finds what has a place in the order of numbers without putting all of them in order.
package order

import "cmp"

// Nth returns the value that has n others before it in rising order. It moves values: those before it are not greater, those behind it not less
// (Hoare 1961). There must be more than n values.
func Nth[T cmp.Ordered](list []T, n int) T {
	from, to := 0, len(list)-1
	for from < to {
		pivot := list[from+(to-from)/2]
		i, j := from, to
		for i <= j {
			for list[i] < pivot {
				i++
			}
			for list[j] > pivot {
				j--
			}
			if i <= j {
				list[i], list[j] = list[j], list[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			to = j
		case n >= i:
			from = i
		default:
			return list[n]
		}
	}
	return list[n]
}
