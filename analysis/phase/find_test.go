package phase_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/analysis/phase"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// loops is a program of loops, one after the other, with something else before each of them and at the end.
type loops struct {
	*tracegen.Trace
	ranks  int
	counts []int     // repetitions of each loop
	group  []bool    // loops whose calls have no region around them
	froms  [][]int64 // by loop and rank: when it begins
	ends   [][]int64
}

// newLoops makes the trace. Ranks begin at different times, and calls take different ones.
func newLoops(t *rapid.T) *loops {
	l := &loops{Trace: tracegen.New(trace.Meta{Resolution: 1_000_000}), ranks: rapid.IntRange(1, 5).Draw(t, "ranks")}
	for range rapid.IntRange(1, 2).Draw(t, "loops") {
		l.counts = append(l.counts, rapid.IntRange(5, 30).Draw(t, "repetitions"))
		l.group = append(l.group, rapid.Bool().Draw(t, "group"))
		l.froms, l.ends = append(l.froms, make([]int64, l.ranks)), append(l.ends, make([]int64, l.ranks))
	}
	main, other := l.Region("main"), l.Region("other")
	for rank := range l.ranks {
		b := l.Location(uint64(rank), l.Process(fmt.Sprint("rank ", rank)))
		now := rapid.Int64Range(0, 500).Draw(t, "skew")
		call := func(region uint64, ticks int64, inside func()) {
			b.Append(trace.KindEnter, now, region)
			now += ticks
			inside()
			b.Append(trace.KindLeave, now, region)
		}
		nothing := func() {}
		call(main, 10, func() {
			for i, n := range l.counts {
				call(other, 20_000, nothing)
				l.froms[i][rank] = now
				for range n {
					work := func() {
						call(l.Region(fmt.Sprint("a", i)), rapid.Int64Range(900, 1100).Draw(t, "a"), nothing)
						call(l.Region(fmt.Sprint("b", i)), rapid.Int64Range(400, 500).Draw(t, "b"), nothing)
					}
					if l.group[i] {
						work()
						continue
					}
					call(l.Region(fmt.Sprint("step", i)), 5, work)
				}
				l.ends[i][rank] = now
			}
			call(other, 20_000, nothing)
		})
	}
	return l
}

// Each loop of a program is a phase with the repetitions and the body that it has, from when each rank begins it to when that ends it.
func TestLoops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLoops(t)
		o := store.Options{SliceEvents: rapid.IntRange(1, 100).Draw(t, "slice"), LaneLocations: rapid.IntRange(1, 3).Draw(t, "lane")}
		r := stored.Source(t, l, o)
		p, err := phase.Find(t.Context(), r, r.All(), phase.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.List) != 2*len(l.counts)+1 {
			t.Fatalf("%d phases for %d loops: %+v", len(p.List), len(l.counts), p.List)
		}
		for i, n := range l.counts {
			before, in, behind := &p.List[2*i], &p.List[2*i+1], &p.List[2*i+2]
			body := []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}
			if before.Loop != nil || behind.Loop != nil || in.Loop == nil {
				t.Fatalf("phases %+v", p.List)
			}
			if in.Loop.Least != int64(n) || in.Loop.Most != int64(n) || len(in.Loop.Locations) != l.ranks || !slices.Equal(in.Loop.Body, body) {
				t.Fatalf("loop %+v, want %d times %q on %d", in.Loop, n, body, l.ranks)
			}
			for _, n := range in.Loop.Counts {
				if n != 1 && (n != 0 || !l.group[i]) {
					t.Fatalf("each call is one in a repetition, and not %v", in.Loop.Counts)
				}
			}
			if len(in.Loop.Counts) != len(body) || in.Loop.Locations[0] != 0 || in.Loop.Locations[l.ranks-1] != uint64(l.ranks-1) {
				t.Fatalf("loop %+v", in.Loop)
			}
			if !slices.Equal(in.From, l.froms[i]) || !slices.Equal(behind.From, l.ends[i]) {
				t.Fatalf("from %v to %v, want %v and %v", in.From, behind.From, l.froms[i], l.ends[i])
			}
			for rank, id := range p.Locations {
				if p.At(id, in.From[rank]) != 2*i+1 || p.At(id, in.From[rank]-1) != 2*i || p.At(id, behind.From[rank]) != 2*i+2 {
					t.Fatalf("times of location %d are in other phases", id)
				}
			}
		}
	})
}

// Nothing repeats in a window that is cut out of one: it is one phase.
func TestNothingRepeats(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	from := r.Info().First
	p, err := phase.Find(t.Context(), r, r.Window(from, from+1000), phase.Options{})
	if err != nil || len(p.List) != 1 || p.List[0].Loop != nil {
		t.Fatalf("%+v, %v", p, err)
	}
	if first, end := p.Bounds(0, from+1000); first != from || end != from+1000 {
		t.Errorf("from %d to %d", first, end)
	}
}

// The cycles of a multigrid solver are its loop.
func TestProgram(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark"))
	p, err := phase.Find(t.Context(), r, r.All(), phase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.List) != 3 || p.List[1].Loop == nil {
		t.Fatalf("%d phases: %+v", len(p.List), p.List)
	}
	l := p.List[1].Loop
	if l.Title != "the loop from mg3p_ in MAIN__" || l.Most != 5 || len(l.Locations) != 8 || !slices.Equal(l.Body, []string{"mg3p_", "resid_"}) {
		t.Errorf("%+v", l)
	}
	if _, err := phase.Find(t.Context(), r, r.All(), phase.Options{Memory: 1 << 10}); !errors.Is(err, memory.ErrExceeded) {
		t.Errorf("within 1 kB: %v", err)
	}
}

// TestLongBodies: a loop whose region calls very many others is found, with the first of them as its body.
func TestLongBodies(t *testing.T) {
	tr := tracegen.New(trace.Meta{Resolution: 1000})
	b := tr.Location(0, tr.Process("rank 0"))
	iterate, now := tr.Region("iterate"), int64(0)
	for range 20 {
		b.Append(trace.KindEnter, now, iterate)
		for i := range 300 {
			region := tr.Region(fmt.Sprint("part ", i))
			b.Append(trace.KindEnter, now, region)
			now += 10
			b.Append(trace.KindLeave, now, region)
		}
		b.Append(trace.KindLeave, now, iterate)
	}
	r := stored.Source(t, tr, store.Options{})
	p, err := phase.Find(t.Context(), r, r.All(), phase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.List {
		if l := p.List[i].Loop; l != nil && l.Title == "iterate" && len(l.Body) == 64 && l.Body[0] == "part 0" {
			return
		}
	}
	t.Errorf("no loop has the parts as its body: %v", p.List)
}
