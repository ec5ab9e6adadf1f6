package store_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// extreme returns the kind of extreme traces of a name.
func extreme(t *testing.T, name string) tracegen.Extreme {
	t.Helper()
	for _, e := range tracegen.Extremes() {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no kind %s", name)
	return tracegen.Extreme{}
}

// A file does not depend on the memory that its writer may take, and nothing is left of the files in which the rest waits.
func TestMemoryHasNoInfluence(t *testing.T) {
	for _, c := range []struct {
		name      string
		locations int
	}{{"lost-sends", 3}, {"shallow", 40}, {"crossing", 12}} {
		t.Run(c.name, func(t *testing.T) {
			var want []byte
			for _, memory := range []int64{0, 1 << 17, 1} {
				opt := store.Options{SliceEvents: 1000, Fanout: 3, LaneLocations: 4, ID: format.FileID{1}, Memory: memory, TempDir: t.TempDir()}
				e := extreme(t, c.name)
				got := write(t, e.Trace(c.locations, 0, 30_000, 1), opt)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("with %d bytes of memory, the file differs", memory)
				}
				if left, err := os.ReadDir(opt.TempDir); err != nil || len(left) > 0 {
					t.Errorf("left %v, %v", left, err)
				}
			}
			c := newChecker(t, newSubject(t, func() trace.Source { e := extreme(t, c.name); return e.Trace(c.locations, 0, 30_000, 1) }), want, store.Options{})
			c.verified()
		})
	}
}

// Temporary files have no names, so that nothing is left of a writer that is killed.
func TestTemporaryFilesAreNameless(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files cannot be removed")
	}
	for _, name := range []string{"lost-sends", "shallow"} {
		e := extreme(t, name)
		src := e.Trace(20, 0, 30_000, 1)
		opt := store.Options{SliceEvents: 1000, Memory: 1, TempDir: t.TempDir()}
		w, err := store.NewWriter(t.Context(), io.Discard, src.Meta(), opt)
		if err == nil {
			err = store.Copy(t.Context(), w, src, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(opt.TempDir); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", name, left, err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A folder for temporary files that is not there is an error, not a loss.
func TestNoTemporaryFiles(t *testing.T) {
	for _, name := range []string{"lost-sends", "shallow"} {
		e := extreme(t, name)
		src := e.Trace(20, 0, 30_000, 1)
		w, err := store.NewWriter(t.Context(), io.Discard, src.Meta(), store.Options{SliceEvents: 1000, Memory: 1, TempDir: t.TempDir() + "/none"})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(store.Copy(t.Context(), w, src, nil), w.Close()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
}

// held returns how many bytes a writer of a trace holds towards its end, as the garbage collector sees it: the least of many samples,
// as what is under way just then comes and goes.
func held(t *testing.T, e tracegen.Extreme, locations int, events uint64, opt store.Options) int64 {
	t.Helper()
	src := e.Trace(locations, 0, events, 1)
	w, err := store.NewWriter(t.Context(), io.Discard, src.Meta(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.GC() // what lay in pools goes with the second one
	runtime.ReadMemStats(&before)
	least, next := int64(math.MaxInt64), events*3/4
	if err := store.Copy(t.Context(), w, src, func(n, _ int64) {
		if uint64(n) >= next {
			next = uint64(n) + events/64
			runtime.GC()
			runtime.ReadMemStats(&now)
			least = min(least, int64(now.HeapAlloc)-int64(before.HeapAlloc))
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return least
}

// most returns how many bytes a writer of a trace holds at most, as the garbage collector sees it, beyond those before it.
func most(t *testing.T, src trace.Source, events uint64, opt store.Options) (bytes int64) {
	t.Helper()
	w, err := store.NewWriter(t.Context(), io.Discard, src.Meta(), opt)
	if err != nil {
		t.Fatal(err)
	}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.GC() // what lay in pools goes with the second one
	runtime.ReadMemStats(&before)
	next := uint64(0)
	if err := store.Copy(t.Context(), w, src, func(n, _ int64) {
		if uint64(n) >= next {
			next = uint64(n) + events/32
			runtime.GC()
			runtime.ReadMemStats(&now)
			bytes = max(bytes, int64(now.HeapAlloc)-int64(before.HeapAlloc))
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes
}

// Writing keeps within its memory, whatever the trace is.
func TestMemoryOfWriting(t *testing.T) {
	const memory, events = 32 << 20, 600_000
	for _, e := range tracegen.Extremes() {
		if os.Getenv("PANDO_SOAK") == "" && !slices.Contains([]string{"crossing", "shallow", "recursion", "lost-sends"}, e.Name) {
			continue
		}
		got := most(t, e.Trace(8, 0, events, 1), events, store.Options{Memory: memory, TempDir: t.TempDir()})
		if t.Logf("%s: %d bytes at most", e.Name, got); got > memory {
			t.Errorf("%s: %d bytes of memory, more than %d", e.Name, got, memory)
		}
	}
}

// A call that stays open takes its place on the stack of its location, which is not within the budget.
func TestMemoryOfOpenCalls(t *testing.T) {
	opt := store.Options{Memory: 1 << 20, TempDir: t.TempDir()}
	open := func(calls int) int64 {
		src := tracegen.New(trace.Meta{Resolution: 1000})
		region, b := src.Region("main"), src.Location(0, src.Process("process"))
		for i := range calls {
			b.Append(trace.KindEnter, int64(i), region)
		}
		return most(t, src, uint64(calls), opt)
	}
	const calls = 400_000 // more
	few, many := open(calls/2), open(calls*3/2)
	t.Logf("%.1f bytes for each", float64(many-few)/calls)
	if per := float64(many-few) / calls; per > 130 {
		t.Errorf("%.1f bytes for each call that stays open: %d bytes, then %d", per, few, many)
	}
}

// Sends that wait for a receive take next to nothing when they are many.
func TestMemoryOfWaitingSends(t *testing.T) {
	opt := store.Options{Memory: 1 << 20, TempDir: t.TempDir()}
	few, many := held(t, extreme(t, "lost-sends"), 4, 600_000, opt), held(t, extreme(t, "lost-sends"), 4, 1_500_000, opt)
	const sends = 300_000 // more
	if per := float64(many-few) / sends; per > 6 {
		t.Errorf("%.1f bytes for each waiting send: %d bytes, then %d", per, few, many)
	}
}

// Locations have a price, but events of many locations are not kept in memory until their group is complete.
func TestMemoryOfLocations(t *testing.T) {
	opt := store.Options{Memory: 1 << 20, TempDir: t.TempDir()}
	few, many := held(t, extreme(t, "shallow"), 200, 200_000, opt), held(t, extreme(t, "shallow"), 1200, 600_000, opt)
	if per := float64(many-few) / 1000; per > 20_000 {
		t.Errorf("%.0f bytes for each location: %d bytes, then %d", per, few, many)
	}
}
