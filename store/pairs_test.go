package store_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// pairsIn picks the pairs of a window.
func pairsIn(all []trace.EventPair, from, to int64, locations []uint64) (found []trace.EventPair) {
	for _, p := range all {
		if p.Open.Time >= to || p.Close.Time <= from && p.Open.Time < from {
			continue
		}
		if locations == nil || slices.Contains(locations, p.Open.Location) || slices.Contains(locations, p.Close.Location) {
			found = append(found, p)
		}
	}
	return found
}

// The pairs of any window are those that the naive model finds by going through all events.
func TestPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		processes, threads := rapid.IntRange(1, 4).Draw(t, "processes"), rapid.IntRange(1, 3).Draw(t, "threads")
		src := func() *tracegen.Trace { return tracegen.Paired(seed, processes, threads, 400) }
		opt := store.Options{SliceEvents: rapid.SampledFrom([]int{10, 40, 1000}).Draw(t, "slice"), Fanout: 3, LaneLocations: rapid.IntRange(1, 4).Draw(t, "lane")}
		m, err := model.Load(src())
		if err != nil {
			t.Fatal(err)
		}
		r := readPairs(t, src(), opt)
		events := m.Events()
		end := events[len(events)-1].Time + 1
		for _, family := range trace.ItemizedFamilies() {
			all := m.Pairs(family)
			for range thrift.Of(3, 20) {
				from := rapid.Int64Range(0, end).Draw(t, "from")
				to := rapid.Int64Range(from, end).Draw(t, "to")
				checkPairs(t, r.Window(from, to), family, pairsIn(all, from, to, nil))
				of := []uint64{0, 10}
				checkPairs(t, r.Window(from, to).WithLocations(of...), family, pairsIn(all, from, to, of))
			}
			checkPairs(t, r.All(), family, all)
		}
	})
}

func readPairs(t *rapid.T, src trace.Source, opt store.Options) *store.Reader {
	r := stored.Source(t, src, opt)
	if v, err := r.Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep}); err != nil || v.Err() != nil {
		t.Fatal(err, v.Err())
	}
	return r
}

func checkPairs(t *rapid.T, w *store.Window, family trace.PairFamily, want []trace.EventPair) {
	t.Helper()
	var got []trace.EventPair
	for p, err := range w.Pairs(family) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p)
	}
	if !slices.Equal(got, want) {
		from, to := w.Bounds()
		t.Fatalf("%s in [%d, %d): %d pairs\n%v, want %d\n%v", family, from, to, len(got), got, len(want), want)
	}
	from, _ := w.Bounds()
	open, err := w.OpenPairs(family)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range open {
		if p.Open.Time >= from || p.Close.Time < from {
			t.Fatalf("%s: %v is not open at %d", family, p, from)
		}
	}
}

// A file that is being written tells the pairs of its whole groups: those that are open behind them end with them.
func TestPairsOfGrowingFiles(t *testing.T) {
	var file bytes.Buffer
	src := tracegen.Paired(7, 3, 2, 2000)
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), store.Options{SliceEvents: 40, Fanout: 3, LaneLocations: 2})
	if err == nil {
		err = errors.Join(store.Copy(t.Context(), w, src, nil), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, size := range []int{file.Len() / 3, file.Len() / 2, file.Len() - 1000} {
		part := file.Bytes()[:size]
		r, err := store.NewReader(t.Context(), bytes.NewReader(part), int64(size), store.ReadOptions{Unfinished: true})
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(r.Source())
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range trace.ItemizedFamilies() {
			want := m.Pairs(family)
			var got []trace.EventPair
			for p, err := range r.All().Pairs(family) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, p)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d bytes: %d pairs, want %d", family, size, len(got), len(want))
			}
			asked += len(got)
		}
		r.Close()
	}
	if asked < 100 {
		t.Errorf("%d pairs: this tests little", asked)
	}
}
