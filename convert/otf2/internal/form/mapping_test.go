package form

import (
	"math/rand/v2"
	"testing"
)

// A map answers as a list of pairs does that is searched from its begin.
func TestIDMap(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		spread := uint64(1) << rnd.IntN(64) // from dense to sparse
		pairs := make([]IDPair, rnd.IntN(50))
		for i := range pairs {
			pairs[i] = IDPair{rnd.Uint64N(spread), rnd.Uint64()}
		}
		want := func(id uint64) uint64 {
			for _, p := range pairs {
				if p.Local == id {
					return p.Global
				}
			}
			return id
		}
		m := NewIDMap(append([]IDPair(nil), pairs...))
		ids := []uint64{0, 1, Undefined32, 1<<64 - 1}
		for _, p := range pairs {
			ids = append(ids, p.Local, p.Local+1, p.Local-1)
		}
		for _, id := range ids {
			if got := m.Global(id); got != want(id) {
				t.Fatalf("pairs %v: id %d became %d, want %d", pairs, id, got, want(id))
			}
		}
		if len(m.dense) > 2*len(pairs)+64 {
			t.Fatalf("%d pairs became an array of %d", len(pairs), len(m.dense))
		}
	}
}
