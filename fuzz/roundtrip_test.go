package fuzz

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// FuzzRoundTrip sends random traces through the engine and compares what comes back, and the answers to some windows, with
// the naive model.
func FuzzRoundTrip(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, uint16(50), uint8(2), uint8(2), uint8(5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, slice uint16, lane, fanout, epoch uint8) {
		k := tracegen.RandomKnobs(seed)
		k.Length, k.Burst, k.Messages = min(k.Length, 50), min(k.Burst, 10), min(k.Messages, 100)
		k.Processes, k.Threads = min(k.Processes, 4), min(k.Threads, 2)
		opt := store.Options{
			SliceEvents: max(int(slice), 1), LaneLocations: max(int(lane), 1), Fanout: 2 + int(fanout)%16, GroupSlices: []int{0, 1, 2, 4}[fanout>>4%4*(1-fanout%2)], EpochSlices: max(int(epoch), 1),
		}
		file := write(t, tracegen.Random(seed, k), opt)
		r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := load(t, tracegen.Random(seed, k))
		got := load(t, r.Source())
		if !reflect.DeepEqual(got.Locations, want.Locations) || !reflect.DeepEqual(got.Auxiliary, want.Auxiliary) {
			t.Fatal("other events come back")
		}
		compareWindows(t, r, want, rand.New(rand.NewPCG(seed, uint64(slice))))
		report, err := r.Verify(t.Context(), store.VerifyOptions{})
		if err != nil || report.Err() != nil {
			t.Fatal(err, report.Err())
		}
	})
}

func load(t *testing.T, src trace.Source) *model.Trace {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compareWindows(t *testing.T, r *store.Reader, m *model.Trace, dice *rand.Rand) {
	calls, messages := m.Calls(), m.Match().Messages
	first, last, ok := m.Span()
	for range 3 {
		w := model.Window{From: first, To: last + 1}
		if ok && dice.IntN(3) > 0 {
			w.From += dice.Int64N(last - first + 1)
			w.To = w.From + dice.Int64N(last-w.From+2)
		}
		compareCalls(t, r.Window(w.From, w.To), w.Calls(calls))
		compareMessages(t, r.Window(w.From, w.To), w.Messages(messages))
	}
}

// sorted collects an iteration and sorts it.
func sorted[T any](t *testing.T, items func(yield func(T, error) bool), compare func(a, b T) int) []T {
	t.Helper()
	var all []T
	for item, err := range items {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, item)
	}
	slices.SortFunc(all, compare)
	return all
}

func compareCalls(t *testing.T, w *store.Window, want []trace.Call) {
	t.Helper()
	order := func(a, b trace.Call) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Ordinal, b.Ordinal))
	}
	slices.SortFunc(want, order)
	if got := sorted(t, w.Calls(), order); !slices.Equal(got, want) {
		from, to := w.Bounds()
		t.Fatalf("window [%d, %d): calls\n%+v, want\n%+v", from, to, got, want)
	}
}

func compareMessages(t *testing.T, w *store.Window, want []trace.Message) {
	t.Helper()
	order := func(a, b trace.Message) int {
		return cmp.Or(cmp.Compare(a.SendLocation, b.SendLocation), cmp.Compare(a.SendOrdinal, b.SendOrdinal))
	}
	slices.SortFunc(want, order)
	if got := sorted(t, w.Messages(), order); !slices.Equal(got, want) {
		from, to := w.Bounds()
		t.Fatalf("window [%d, %d): messages\n%+v, want\n%+v", from, to, got, want)
	}
}
