package merge_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// written is a trace of one or more locations, of which each is written by a function.
func written(locations int, regions []string, write func(location int, put func(kind trace.Kind, region int))) trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	var ids []uint64
	for _, name := range regions {
		ids = append(ids, t.Region(name))
	}
	process := t.Process("process")
	for l := range locations {
		b, now := t.Location(uint64(l), process), int64(0)
		write(l, func(kind trace.Kind, region int) {
			now++
			b.Append(kind, now, ids[region])
		})
	}
	return t
}

func sourceOf(t *testing.T, src trace.Source) []merge.Source {
	t.Helper()
	r := stored.Source(t, src, store.Options{SliceEvents: 4096})
	return []merge.Source{{Name: "run", Reader: r, Window: r.Window(math.MinInt64, math.MaxInt64)}}
}

func depths() int {
	if os.Getenv("PANDO_SOAK") != "" {
		return 1_000_000
	}
	return 50_000
}

// A recursion becomes one node below its outermost call; calls of two regions around each other are cut at a depth, and their time is not lost.
func TestDeep(t *testing.T) {
	for regions := 1; regions <= 2; regions++ {
		depth := depths()
		src := written(1, []string{"outer", "inner"}, func(_ int, put func(trace.Kind, int)) {
			for i := range depth {
				put(trace.KindEnter, i%regions)
			}
			for i := range depth {
				put(trace.KindLeave, (depth-1-i)%regions)
			}
		})
		tree, err := merge.Of(t.Context(), sourceOf(t, src), merge.Options{Memory: 2 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{0, 2, merge.MostDepth}[regions]; len(tree.Nodes) != want || tree.Cut != (regions == 2) {
			t.Errorf("%d regions: %d nodes, cut %v", regions, len(tree.Nodes), tree.Cut)
		}
		if n := &tree.Nodes[0]; n.Inclusive.Sum.Lo != uint64(2*depth-1) {
			t.Errorf("%d ticks", n.Inclusive.Sum.Lo)
		}
		small, err := merge.Of(t.Context(), sourceOf(t, src), merge.Options{Memory: 200 * int64(depth)})
		if err != nil {
			t.Fatal(err)
		}
		if n := &small.Nodes[0]; !small.Cut || n.Inclusive.Sum.Lo != uint64(2*depth-1) {
			t.Errorf("with little memory: cut %v, %d ticks", small.Cut, n.Inclusive.Sum.Lo)
		}
		var memory *calltree.MemoryError
		if _, err := merge.Of(t.Context(), sourceOf(t, src), merge.Options{Memory: 64}); !errors.As(err, &memory) {
			t.Errorf("with 64 bytes: %v", err)
		}
	}
}

// Calls of which each level has the one below twice, apart from each other, would have 2^n places. Then names alone count.
func TestExponential(t *testing.T) {
	const levels = 14
	names := []string{"between"}
	for i := range levels {
		names = append(names, fmt.Sprintf("level %d", i))
	}
	src := written(2, names, func(_ int, put func(trace.Kind, int)) {
		var call func(level int)
		call = func(level int) {
			put(trace.KindEnter, level)
			if level < levels {
				call(level + 1)
				put(trace.KindEnter, 0)
				put(trace.KindLeave, 0)
				call(level + 1)
			}
			put(trace.KindLeave, level)
		}
		call(1)
	})
	tree, err := merge.Of(t.Context(), sourceOf(t, src), merge.Options{Memory: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if !tree.ByName || len(tree.Nodes) != 2*levels-1 {
		t.Errorf("by name %v, %d nodes", tree.ByName, len(tree.Nodes))
	}
	if n := &tree.Nodes[levels-1]; n.Calls != 2<<(levels-1) {
		t.Errorf("%d calls of %s", n.Calls, tree.Forest.NameOf(n.Name))
	}
}

// Lists without any order have a node for each name, and all calls are in it.
func TestIrregular(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	const calls = 30_000
	src := written(3, names, func(l int, put func(trace.Kind, int)) {
		x := uint64(l)
		put(trace.KindEnter, 0)
		for range calls {
			x = x*6364136223846793005 + 1442695040888963407
			put(trace.KindEnter, int(1+x>>33%6))
			put(trace.KindLeave, int(1+x>>33%6))
		}
		put(trace.KindLeave, 0)
	})
	tree, err := merge.Of(t.Context(), sourceOf(t, src), merge.Options{Level: align.Tree})
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Nodes) != 7 || tree.Nodes[0].Ordered || !tree.Nodes[1].Ordered {
		t.Fatalf("%d nodes", len(tree.Nodes))
	}
	all := uint64(0)
	for i := range tree.Nodes[1:] {
		all += tree.Nodes[1+i].Calls
	}
	if all != 3*calls || tree.Nodes[0].Inclusive.Least != 2*calls+1 {
		t.Errorf("%d calls in the nodes, %d ticks", all, tree.Nodes[0].Inclusive.Least)
	}
}

// What is inside of calls in lists without an order may have one; the naive model folds such lists alike.
func TestOrderInside(t *testing.T) {
	src := written(3, []string{"a", "b", "c", "x", "y"}, func(l int, put func(trace.Kind, int)) {
		x := uint64(l)
		for range 1000 {
			x = x*6364136223846793005 + 1442695040888963407
			outer := int(x >> 33 % 3)
			put(trace.KindEnter, outer)
			for i := range int(x >> 40 % 4) {
				put(trace.KindEnter, 3+i%2)
				put(trace.KindLeave, 3+i%2)
			}
			put(trace.KindLeave, outer)
		}
	})
	c := &naiveCase{subjects: []*subject{newSubject(t, src, store.Options{})}, window: model.Window{From: math.MinInt64, To: math.MaxInt64}}
	c.checkNames(t)
	c.checkTree(t)
	if tree := c.of(t, align.Names); len(tree.Nodes) != 12 || tree.ByName {
		t.Errorf("%d nodes", len(tree.Nodes))
	}
}

// Windows without calls, one location, and calls that are cut at both ends get an answer.
func TestEdges(t *testing.T) {
	src := written(1, []string{"main", "work"}, func(_ int, put func(trace.Kind, int)) {
		put(trace.KindLeave, 1)
		put(trace.KindEnter, 0)
		put(trace.KindEnter, 1)
		put(trace.KindLeave, 1)
		put(trace.KindEnter, 1)
	})
	all := sourceOf(t, src)
	for _, c := range []struct {
		from, to int64
		text     string
	}{
		{math.MinInt64, math.MaxInt64, "main 0:1/2\n  work 0:2/1\n"},
		{0, 2, ""},
		{3, 4, "main 0:1/0\n  work 0:1/1\n"},
		{4, 5, "main 0:1/1\n  work 0:1/0\n"},
	} {
		s := all[0]
		s.Window = s.Reader.Window(c.from, c.to)
		tree, err := merge.Of(t.Context(), []merge.Source{s}, merge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(tree); got != c.text {
			t.Errorf("%d to %d:\n%s\nnot\n%s", c.from, c.to, got, c.text)
		}
	}
	empty, err := merge.Of(t.Context(), sourceOf(t, tracegen.New(trace.Meta{Resolution: 1})), merge.Options{})
	if err != nil || len(empty.Nodes) != 0 || len(empty.Members) != 0 {
		t.Errorf("without events: %+v, %v", empty, err)
	}
}

// The work ends with the context, wherever it is.
func TestStops(t *testing.T) {
	src := sourceOf(t, written(4, []string{"main", "work"}, func(_ int, put func(trace.Kind, int)) {
		put(trace.KindEnter, 0)
		for range 20_000 {
			put(trace.KindEnter, 1)
			put(trace.KindLeave, 1)
		}
	}))
	for _, after := range []int{0, 1, 5, 30} {
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
		if _, err := merge.Of(ctx, src, merge.Options{Progress: progress}); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d reports: %v", after, err)
		}
		cancel()
	}
}
