package waits

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Records come back, from memory and from the file.
func TestSpool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSpool[Step](rapid.Int64Range(0, 3000).Draw(t, "memory"))
		defer s.close()
		var want []Step
		for i := range rapid.IntRange(0, 300).Draw(t, "records") {
			x := Step{Start: int64(i) - 50, End: rapid.Int64().Draw(t, "end"), Reason: Kind(i % 8), place: int32(i)}
			want = append(want, x)
			if err := s.add(&x); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.seal(); err != nil {
			t.Fatal(err)
		}
		var got, room []Step
		for i := range s.len() {
			list, err := s.read(i, room)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, list...)
			if s.blocks[i].last != list[len(list)-1].Start {
				t.Errorf("block %d ends at %d", i, s.blocks[i].last)
			}
			if s.blocks[i].list == nil {
				room = list
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}
