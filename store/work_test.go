package store_test

import (
	"bytes"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// What a window takes is bounded by the slices that it touches, and not by the file: counted in events that are decoded, for everything
// that can be asked of it.
func TestWorkOfWindows(t *testing.T) {
	const events, slice = 20_000, 100
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	region := src.Region("main")
	for l := range uint64(2) { // each has an event every second tick, so that there is one each tick
		b := src.Location(l, src.Process("process"))
		for i := range int64(events / 2) {
			b.Append([]trace.Kind{trace.KindEnter, trace.KindLeave}[i%2], 2*i+int64(l), region)
		}
	}
	file := write(t, src, store.Options{SliceEvents: slice, LaneLocations: 1})
	for name, ask := range map[string]func(w *store.Window) error{
		"events":   func(w *store.Window) error { return last(w.Events()) },
		"backward": func(w *store.Window) error { return last(w.EventsBackward()) },
		"batches":  func(w *store.Window) error { return last(w.Batches()) },
		"times":    func(w *store.Window) error { return last(w.Times()) },
		"calls":    func(w *store.Window) error { return last(w.Calls()) },
		"begun":    func(w *store.Window) error { return last(w.CallsByStartBackward()) },
		"messages": func(w *store.Window) error { return last(w.Messages()) },
		"longest":  func(w *store.Window) error { _, err := w.LongestCalls(3); return err },
		"timeline": func(w *store.Window) error { _, err := w.Timeline(20); return err },
		"summary":  func(w *store.Window) error { _, err := w.Summary(); return err },
	} {
		for _, ticks := range []int64{1, 50, 1000} {
			r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{CacheBytes: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := ask(r.Window(7000, 7000+ticks)); err != nil {
				t.Fatal(err)
			}
			slices := ticks/slice + 2
			if n := r.ReadStats().Events; n > 3*slices*(slice+slice/2) {
				t.Errorf("%s of %d ticks, of %d slices at most: %d events are decoded", name, ticks, slices, n)
			}
		}
	}
}

// last goes through everything, and returns the error at the end.
func last[T any](all func(func(T, error) bool)) (err error) {
	for _, err = range all {
	}
	return err
}
