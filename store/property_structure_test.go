package store_test

import (
	"math"
	"slices"
	"testing"

	shapes "github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// kindTime is an event as structure and times know it.
type kindTime struct {
	kind trace.Kind
	time int64
}

// windowCuts compares cuts with the slices that structure tells of: as many as wanted, or those of all slices.
func (c *checker) windowCuts(w model.Window) {
	c.Helper()
	var starts []int64
	first := int64(math.MaxInt64) // begin of the first slice with events
	for s, err := range c.ask(model.Window{From: w.From, To: w.To}).Structure() {
		if err != nil {
			c.Fatal(err)
		}
		first = min(first, s.Start)
		if s.Start > w.From && s.Start < w.To {
			starts = append(starts, s.Start)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	least := len(starts)
	if least > 0 && starts[0] == first { // the first slice begins in the window, or one without events is before it
		least--
	}
	const all = 1 << 20
	for _, n := range []int{1 + c.rand.IntN(8), all} {
		cuts, err := c.ask(w).Cuts(n)
		if err != nil {
			c.Fatal(err)
		}
		for _, cut := range cuts {
			if !slices.Contains(starts, cut) {
				c.Errorf("%d is no begin of a slice in the window %d to %d: %v", cut, w.From, w.To, starts)
			}
		}
		if len(cuts) >= n || !slices.IsSorted(cuts) || n == all && len(cuts) < least {
			c.Errorf("%d parts: cuts %v, of %v", n, cuts, starts)
		}
	}
}

// windowStructure expands the structure of the slices that a window touches in the plainest way: each location's events must be those
// that the model has of these ordinals, and the window's must be among them.
func (c *checker) windowStructure(w model.Window) {
	c.Helper()
	wanted, all := map[uint64]int{}, map[uint64][]model.Record{}
	for location, events := range c.recordsOf(w) {
		wanted[location] = len(events)
	}
	for _, l := range c.model.Locations {
		all[l.ID] = l.Events
	}
	next, inside, behind := map[uint64]uint64{}, false, false
	for s, err := range c.ask(w).Structure() {
		if err != nil {
			c.Fatal(err)
		}
		before, after := s.Start < w.From, s.End > w.To
		if before && inside || behind && !after {
			c.Errorf("slice %d, [%d, %d) of the window %d to %d, comes before the slices that the window cuts, or behind them", s.Slice, s.Start, s.End, w.From, w.To)
		}
		inside, behind = inside || !before, behind || after
		for _, r := range s.Runs {
			leaves := expand(s.Shapes, r.Tokens)
			if uint64(len(leaves)) != r.Events || s.Shapes.EventsOf(r.Tokens) != r.Events || r.First < next[r.Location] {
				c.Fatalf("location %d from %d on: %d leaves for %d events, after event %d", r.Location, r.First, len(leaves), r.Events, next[r.Location])
			}
			next[r.Location] = r.First + r.Events
			for i, id := range leaves {
				l, _ := s.Shapes.Leaf(id)
				ordinal := r.First + uint64(i)
				e := &all[r.Location][ordinal]
				if l.Kind != e.Kind || e.Time < s.Start || e.Time >= s.End {
					c.Fatalf("event %d of location %d is a %v in [%d, %d), want %v at %d", ordinal, r.Location, l.Kind, s.Start, s.End, e.Kind, e.Time)
				}
				if e.Time >= w.From && e.Time < w.To {
					wanted[r.Location]--
				}
			}
		}
	}
	for location, n := range wanted {
		if n != 0 {
			c.Errorf("structure lacks %d events of location %d", n, location)
		}
	}
}

// expand returns the leaves of tokens, by what a view says of shapes.
func expand(v *shapes.View, tokens []shapes.Token) (leaves []shapes.ID) {
	for _, t := range tokens {
		if before, core, after, ok := v.Recursion(t.Shape); ok {
			leaves = append(leaves, slices.Repeat(expand(v, before), int(t.Count))...)
			leaves = append(leaves, expand(v, []shapes.Token{{Shape: core, Count: 1}})...)
			leaves = append(leaves, slices.Repeat(expand(v, after), int(t.Count))...)
			continue
		}
		part := []shapes.ID{t.Shape}
		if _, ok := v.Leaf(t.Shape); !ok {
			part = expand(v, v.Edges(t.Shape))
		}
		leaves = append(leaves, slices.Repeat(part, int(t.Count))...)
	}
	return leaves
}

// No event is decoded for the structure of a trace.
func TestWorkOfStructure(t *testing.T) {
	r := read(t, write(t, tracegen.Random(1, tracegen.RandomKnobs(1)), store.Options{SliceEvents: 100}))
	events := uint64(0)
	for s, err := range r.All().Structure() {
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range s.Runs {
			events += run.Events
		}
	}
	if decoded := r.ReadStats().Events; decoded != 0 || events != r.Info().Events {
		t.Errorf("structure of %d events of %d, and %d were decoded", events, r.Info().Events, decoded)
	}
}

// windowTimes compares the times and kinds of a window's events with the model's.
func (c *checker) windowTimes(w model.Window) {
	c.Helper()
	got, want, next := map[uint64][]kindTime{}, map[uint64][]kindTime{}, map[uint64]uint64{}
	for r, err := range c.ask(w).Times() {
		if err != nil {
			c.Fatal(err)
		}
		if n, ok := next[r.Location]; len(r.Leaves) != len(r.Times) || ok && r.First != n {
			c.Fatalf("location %d: %d leaves and %d times from %d on, want from %d on", r.Location, len(r.Leaves), len(r.Times), r.First, n)
		}
		next[r.Location] = r.First + uint64(len(r.Times))
		for i, leaf := range r.Leaves {
			l, ok := r.Shapes.Leaf(r.Shapes.LeafID(leaf))
			if !ok {
				c.Fatalf("leaf %d is none", leaf)
			}
			got[r.Location] = append(got[r.Location], kindTime{l.Kind, r.Times[i]})
		}
	}
	for location, events := range c.recordsOf(w) {
		for i := range events {
			want[location] = append(want[location], kindTime{events[i].Kind, events[i].Time})
		}
	}
	for _, l := range c.model.Locations {
		same(c.T, "times of a location", want[l.ID], got[l.ID], equals)
		delete(got, l.ID)
	}
	if len(got) > 0 {
		c.Errorf("times of locations that the trace does not have: %v", got)
	}
}

// windowOpenCalls compares the stacks at a window's begin with the calls of the model that begin before it and do not end before it.
func (c *checker) windowOpenCalls(w model.Window) {
	c.Helper()
	var want []trace.Call
	for _, l := range c.model.Locations {
		for _, call := range c.calls {
			if call.Location == l.ID && call.Start < w.From && call.End >= w.From && (w.Locations == nil || slices.Contains(w.Locations, l.ID)) {
				want = append(want, call)
			}
		}
	}
	got, err := c.ask(w).OpenCalls()
	if err != nil {
		c.Fatal(err)
	}
	same(c.T, "open calls", want, got, equals)
}
