package table

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A batch that some columns were chosen of is used again: what is written into one column is in no other.
func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 8).Draw(t, "columns")
		b := &Batch{Vectors: make([]Vector, columns)}
		fill := func() {
			for i := range b.Vectors {
				b.Vectors[i].Ints = append(b.Vectors[i].Ints[:0], int64(i))
			}
		}
		fill()
		places := make([]int, columns)
		for i := range places {
			places[i] = i
		}
		places = rapid.Permutation(places).Draw(t, "order")[:rapid.IntRange(0, columns).Draw(t, "chosen")]
		b.choose(places)
		for i, place := range places {
			if got := b.Vectors[i].Ints; !slices.Equal(got, []int64{int64(place)}) {
				t.Fatalf("column %d is %v, not %d", i, got, place)
			}
		}
		b.Vectors = b.Vectors[:columns]
		fill()
		for i := range b.Vectors {
			if got := b.Vectors[i].Ints; !slices.Equal(got, []int64{int64(i)}) {
				t.Fatalf("column %d has %v", i, got)
			}
		}
	})
}
