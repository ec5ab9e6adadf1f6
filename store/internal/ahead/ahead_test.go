package ahead

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

// item is what is worked on in the test: it has some results, and may fail behind them.
type item struct {
	first, n int
	alone    bool
	fails    bool
}

var errItem = errors.New("an item failed")

// Whatever takes how long, results come in order, up to the first error or to where the caller stops; what must be alone is, also while the results before it are used.
func TestEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		stop := rapid.IntRange(1, 200).Draw(t, "stop")
		var under, at, used atomic.Int64 // items under way, the one that is next, and 1 more than the result that is used, 0 if none is
		do := func(s item, give func(any) bool) error {
			under.Add(1)
			defer under.Add(-1)
			for i := range s.n {
				if rand.IntN(4) == 0 {
					runtime.Gosched()
				}
				if u := int(used.Load()); s.alone && (under.Load() > 1 || u > 0 && u <= s.first) {
					t.Errorf("item with results from %d on is not alone", s.first)
				}
				if !give(s.first + i) {
					return nil
				}
			}
			if s.fails {
				return errItem
			}
			return nil
		}
		next := func() (s item, ok bool, err error) {
			if i := at.Add(1) - 1; int(i) < len(items) {
				return items[i], true, nil
			}
			return s, false, nil
		}
		var got []int
		var failed error
		for v, err := range Of[int](Each(next, func(s *item) bool { return s.alone }, do)) {
			if failed = err; err != nil {
				continue // it must be the last step
			}
			used.Store(int64(v) + 1)
			runtime.Gosched()
			if got = append(got, v); len(got) == stop {
				break
			}
			used.Store(0)
		}
		checkResults(t, items, stop, got, failed)
	})
}

func drawItems(t *rapid.T) (items []item) {
	first := 0
	for range rapid.IntRange(0, 20).Draw(t, "items") {
		s := item{first, rapid.IntRange(0, 3*mostWaiting).Draw(t, "results"), rapid.IntRange(0, 3).Draw(t, "alone") == 0, rapid.IntRange(0, 9).Draw(t, "fails") == 0}
		first += s.n
		items = append(items, s)
	}
	return items
}

// checkResults compares with what comes of working on one item after the other.
func checkResults(t *rapid.T, items []item, stop int, got []int, failed error) {
	want, err := 0, error(nil)
	for _, s := range items {
		if want += s.n; want < stop && s.fails {
			err = errItem
			break
		}
	}
	want = min(want, stop)
	if len(got) != want || failed != err {
		t.Fatalf("%d results and error %v, want %d and %v", len(got), failed, want, err)
	}
	for i, v := range got {
		if v != i {
			t.Fatalf("result %d is %d", i, v)
		}
	}
}

// An error of the sequence comes behind the results of all items before it.
func TestEachOfSequenceThatFails(t *testing.T) {
	n := 0
	next := func() (int, bool, error) {
		if n++; n > 5 {
			return 0, false, errItem
		}
		return n, true, nil
	}
	sum, failed := 0, error(nil)
	for v, err := range Of[int](Each(next, func(*int) bool { return false }, Once(func(n int) (int, error) { return n, nil }))) {
		sum, failed = sum+v, err
	}
	if sum != 15 || failed != errItem {
		t.Errorf("sum %d, error %v", sum, failed)
	}
}
