package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/drawn"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Trees are alike if their calls are one in a forest, which compares content, in any window.
func TestForest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 1000).Draw(t, "seed")
		r := stored.Source(t, tracegen.Random(seed, tracegen.RandomKnobs(seed)), drawn.Options(t))
		w := r.All()
		if info := r.Info(); info.Last-info.First > 1 {
			from := rapid.Int64Range(info.First, info.Last).Draw(t, "from")
			w = r.Window(from, rapid.Int64Range(from, info.Last+1).Draw(t, "to"))
		}
		mustMatchForest(t, r, w)
	})
}

// mustMatchForest checks the groups of a window by trees against a forest.
func mustMatchForest(t stored.Failer, r *store.Reader, w *store.Window) {
	t.Helper()
	f := calltree.NewForest()
	locations, err := f.Read(context.Background(), r, w, calltree.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	roots := map[calltree.Node][]uint64{}
	for _, l := range locations {
		roots[l.Root] = append(roots[l.Root], l.ID)
	}
	for _, ids := range roots {
		want = append(want, fmt.Sprint(ids))
	}
	c := find(t, r, w, cluster.Options{By: cluster.Tree})
	for i := range c.Groups {
		got = append(got, fmt.Sprint(idsOf(c, i)))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatal(fmt.Sprintf("%v, want %v", got, want))
	}
}

// idsOf returns the ids of a group's locations.
func idsOf(c *cluster.Clusters, group int) (ids []uint64) {
	for _, m := range c.Groups[group].Members {
		ids = append(ids, c.Members[m].Location)
	}
	return ids
}

// Locations of several files are clustered together: those of a file and of itself are alike, whatever its slices are and however many processors
// there are.
func TestSeveralFiles(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	src := tracegen.Random(14, tracegen.RandomKnobs(14))
	a, b := stored.Source(t, src, store.Options{}), stored.Source(t, src, store.Options{SliceEvents: 20, LaneLocations: 1, EpochSlices: 2})
	for _, by := range everything {
		var before string
		for _, cores := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(cores)
			c, err := cluster.Find(t.Context(), []cluster.Side{{"a", a, a.All()}, {"b", b, b.All()}}, cluster.Options{By: by})
			if err != nil {
				t.Fatal(err)
			}
			alone := find(t, a, a.All(), cluster.Options{By: by})
			if len(c.Groups) != len(alone.Groups) || len(c.Members) != 2*len(alone.Members) || len(c.Groups) < 2 {
				t.Errorf("by %s: %d groups of %d, alone %d of %d", by, len(c.Groups), len(c.Members), len(alone.Groups), len(alone.Members))
			}
			if now := fmt.Sprintf("%+v", c.Groups); before != "" && now != before {
				t.Errorf("by %s: with %d processors, the groups are %s, not %s", by, cores, now, before)
			} else {
				before = now
			}
		}
	}
}

// A trace that is none, one location, locations without calls: each gets an answer.
func TestSmall(t *testing.T) {
	empty := tracegen.New(trace.Meta{Resolution: 1000})
	one := tracegen.New(trace.Meta{Resolution: 1000})
	region := one.Region("work")
	b := one.Location(7, one.Process("p"))
	b.Append(trace.KindLeave, 1, region) // of a call from before
	b.Append(trace.KindEnter, 2, region) // that goes on
	idle := tracegen.New(trace.Meta{Resolution: 1000})
	idle.Location(1, idle.Process("p")).Append(trace.KindMeasurementOnOff, 1, 1)
	for _, by := range everything {
		for i, src := range []*tracegen.Trace{empty, one, idle} {
			r := stored.Source(t, src, store.Options{})
			c := find(t, r, r.All(), cluster.Options{By: by, Threshold: 0.5})
			if want := []int{0, 1, 0}[i]; len(c.Groups) != want || len(c.Empty) != []int{0, 0, 1}[i] {
				t.Errorf("by %s, trace %d: groups %v, empty %v", by, i, c.Groups, c.Empty)
			}
			l, err := c.Lattice(t.Context(), 0)
			if !by.Ordered() {
				if !errors.Is(err, cluster.ErrUnordered) {
					t.Errorf("a lattice by %s: %v", by, err)
				}
			} else if err != nil || len(l.Concepts) != 1 {
				t.Errorf("by %s, trace %d: %+v, %v", by, i, l, err)
			}
			if i == 1 && c.Groups[0].Rule.String() != "all locations" {
				t.Errorf("%q", names(c))
			}
		}
	}
}

// deep is a trace of two locations with calls around each other, which begin before a window and end behind it.
func deep(levels int) *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	outer, inner := t.Region("outer"), t.Region("inner")
	process := t.Process("p")
	for id := range uint64(2) {
		b := t.Location(id, process)
		for i := range int64(levels) {
			b.Append(trace.KindEnter, i, outer)
		}
		b.Append(trace.KindEnter, int64(levels), inner)
		for i := range int64(levels) {
			b.Append(trace.KindLeave, int64(levels)+1+i, outer)
		}
	}
	return t
}

