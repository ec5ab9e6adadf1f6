package pattern_test

import (
	"testing"

	"github.com/pandotrace/pando/analysis/pattern"
)

// 10,000 ranks that exchange with four neighbours: what is taken by trying all grids, and no pattern at all.
func BenchmarkClassify(b *testing.B) {
	for _, c := range []struct {
		name      string
		connected func(x, y int) bool
	}{
		{"grid", func(x, y int) bool { d := y - x; return d == 100 || d == -100 || (d == 1 || d == -1) && x/100 == y/100 }},
		{"irregular", func(x, y int) bool { return (x*31+7)%10_000 == y || (x*x)%9973 == y || (x*17)%9967 == y || y == x^37 }},
	} {
		t := &pattern.Traffic{Ranks: 10_000}
		for x := range t.Ranks {
			for y := range t.Ranks {
				if c.connected(x, y) {
					t.Pairs = append(t.Pairs, pattern.Pair{From: x, To: y, Messages: 10})
				}
			}
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				pattern.Classify(t)
			}
		})
	}
}
