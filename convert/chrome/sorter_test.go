package chrome

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
)

// TestSorter sorts more records than fit into memory, and more runs than are merged at once, and compares with a stable sort.
func TestSorter(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 60_000} {
		s := sorting.New(t.TempDir(), 1)
		s.FanIn = 3
		dice := rand.New(rand.NewPCG(1, uint64(n)))
		type record struct {
			k    sorting.Key
			data string
		}
		var want []record
		for i := range n {
			k := sorting.Key{Group: dice.Uint64N(5), Rank: dice.Uint64N(2), Time: scan.Instant{Micros: dice.Int64N(200) - 100, Frac: uint32(dice.IntN(3))}}
			data := fmt.Sprintf("%d %*s", i, dice.IntN(100), "")
			if i == n/2 {
				data = fmt.Sprintf("%*s", 3*sorting.ChunkBytes, "large")
			}
			want = append(want, record{k, data})
			if err := s.Add(k, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		if n >= 60_000 && len(s.Runs) < 2 {
			t.Errorf("only %d runs", len(s.Runs))
		}
		slices.SortStableFunc(want, func(a, b record) int { return a.k.Compare(&b.k) })
		if err := s.Finish(); err != nil {
			t.Fatal(err)
		}
		for _, from := range []uint64{0, 3, 5} {
			rest := want
			for len(rest) > 0 && rest[0].k.Group < from {
				rest = rest[1:]
			}
			c, err := s.Cursor(from)
			if err != nil {
				t.Fatal(err)
			}
			i := 0
			for ; c.Next(); i++ {
				if i == len(rest) || c.Key() != rest[i].k || string(c.Data()) != rest[i].data {
					t.Fatalf("%d records from group %d: record %d is %v", n, from, i, c.Key())
				}
			}
			if i != len(rest) || c.Failure() != nil {
				t.Fatalf("%d of %d records, %v", i, len(rest), c.Failure())
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSorterLeavesNothing looks for files that are still there after the end.
func TestSorterLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := sorting.New(dir, 1)
	for range 40_000 {
		if err := s.Add(sorting.Key{}, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
