package contrast_test

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// deep returns a trace whose only location has calls of two regions around each other, and some inside.
func deep(depth, leaves int) trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	outer, inner, leaf := t.Region("outer"), t.Region("inner"), t.Region("leaf")
	b := t.Location(1, t.Process("process"))
	now := int64(0)
	put := func(kind trace.Kind, region uint64) {
		now++
		b.Append(kind, now, region)
	}
	for i := range depth {
		put(trace.KindEnter, []uint64{outer, inner}[i%2])
	}
	for range leaves {
		put(trace.KindEnter, leaf)
		put(trace.KindLeave, leaf)
	}
	for i := range depth {
		put(trace.KindLeave, []uint64{outer, inner}[(depth-1-i)%2])
	}
	return t
}

// A hundred thousand calls around each other (with PANDO_SOAK a million) are compared, or refused within the memory.
func TestDeepRuns(t *testing.T) {
	depth := 100_000
	if os.Getenv("PANDO_SOAK") != "" {
		depth = 1_000_000
	}
	a, b := newSide(t, "a", deep(depth, 3)), newSide(t, "b", deep(depth, 5))
	c, err := contrast.Compare(t.Context(), a, b, contrast.Options{Level: align.Tree, Memory: 2 << 30})
	if err != nil {
		t.Fatal(err)
	}
	if p := &c.Pairs[0]; p.Cost.High != 8 || !p.Cost.Proven() {
		t.Errorf("%+v", p.Cost)
	}
	const little = 84 // bytes for each call: enough for the stack, and not for all levels
	if c, err := contrast.Compare(t.Context(), a, b, contrast.Options{Memory: int64(depth) * little}); err != nil || c.Levels == 0 {
		t.Errorf("with %d bytes for each call: %v", little, err)
	}
	var memory *calltree.MemoryError
	if _, err := contrast.Compare(t.Context(), a, b, contrast.Options{Memory: 1 << 10}); !errors.As(err, &memory) || memory.Bytes != 1<<10 {
		t.Errorf("with 1 KiB: %v", err)
	}
}

// Where one side does on its first location what the other does last, their calls need not wait for each other.
func TestRunsInOppositeOrder(t *testing.T) {
	const calls = 20_000
	inOrder := func(order ...int64) trace.Source {
		t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
		work, rare := t.Region("work"), t.Region("rare")
		process := t.Process("process")
		for location, at := range order {
			b := t.Location(uint64(location), process)
			for i := range int64(calls) {
				b.Append(trace.KindEnter, at*4*calls+2*i, work)
				b.Append(trace.KindLeave, at*4*calls+2*i+1, work)
			}
			b.Append(trace.KindEnter, at*4*calls+2*calls, []uint64{work, rare}[at])
			b.Append(trace.KindLeave, at*4*calls+2*calls+1, []uint64{work, rare}[at])
		}
		return t
	}
	a, b := newSide(t, "a", inOrder(0, 1)), newSide(t, "b", inOrder(1, 0))
	c, err := contrast.Compare(t.Context(), a, b, contrast.Options{Memory: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if all := sumsOf(c); c.Passes() != 2 || c.Levels != 0 || all["work"].pairs != 2*calls || all["rare"].lone != [2]uint64{1, 1} {
		t.Errorf("%d passes, %d levels, %+v", c.Passes(), c.Levels, all)
	}
	n := 0
	for batch, err := range c.AlignedCalls(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(batch)
	}
	if n != 2*calls+4 {
		t.Errorf("%d aligned calls", n)
	}
}

// Sides that have nothing in common get an answer.
func TestNothingInCommon(t *testing.T) {
	a := newSide(t, "a", deep(10, 300))
	other := tracegen.New(trace.Meta{Resolution: 1000})
	region := other.Region("other")
	b := other.Location(9, other.Process("process"))
	for i := range int64(400) {
		b.Append(trace.KindEnter, 2*i, region)
		b.Append(trace.KindLeave, 2*i+1, region)
	}
	c, err := contrast.Compare(t.Context(), a, newSide(t, "b", other), contrast.Options{Match: contrast.ByOrder, Level: align.Tree})
	if err != nil {
		t.Fatal(err)
	}
	if c.Units != 1e9 || len(c.LoneRegions[0]) != 3 || len(c.LoneRegions[1]) != 1 || len(c.Pairs) != 1 {
		t.Errorf("%d units, regions %v, %d pairs", c.Units, c.LoneRegions, len(c.Pairs))
	}
	all := sumsOf(c)["other"]
	if all.lone[1] != 400 || all.ticks[1] != 400*1e6 {
		t.Errorf("%+v", all)
	}
	empty := tracegen.New(trace.Meta{Resolution: 1000})
	if c, err := contrast.Compare(t.Context(), a, newSide(t, "empty", empty), contrast.Options{}); err != nil || len(c.Pairs) != 0 || len(c.Lone[0]) != 1 {
		t.Errorf("with an empty trace: %v", err)
	}
}

// The work ends with the context, wherever it is.
func TestCompareStops(t *testing.T) {
	a := newSide(t, "a", deep(1000, 100_000))
	for _, after := range []int{0, 1, 2, 5, 50} {
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
		_, err := contrast.Compare(ctx, a, a, contrast.Options{Progress: progress})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d reports: %v", after, err)
		}
		cancel()
	}
}

func newSide(t *testing.T, name string, src trace.Source) contrast.Side {
	t.Helper()
	r := stored.Source(t, src, store.Options{SliceEvents: 4096})
	return contrast.Side{Name: name, Reader: r, Window: r.Window(math.MinInt64, math.MaxInt64)}
}
