package layout

import (
	"sort"
)

// LowerBound returns the number of times before t.
func LowerBound(times []int64, t int64) int {
	n := len(times)
	switch {
	case n == 0 || times[0] >= t:
		return 0
	case times[n-1] < t:
		return n
	}
	return sort.Search(n, func(i int) bool { return times[i] >= t })
}
