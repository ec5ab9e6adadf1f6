package trace

import (
	"math/rand/v2"
	"testing"
)

func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, limit := range []uint64{10, 1000, 1 << 20, 1<<64 - 1} {
		var n Numbers
		plain := map[uint64]uint32{}
		for range 3000 {
			id := random.Uint64N(limit)
			want, known := plain[id]
			if got, ok := n.Of(id); ok != known || got != want {
				t.Fatalf("id %d below %d has the number %d, %v; want %d, %v", id, limit, got, ok, want, known)
			}
			if !known {
				plain[id] = n.Add(id)
			}
		}
		if n.Len() != len(plain) || len(n.dense) > 2*len(plain)+leastPlaces {
			t.Errorf("%d numbers and %d places for %d ids below %d", n.Len(), len(n.dense), len(plain), limit)
		}
		seen := map[uint32]bool{}
		for _, number := range plain {
			seen[number] = true
		}
		if len(seen) != len(plain) || !seen[0] || !seen[uint32(len(plain)-1)] {
			t.Errorf("%d different numbers for %d ids", len(seen), len(plain))
		}
	}
}
