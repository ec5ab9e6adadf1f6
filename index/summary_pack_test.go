package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A packed vector unpacks to what it was.
func TestPackedVectors(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		var v Vector
		for range r.IntN(50) {
			row := Row{Key: Key{uint64(r.IntN(3)), anyNumber(r) % 3, 0, anyNumber(r)}}
			for i := range r.IntN(4) + 1 {
				row.Sums[i] = anyNumber(r)
			}
			v = append(v, row)
		}
		slices.SortFunc(v, func(a, b Row) int { return a.Key.Compare(&b.Key) })
		if got := v.Pack().Unpack(); !slices.Equal(got, v) {
			t.Fatalf("seed %d: %v, want %v", seed, got, v)
		}
	}
}
