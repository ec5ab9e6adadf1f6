package main

import "testing"

// Ranks of the 95 % interval of a median, from tables (Conover, Practical Nonparametric Statistics, 3rd ed., table A3), counted from 0.
func TestRank(t *testing.T) {
	for _, test := range []struct{ n, rank int }{{6, 0}, {9, 1}, {12, 2}, {15, 3}, {21, 5}, {25, 7}} {
		if got := rank(test.n); got != test.rank {
			t.Errorf("rank(%d) = %d, want %d", test.n, got, test.rank)
		}
	}
}

func TestRow(t *testing.T) {
	before, after := []float64{1, 2, 4, 1, 2, 4}, []float64{2, 2, 4, 1, 2, 2}
	const want = "2.000 | 2.000 | **1.000** | 0.500 to 2.000 | 0.50 to 2.00"
	if got := row(before, after); got != want {
		t.Errorf("row = %s, want %s", got, want)
	}
}