// Calls that a window cuts at both ends count, and very deep ones are compared; only their call paths are refused, in a sentence.
func TestCutAndDeep(t *testing.T) {
	const levels = 50_000
	r := stored.Source(t, deep(levels), store.Options{SliceEvents: 1000})
	w := r.Window(levels, levels+10)
	for _, by := range everything {
		c, err := cluster.Find(t.Context(), []cluster.Side{{"a", r, w}}, cluster.Options{By: by})
		var deep *cluster.DepthError
		switch {
		case by == cluster.Contexts:
			if !errors.As(err, &deep) {
				t.Errorf("by contexts: %v", err)
			}
		case err != nil || len(c.Groups) != 1:
			t.Errorf("by %s: %v", by, err)
		case by == cluster.Calls && c.Groups[0].Calls != levels+1:
			t.Errorf("%d calls", c.Groups[0].Calls)
		}
	}
}

// The work ends with the context and with the memory, and progress comes to the number of events.
func TestLimits(t *testing.T) {
	r := stored.Source(t, tracegen.Ring(8, 400, 1), store.Options{SliceEvents: 100})
	side := []cluster.Side{{"a", r, r.All()}}
	done := int64(0)
	if _, err := cluster.Find(t.Context(), side, cluster.Options{By: cluster.Tree, Progress: func(n, _ int64) { done = n }}); err != nil || done != int64(r.Info().Events) {
		t.Errorf("%d of %d events (%v)", done, r.Info().Events, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := cluster.Find(ctx, side, cluster.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the context is done", err)
	}
	var full *cluster.MemoryError
	if _, err := cluster.Find(t.Context(), side, cluster.Options{By: cluster.Contexts, Memory: 1000}); !errors.As(err, &full) || !strings.Contains(err.Error(), "pairs") {
		t.Errorf("with 1000 bytes: %v", err)
	}
	for _, threshold := range []float64{-1, 1.1, math.NaN()} {
		if _, err := cluster.Find(t.Context(), side, cluster.Options{Threshold: threshold}); err == nil {
			t.Errorf("a threshold of %g is taken", threshold)
		}
	}
	if _, err := cluster.Named("colour"); err == nil || !strings.Contains(err.Error(), "messages") {
		t.Errorf("by colour: %v", err)
	}
	for _, name := range cluster.Names() {
		if by, err := cluster.Named(name); err != nil || by.String() != name {
			t.Errorf("by %s: %s, %v", name, by, err)
		}
	}
}

// Lattices of more concepts than asked for are refused.
func TestConcepts(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.amg.8.piece"))
	c := find(t, r, r.All(), cluster.Options{By: cluster.Pairs})
	var most *cluster.ConceptsError
	if _, err := c.Lattice(t.Context(), 3); !errors.As(err, &most) {
		t.Errorf("of %d groups: %v", len(c.Groups), err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := c.Lattice(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the context is done", err)
	}
}

// Groups are found by text.
func TestSelection(t *testing.T) {
	r := stored.Source(t, newProgram(6, 1, func(rank, _ int) string { return either(rank%2 == 0) }), store.Options{})
	none := stored.Source(t, tracegen.New(trace.Meta{Resolution: 1000}), store.Options{})
	var s, empty cluster.Selection
	for text, want := range map[string]string{
		"group:1": "[0 2 4]", "group:2": "[1 3 5]", "group:tree:2": "[1 3 5]", "group:functions:1": "[0 2 4]",
		"group:3": "there is no group 3 by pairs: their numbers are 1 to 2 (pando cluster --by pairs lists them)", "group:0": "there is no group 0 by pairs: their numbers are 1 to 2 (pando cluster --by pairs lists them)",
		"group:x": "a group of locations is called @group:2 or @group:functions:2", "groups:1": "a group of locations is called @group:2 or @group:functions:2",
		"group:colour:1": `locations are not clustered by "colour": there are functions, pairs, contexts, calls, tree, messages`,
	} {
		ids, err := s.Locations(t.Context(), r, text)
		got := fmt.Sprint(ids)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if _, err := empty.Locations(t.Context(), none, "group:1"); err == nil || !strings.Contains(err.Error(), "no location has calls") {
		t.Errorf("of an empty trace: %v", err)
	}
	for text, want := range map[string]bool{"@group:1": true, "!@group:tree:1": true, "@mpi": false, "group:1": false, `\\@group:1`: false} {
		if cluster.IsSelector(text) != want {
			t.Errorf("%s is one: %v", text, !want)
		}
	}
}
