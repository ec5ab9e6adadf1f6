package segment_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// deep returns a trace whose only location has calls of two regions around each other, several times.
func deep(depth, times int) trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	regions := []uint64{t.Region("outer"), t.Region("inner")}
	b := t.Location(1, t.Process("process"))
	now := int64(0)
	put := func(kind trace.Kind, region uint64) {
		now++
		b.Append(kind, now, region)
	}
	for range times {
		for i := range depth {
			put(trace.KindEnter, regions[i%2])
		}
		for i := range depth {
			put(trace.KindLeave, regions[(depth-1-i)%2])
		}
	}
	return t
}

// Recursions of a hundred thousand calls (with PANDO_SOAK a million) are cut into segments: their outermost calls. With too little memory they
// are refused.
func TestDeepRecursion(t *testing.T) {
	depth := 100_000
	if os.Getenv("PANDO_SOAK") != "" {
		depth = 1_000_000
	}
	r := stored.Source(t, deep(depth, 5), store.Options{SliceEvents: 4096})
	a, err := segment.Find(t.Context(), r, r.All(), segment.Options{Memory: 2 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if c := &a.Candidates[a.Chosen]; c.Name != "outer" || c.Segments != 5 || a.Level.Lines[0].Own[0] != int64(2*depth-1) {
		t.Errorf("%s has %d segments, the first of %d ticks", c.Title(), c.Segments, a.Level.Lines[0].Own[0])
	}
	var memory *calltree.MemoryError
	if _, err := segment.Find(t.Context(), r, r.All(), segment.Options{Memory: 4 << 20}); !errors.As(err, &memory) {
		t.Errorf("with 4 MiB: %v", err)
	}
}

// The work ends with the context, wherever it is.
func TestStops(t *testing.T) {
	r := stored.Source(t, tracegen.Ring(2, 5000, 1), store.Options{SliceEvents: 4096})
	for _, after := range []int{0, 1, 5, 20} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		progress := func(int64, int64) {
			if n++; n > after {
				cancel()
			}
		}
		if after == 0 {
			cancel()
		}
		if _, err := segment.Find(ctx, r, r.All(), segment.Options{Progress: progress}); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d reports: %v", after, err)
		}
		cancel()
	}
}
