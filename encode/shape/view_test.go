package shape

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// expanded returns the leaves of edges in the plainest way, by what View says alone.
func expanded(v *View, edges []Edge) (ids []ID) {
	for _, e := range edges {
		if before, core, after, ok := v.Recursion(e.Shape); ok {
			for range e.Count {
				ids = append(ids, expanded(v, before)...)
			}
			ids = append(ids, expanded(v, []Edge{{core, 1}})...)
			for range e.Count {
				ids = append(ids, expanded(v, after)...)
			}
			continue
		}
		for range e.Count {
			if _, ok := v.Leaf(e.Shape); ok {
				ids = append(ids, e.Shape)
			} else {
				ids = append(ids, expanded(v, v.Edges(e.Shape))...)
			}
		}
	}
	return ids
}

// A view walked edge by edge gives the events that were folded, and its numbers of events and calls are those of the walk.
func TestView(t *testing.T) {
	recursions, calls := 0, uint64(0)
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 5))
		d := NewDictionary(trace.Standard)
		var all []*stacker
		for range 1 + r.IntN(3) {
			s := newStacker(d, []uint64{0, 1}[:r.IntN(3)]...)
			for range 6 {
				s.program(t, r, 0)
			}
			s.folder.Tokens()
			all = append(all, s)
		}
		tokens := make([][]Token, len(all))
		for i, s := range all {
			tokens[i] = s.checkExpand(t)
		}
		d.Prepare()
		v := d.View()
		if v.Len() != d.Len() {
			t.Fatalf("%d shapes, want %d", v.Len(), d.Len())
		}
		for i, s := range all {
			want := make([]ID, len(s.leaves))
			for j, leaf := range s.leaves {
				want[j] = v.LeafID(leaf)
			}
			if got := expanded(v, tokens[i]); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %d events, want the %d that were folded", seed, len(got), len(want))
			}
			calls += checkCounts(t, v, tokens[i])
		}
		for id := range ID(v.Len()) {
			for _, e := range v.Edges(id) {
				if e.Shape >= id {
					t.Fatalf("shape %d has an edge to %d", id, e.Shape)
				}
			}
			if got := checkCounts(t, v, []Edge{{id, 1}}); got != v.Calls(id) || v.EventsOf([]Edge{{id, 1}}) != v.Events(id) {
				t.Fatalf("shape %d has %d calls and %d events, its edge %d and %d", id, v.Calls(id), v.Events(id), got, v.EventsOf([]Edge{{id, 1}}))
			}
			checkCounts(t, v, []Edge{{id, 3}})
			if _, _, _, ok := v.Recursion(id); ok {
				recursions++
			}
		}
	}
	if recursions < 100 || calls < 1000 {
		t.Errorf("only %d recursions and %d calls: this tests little", recursions, calls)
	}
}

// checkCounts compares the numbers of events and calls of edges with those of their expansion, and returns that of calls.
func checkCounts(t *testing.T, v *View, edges []Edge) (calls uint64) {
	t.Helper()
	ids := expanded(v, edges)
	for _, id := range ids {
		if l, _ := v.Leaf(id); l.Class == Enter || l.Class == ContextEnter {
			calls++
		}
	}
	if v.EventsOf(edges) != uint64(len(ids)) || v.CallsOf(edges) != calls {
		t.Fatalf("%v: %d events and %d calls, expanded %d and %d", edges, v.EventsOf(edges), v.CallsOf(edges), len(ids), calls)
	}
	return calls
}

// Calls of shapes with more of them than 2^64 saturate, those of recursions too.
func TestViewSaturates(t *testing.T) {
	d := NewDictionary(trace.Standard)
	enter, _ := d.Event(0, trace.KindEnter, []uint64{1}, nil)
	leave, _ := d.Event(0, trace.KindLeave, []uint64{1}, nil)
	id := d.Composite([]Edge{{enter, 1}, {leave, 1}})
	for range 63 {
		id = d.Composite([]Edge{{id, 2}})
	}
	most := uint64(1<<64 - 1)
	level := d.Composite([]Edge{{id, 1}, {enter, 1}, {id, 1}})
	recursion := d.recursionOf(level, 1)
	v := d.View()
	if v.Calls(id) != 1<<63 || v.CallsOf([]Edge{{id, 2}}) != most || v.Calls(level) != most {
		t.Errorf("%d calls, twice %d, two of it %d", v.Calls(id), v.CallsOf([]Edge{{id, 2}}), v.Calls(level))
	}
	if n := v.CallsOf([]Edge{{recursion, 5}, {enter, 1}}); v.Calls(recursion) != most || n != most {
		t.Errorf("a recursion has %d calls, five deep %d", v.Calls(recursion), n)
	}
}
