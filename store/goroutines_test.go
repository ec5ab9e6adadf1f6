package store_test

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pandotrace/pando/store"
)

// A question works with as many goroutines as there are processors, and some that read; they are gone with it.
func TestGoroutinesOfQuestions(t *testing.T) {
	file, _, _ := ring(t, 8, 2000, store.Options{SliceEvents: 256})
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before, most := runtime.NumGoroutine(), 0
	for _, err := range r.All().Calls() {
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, runtime.NumGoroutine()-before)
	}
	if limit := 4*runtime.GOMAXPROCS(0) + 16; most > limit {
		t.Errorf("%d goroutines of a window of %d slices, more than %d", most, r.Info().Slices, limit)
	}
	if after := runtime.NumGoroutine() - before; after > 4 {
		t.Errorf("%d goroutines are left", after)
	}
}

// guarded is a file that must not be read any more once it is closed.
type guarded struct {
	*bytes.Reader
	closed, late atomic.Bool
}

func (g *guarded) ReadAt(p []byte, at int64) (int, error) {
	if g.closed.Load() {
		g.late.Store(true)
	}
	return g.Reader.ReadAt(p, at)
}

// Timelines work ahead. Who stops may close the file at once: nothing reads it any more.
func TestTimelinesStopped(t *testing.T) {
	file, _, _ := ring(t, 8, 2000, store.Options{SliceEvents: 256, LaneLocations: 1})
	for after := range 4 {
		src := &guarded{Reader: bytes.NewReader(file)}
		r, err := store.NewReader(t.Context(), src, int64(len(file)), store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, err := range r.All().Timelines(store.TimelineOptions{Pixels: 100_000}) {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen > after {
				break
			}
		}
		src.closed.Store(true)
		time.Sleep(2 * time.Millisecond)
		if src.late.Load() || seen != after+1 {
			t.Errorf("stopped after %d timelines: read again: %v", seen, src.late.Load())
		}
	}
}
