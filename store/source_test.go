package store_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/instep"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// What a step covers holds: no event behind it is earlier. With the last event of a slice it covers the slice, so that of streams
// that are read in step hardly more than one slice is kept, and nothing at the end.
func TestSourceSteps(t *testing.T) {
	t.Parallel()
	const lanes = 4
	r := read(t, write(t, tracegen.Ring(2*lanes, 40, 1), store.Options{SliceEvents: 300, LaneLocations: 2, Fanout: 2}))
	info := r.Info()
	if info.Slices < 20 || info.Lanes != lanes {
		t.Fatalf("%d slices, %d lanes", info.Slices, info.Lanes)
	}
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64Range(info.First-1, info.Last+1).Draw(t, "from")
		to := rapid.Int64Range(from, info.Last+2).Draw(t, "to")
		limit := rapid.IntRange(1, 100).Draw(t, "limit")
		w := r.Window(from, to)
		events := stepThrough(t, w.Source(), limit, func(at int64) {
			if at < from || at >= to {
				t.Fatalf("event at %d, not in [%d, %d)", at, from, to)
			}
			if n, _ := r.Kept(); n > 2*lanes {
				t.Fatalf("%d blocks of slices are kept", n)
			}
		})
		if runs, _ := r.Kept(); runs != 0 {
			t.Fatalf("%d blocks of slices are kept", runs)
		}
		for b, err := range w.Batches() {
			if err != nil {
				t.Fatal(err)
			}
			events -= b.Len()
		}
		if events != 0 {
			t.Fatalf("%d events too many", events)
		}
	})
}

// Streams of very many lanes, whose events wait packed, give what those of few give, of windows too.
func TestSourceOfManyLanes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		k := tracegen.RandomKnobs(seed)
		k.Processes, k.Threads, k.Length = 24, 2, min(max(k.Length, 1), 30)
		few := read(t, write(t, tracegen.Random(seed, k), store.Options{SliceEvents: 500}))
		many := read(t, write(t, tracegen.Random(seed, k), store.Options{SliceEvents: 500, LaneLocations: 1}))
		if n := many.Info().Lanes; n <= store.PlainLanes {
			t.Fatalf("%d lanes", n)
		}
		compareSources(t, tracegen.Random(seed, k), many.Source())
		info := few.Info()
		length := uint64(info.Last - info.First)
		from, to := info.First+int64(length/5), info.First+int64(length/5*3)
		compareSources(t, few.Window(from, to).Source(), many.Window(from, to).Source())
	}
}

// stepThrough reads all events of a source in step, and returns their number.
func stepThrough(t rapid.TB, src trace.Source, limit int, visit func(at int64)) (events int) {
	covered := map[trace.Stream]int64{}
	var streams []trace.Stream
	for _, info := range src.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		s, err := src.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		streams = append(streams, s)
	}
	err := instep.Run(1, streams, func(s trace.Stream) (int64, error) {
		var b trace.Batch
		c, err := s.(trace.Stepper).Step(&b, limit)
		if err != nil {
			return 0, err
		}
		before, known := covered[s]
		for _, at := range b.Times {
			if known && at < before {
				t.Fatalf("event at %d after %d was covered", at, before)
			}
			visit(at)
		}
		covered[s] = c
		events += b.Len()
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// Behind a file that was read in step nothing is left of it in the cache.
func TestSourceLeavesNothing(t *testing.T) {
	file := write(t, tracegen.Ring(8, 40, 1), store.Options{SliceEvents: 300, LaneLocations: 2, Fanout: 2, EpochSlices: 4})
	for _, limit := range []int{1, 7, 100} {
		r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		n := stepThrough(t, r.Source(), limit, func(int64) {})
		if runs, others := r.Kept(); uint64(n) != r.Info().Events || runs+others != 0 {
			t.Errorf("%d of %d events; %d blocks of slices are kept, and %d other things", n, r.Info().Events, runs, others)
		}
	}
}
