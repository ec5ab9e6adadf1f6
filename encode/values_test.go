package encode

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func roundTrip(t *testing.T, m *Model, counts []int, values []uint64) []byte {
	t.Helper()
	block := m.Encode(nil, counts, values)
	out := make([]uint64, len(values))
	if err := m.Decode(out, block, counts); err != nil {
		t.Fatalf("counts %v: %v", counts, err)
	}
	for i := range out {
		if out[i] != values[i] {
			t.Fatalf("value %d of %d: %d became %d", i, len(out), values[i], out[i])
		}
	}
	return block
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		contexts := r.IntN(12)
		b := NewBuilder(contexts)
		var all [][]int
		var vals [][]uint64
		for range r.IntN(4) {
			counts := make([]int, contexts)
			var values []uint64
			for c := range counts {
				counts[c] = r.IntN(200) * r.IntN(2)
				shift, lat := r.IntN(64), uint64(1+r.IntN(100))
				for range counts[c] {
					values = append(values, r.Uint64()>>shift/lat*lat)
				}
			}
			all, vals = append(all, counts), append(vals, values)
			b.Add(counts, values)
		}
		m := b.Build()
		bytes1 := m.Append(nil)
		m2, err := ParseModel(bytes1)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(m2.Append(nil), bytes1) {
			t.Fatal("not canonical")
		}
		for i := range all {
			roundTrip(t, m2, all[i], vals[i])
		}
	}
}
