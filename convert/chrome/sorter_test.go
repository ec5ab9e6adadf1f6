package chrome

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// TestSorter sorts more records than fit into memory, and more runs than are merged at once, and compares with a stable sort.
func TestSorter(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 60_000} {
		s := newSorter(t.TempDir(), 1)
		s.fanIn = 3
		dice := rand.New(rand.NewPCG(1, uint64(n)))
		type record struct {
			k    key
			data string
		}
		var want []record
		for i := range n {
			k := key{dice.Uint64N(5), dice.Uint64N(2), instant{dice.Int64N(200) - 100, uint32(dice.IntN(3))}}
			data := fmt.Sprintf("%d %*s", i, dice.IntN(100), "")
			if i == n/2 {
				data = fmt.Sprintf("%*s", 3*chunkBytes, "large")
			}
			want = append(want, record{k, data})
			if err := s.add(k, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		if n >= 60_000 && len(s.runs) < 2 {
			t.Errorf("only %d runs", len(s.runs))
		}
		slices.SortStableFunc(want, func(a, b record) int { return a.k.compare(&b.k) })
		if err := s.finish(); err != nil {
			t.Fatal(err)
		}
		for _, from := range []uint64{0, 3, 5} {
			rest := want
			for len(rest) > 0 && rest[0].k.group < from {
				rest = rest[1:]
			}
			c, err := s.cursor(from)
			if err != nil {
				t.Fatal(err)
			}
			i := 0
			for ; c.next(); i++ {
				if i == len(rest) || c.key() != rest[i].k || string(c.data()) != rest[i].data {
					t.Fatalf("%d records from group %d: record %d is %v", n, from, i, c.key())
				}
			}
			if i != len(rest) || c.failure() != nil {
				t.Fatalf("%d of %d records, %v", i, len(rest), c.failure())
			}
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSorterLeavesNothing looks for files that are still there after the end.
func TestSorterLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := newSorter(dir, 1)
	for range 40_000 {
		if err := s.add(key{}, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
