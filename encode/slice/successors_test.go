package slice

import (
	"testing"
)

// Contexts are the same however they are looked up.
func TestSuccessorsContexts(t *testing.T) {
	for _, last := range []uint32{40, maxIndexed - 1, maxIndexed, 1<<32 - 1} {
		list := []uint32{3, 17, 39, last}
		s := newSuccessors(list)
		if (s.of == nil) != (last >= maxIndexed) {
			t.Errorf("up to %d: an array of %d", last, len(s.of))
		}
		want := map[uint64]int{3: 2, 17: 3, 39: 4, uint64(last): 5}
		for _, shape := range []uint64{0, 2, 3, 4, 17, 18, 39, 40, uint64(last) - 1, uint64(last), uint64(last) + 1, 1 << 40} {
			if got := s.context(shape); got != want[shape] {
				t.Errorf("up to %d: shape %d has context %d, want %d", last, shape, got, want[shape])
			}
		}
	}
}
