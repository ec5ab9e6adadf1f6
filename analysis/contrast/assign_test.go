package contrast

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestAssign holds assignments against all that there are.
func TestAssign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(0, 6).Draw(t, "rows")
		columns := rapid.IntRange(rows, 7).Draw(t, "columns")
		most := rapid.SampledFrom([]int64{1, 4, 1000, 1 << 30}).Draw(t, "most")
		costs := make([][]int64, rows)
		for r := range costs {
			costs[r] = rapid.SliceOfN(rapid.Int64Range(0, most), columns, columns).Draw(t, "costs")
		}
		sum, taken := int64(0), map[int]bool{}
		for r, c := range assign(rows, columns, func(r, c int) int64 { return costs[r][c] }) {
			if taken[c] {
				t.Fatalf("column %d is given twice", c)
			}
			taken[c] = true
			sum += costs[r][c]
		}
		if want := cheapest(costs, 0, make([]bool, columns)); sum != want || len(taken) != rows {
			t.Fatalf("%d rows cost %d, want %d and %d", len(taken), sum, rows, want)
		}
	})
}

// cheapest tries all columns for all rows from one on.
func cheapest(costs [][]int64, row int, taken []bool) int64 {
	if row == len(costs) {
		return 0
	}
	least := int64(math.MaxInt64)
	for c := range taken {
		if !taken[c] {
			taken[c] = true
			least = min(least, costs[row][c]+cheapest(costs, row+1, taken))
			taken[c] = false
		}
	}
	return least
}

// Rows that may choose freely take the columns in order: locations that are alike keep their order.
func TestAssignInOrder(t *testing.T) {
	for r, c := range assign(5, 8, func(int, int) int64 { return 3 }) {
		if r != c {
			t.Errorf("row %d has column %d", r, c)
		}
	}
}
