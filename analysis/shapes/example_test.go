package shapes_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/analysis/shapes"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// 200 calls of step call work once or twice. One is long, one is short, and one calls other instead.
func ExampleOf() {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	step, work, other := t.Region("step"), t.Region("work"), t.Region("other")
	b, now := t.Location(0, t.Process("rank 0")), int64(0)
	call := func(region uint64, ticks int64, inside ...func()) {
		b.Append(trace.KindEnter, now, region)
		for _, f := range inside {
			f()
		}
		now += ticks
		b.Append(trace.KindLeave, now, region)
	}
	for i := range 200 {
		switch f := func() { call(work, 10+int64(i%3)) }; {
		case i == 50:
			call(step, 900, f)
		case i == 90:
			call(step, 1, f)
		case i == 120:
			call(step, 40, func() { call(other, 10) })
		case i%2 == 0:
			call(step, 20, f, f)
		default:
			call(step, 21, f)
		}
	}

	r := stored.Source(failing{}, t, store.Options{})
	a, err := shapes.Of(context.Background(), r, r.All(), shapes.Options{Unusual: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, c := range a.Classes {
		fmt.Println(c.Calls, "calls:", a.Structure(i, 80))
	}
	for _, u := range a.Unusual {
		fmt.Printf("%s call of %s at %d: %d ticks of its own, not %d\n", u.Kind, a.Classes[u.Class].Region, u.Start, u.Own, u.Usual)
	}
	// Output:
	// 199 calls: step(work)
	// 296 calls: work
	// 1 calls: step(other)
	// 1 calls: other
	// long call of step at 1848: 900 ticks of its own, not 21
	// short call of step at 4198: 1 ticks of its own, not 21
	// rare call of step at 5279: 40 ticks of its own, not 21
}

// failing is the test that an example has none of.
type failing struct{}

func (failing) Helper()        {}
func (failing) Fatal(a ...any) { panic(fmt.Sprint(a...)) }

// Calls that are open at once are bounded by the memory, and the work by the context.
func TestEnds(t *testing.T) {
	deep := tracegen.New(trace.Meta{Resolution: 1000})
	f, b := deep.Region("f"), deep.Location(0, deep.Process("p"))
	for i := range int64(20_000) {
		b.Append(trace.KindEnter, i, f)
	}
	r := stored.Source(t, deep, store.Options{SliceEvents: 1000})
	if _, err := shapes.Of(t.Context(), r, r.All(), shapes.Options{Memory: 1 << 20}); !errors.Is(err, memory.ErrExceeded) {
		t.Errorf("20,000 open calls in 1 MiB: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := shapes.Of(ctx, r, r.All(), shapes.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
	a, err := shapes.Of(t.Context(), r, r.All(), shapes.Options{})
	if err != nil || a.Cut != 20_000 || len(a.Classes) != 0 {
		t.Errorf("%v, %+v", err, a)
	}
}
