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

// sorter is what both kinds of them do.
type sorter interface {
	Add(k sorting.Key, data []byte) error
	Finish() error
	Records() sorting.Records
	Close() error
}

// keyed is a record.
type keyed struct {
	k    sorting.Key
	data string
}

// orders are the orders that records come in: at random, by time, or each group's by the ends of calls that nest.
var orders = map[string]func(dice *rand.Rand, i int) sorting.Key{
	"random": func(dice *rand.Rand, _ int) sorting.Key {
		return sorting.Key{Group: dice.Uint64N(5), Rank: dice.Uint64N(2), Time: scan.Instant{Micros: dice.Int64N(200) - 100, Frac: uint32(dice.IntN(3))}}
	},
	"by time": func(dice *rand.Rand, i int) sorting.Key {
		return sorting.Key{Group: dice.Uint64N(5), Time: scan.Instant{Micros: int64(i/3) - 1000, Frac: uint32(dice.IntN(2)) * uint32(i%3) * 1_000_000}}
	},
	"by ends": func(dice *rand.Rand, i int) sorting.Key {
		inside := int64(1) << dice.IntN(1+i%15)
		return sorting.Key{Group: dice.Uint64N(5), Rank: dice.Uint64() | 1, Time: scan.Instant{Micros: int64(i) - inside, Frac: uint32(dice.IntN(1e9))}}
	},
	"far apart": func(dice *rand.Rand, i int) sorting.Key {
		return sorting.Key{Group: uint64(i%3) * 1000, Time: scan.Instant{Micros: (dice.Int64N(5) - 2) << 60, Frac: 999_999_999}}
	},
}

// TestSorters sorts more records than fit into memory, and more runs than are merged at once, and compares with a stable sort.
func TestSorters(t *testing.T) {
	for name, order := range orders {
		for _, n := range []int{0, 1, 1000, 80_000} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				all, threads := sorting.New(t.TempDir(), 1), sorting.NewThreads(t.TempDir(), 1)
				all.FanIn, threads.FanIn = 3, 3
				testSorter(t, all, order, n)
				testSorter(t, threads, order, n)
				if n >= 60_000 && (len(all.Runs) != 1 || len(threads.Runs) == 0) {
					t.Errorf("%d and %d runs", len(all.Runs), len(threads.Runs))
				}
				testGroups(t, threads)
				if all.Close() != nil || threads.Close() != nil {
					t.Error("runs cannot be closed")
				}
			})
		}
	}
}

func testSorter(t *testing.T, s sorter, order func(dice *rand.Rand, i int) sorting.Key, n int) {
	t.Helper()
	dice := rand.New(rand.NewPCG(1, uint64(n)))
	var want []keyed
	for i := range n {
		r := keyed{order(dice, i), fmt.Sprintf("%d %*s", i, dice.IntN(100), "")}
		if i == n/2 {
			r.data = fmt.Sprintf("%*s", 3*sorting.ChunkBytes, "large")
		}
		want = append(want, r)
		if err := s.Add(r.k, []byte(r.data)); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortStableFunc(want, func(a, b keyed) int { return a.k.Compare(&b.k) })
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	c, i := s.Records(), 0
	for ; c.Next(); i++ {
		if i == len(want) || c.Key() != want[i].k || string(c.Data()) != want[i].data {
			t.Fatalf("%T: record %d of %d is %v", s, i, n, c.Key())
		}
	}
	if i != len(want) || c.Failure() != nil || c.Next() {
		t.Fatalf("%T: %d of %d records, %v", s, i, len(want), c.Failure())
	}
}

// testGroups compares the records of each group with those of all.
func testGroups(t *testing.T, s *sorting.Threads) {
	t.Helper()
	all := s.Records()
	more := all.Next()
	var c sorting.Cursor
	for group := range uint64(3000) {
		s.Seek(&c, group)
		for c.Next() {
			if !more || c.Key() != all.Key() || string(c.Data()) != string(all.Data()) {
				t.Fatalf("group %d: %v", group, c.Key())
			}
			more = all.Next()
		}
		if c.Failure() != nil || more && all.Key().Group <= group {
			t.Fatalf("group %d ends before its time, %v", group, c.Failure())
		}
	}
}

// TestSorterLeavesNothing looks for files that are still there after the end.
func TestSorterLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, s := range []sorter{sorting.New(dir, 1), sorting.NewThreads(dir, 1)} {
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
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}
