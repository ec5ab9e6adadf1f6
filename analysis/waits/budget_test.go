package waits_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

func real(t *testing.T, name string, opt store.Options) *store.Reader {
	t.Helper()
	src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return stored.Source(t, src, opt)
}

// Memory, slices and the number of processors change nothing of an answer.
func TestSameAnswer(t *testing.T) {
	small := real(t, "otf2.mg.S.8.snapmark", store.Options{SliceEvents: 300, LaneLocations: 3})
	large := real(t, "otf2.mg.S.8.snapmark", store.Options{})
	want := ask(t, large, large.All(), waits.Options{})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for processors := range 3 {
		runtime.GOMAXPROCS(processors + 1)
		got := ask(t, small, small.All(), waits.Options{Memory: 160 << 10}) // most waits lie in a file
		if !slices.Equal(got.waits, want.waits) || !slices.Equal(got.stretches, want.stretches) || got.result.Counts != want.result.Counts {
			t.Fatalf("%d processors: %d waits, %d stretches; want %d, %d", processors+1, len(got.waits), len(got.stretches), len(want.waits), len(want.stretches))
		}
	}
}

// What does not fit the memory is refused.
func TestMemory(t *testing.T) {
	r := real(t, "otf2.mg.S.8.snapmark", store.Options{})
	var memory *waits.MemoryError
	if _, err := waits.Of(t.Context(), r, r.All(), waits.Options{Memory: 1 << 10, Critical: true}); !errors.As(err, &memory) || memory.Memory != 1<<10 {
		t.Errorf("with 1 KiB: %v", err)
	}
}

// The work ends with its context.
func TestCancel(t *testing.T) {
	r := real(t, "otf2.mg.S.8.snapmark", store.Options{SliceEvents: 300})
	for _, calls := range []int{0, 1, 100} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		_, err := waits.Of(ctx, r, r.All(), waits.Options{Critical: true, Progress: func(done, total int64) {
			if n++; n > calls {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d steps: %v", calls, err)
		}
	}
}

// An error of who gets waits or stretches ends the work.
func TestReceiverFails(t *testing.T) {
	r := real(t, "otf2.mg.S.8.snapmark", store.Options{})
	full := errors.New("full")
	_, err := waits.Of(t.Context(), r, r.All(), waits.Options{EachWait: func(*waits.Paths, *waits.Wait) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("waits: %v", err)
	}
	_, err = waits.Of(t.Context(), r, r.All(), waits.Options{Critical: true, EachStretch: func(*waits.Paths, *waits.Stretch) error { return full }})
	if !errors.Is(err, full) {
		t.Errorf("stretches: %v", err)
	}
}

// Traces with nothing to wait for have an answer.
func TestNothing(t *testing.T) {
	empty := tracegen.New(trace.Meta{Resolution: 1000})
	empty.Location(7, empty.Process("process"))
	r := stored.Source(t, empty, store.Options{})
	if a := ask(t, r, r.All(), waits.Options{}); len(a.waits) > 0 || a.result.Critical != nil || !slices.Equal(a.result.Locations, []uint64{7}) {
		t.Errorf("no events: %+v", a.result)
	}
	one := tracegen.New(trace.Meta{Resolution: 1000})
	b := one.Location(7, one.Process("process"))
	region := one.Region("main")
	b.Append(trace.KindEnter, 10, region)
	b.Append(trace.KindLeave, 30, region)
	r = stored.Source(t, one, store.Options{})
	if a := ask(t, r, r.All(), waits.Options{}); len(a.waits) > 0 || a.result.Critical.Ticks() != 20 || a.result.Critical.Steps != 1 {
		t.Errorf("one location: %+v", a.result.Critical)
	}
	if a := ask(t, r, r.Window(15, 16), waits.Options{}); a.result.Critical != nil {
		t.Errorf("a window without events: %+v", a.result.Critical)
	}
	if a := ask(t, r, r.Window(100, 200), waits.Options{}); a.result.Critical != nil {
		t.Errorf("a window behind the trace: %+v", a.result.Critical)
	}
}
