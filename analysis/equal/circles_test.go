package equal

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Two things are in one circle just if each can be reached from the other, and a circle comes after those that it refers to.
func TestCircles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "things")
		to := make([][]int, n)
		reach := make([][]bool, n)
		for i := range to {
			to[i] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "references")
			reach[i] = make([]bool, n)
			reach[i][i] = true
		}
		for range n {
			for i := range n {
				for _, j := range to[i] {
					for k := range n {
						reach[i][k] = reach[i][k] || reach[j][k]
					}
				}
			}
		}
		of := make([]int, n)
		findCircles(n, func(i int) []int { return slices.Clone(to[i]) }, func(circle int, members []int) {
			for _, i := range members {
				of[i] = circle
			}
		})
		for i := range n {
			for j := range n {
				if same := reach[i][j] && reach[j][i]; (of[i] == of[j]) != same || reach[i][j] && of[j] > of[i] || of[i] == 0 {
					t.Fatalf("%d is in circle %d, %d in %d", i, of[i], j, of[j])
				}
			}
		}
	})
}

// A chain of references may be long.
func TestLongChain(t *testing.T) {
	const n = 1 << 20
	circles := 0
	findCircles(n, func(i int) []int {
		if i == n-1 {
			return nil
		}
		return []int{i + 1}
	}, func(circle int, members []int) { circles += len(members) })
	if circles != n {
		t.Errorf("%d of %d things", circles, n)
	}
}
