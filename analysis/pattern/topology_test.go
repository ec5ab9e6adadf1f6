package pattern_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// sending is a program in which each rank sends to those that it is connected to. Its first communicator has the ranks in the opposite order.
func sending(ranks int, connected func(a, b int) bool) *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	var events []*trace.Batch
	var ids, back []uint64
	for rank := range uint64(ranks) {
		events = append(events, t.Location(rank, t.Process(fmt.Sprint("rank ", rank))))
		ids, back = append(ids, rank), append([]uint64{rank}, back...)
	}
	t.CommLocations(ids...)
	t.Comm(t.CommGroup(back...))
	world := t.Comm(t.CommGroup(ids...))
	for a := range ranks {
		for b := range ranks {
			if a != b && connected(a, b) {
				events[a].Append(trace.KindMpiSend, 10, uint64(b), world, 7, 64)
			}
		}
	}
	for b := range ranks {
		for a := range ranks {
			if a != b && connected(a, b) {
				events[b].Append(trace.KindMpiRecv, 20, uint64(a), world, 7, 64)
			}
		}
	}
	return t
}

// Of ranks on a grid or torus, each message is one step on the topology, coordinates are within its sizes and no two are equal, and ranks are those of MPI.
func TestTopology(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(2, 4), 1, 3).Draw(t, "sizes")
		wraps, ranks := rapid.Bool().Draw(t, "wraps"), 1
		for _, n := range sizes {
			ranks *= n
		}
		near := neighbours(sizes, wraps, false)
		if !wraps {
			near = func(a, b int) bool {
				apart := 0
				for x, y, d := a, b, 0; d < len(sizes); d++ {
					apart += max(x%sizes[d], y%sizes[d]) - min(x%sizes[d], y%sizes[d])
					x, y = x/sizes[d], y/sizes[d]
				}
				return apart == 1
			}
		}
		r := stored.Source(t, sending(ranks, near), store.Options{})
		f, err := pattern.NewFinder(r)
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Find(t.Context(), r.All(), pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		top, err := f.Topology(&x.Pattern)
		if none := (*pattern.NoGridError)(nil); errors.As(err, &none) && !slices.Contains([]pattern.Class{pattern.Line, pattern.Ring, pattern.Grid, pattern.Torus}, x.Class) {
			return // of small numbers a grid is a butterfly, or all to all
		}
		if err != nil || len(top.Members) != ranks {
			t.Fatalf("%+v: %+v, %v", x.Pattern, top, err)
		}
		at := map[string]bool{}
		for rank, m := range top.Members {
			if m.Rank != uint64(rank) || m.Location != uint64(rank) || !m.Known {
				t.Errorf("rank %d: %+v", rank, m)
			}
			for d, c := range m.At {
				if c < 0 || c >= top.Dimensions[d].Size {
					t.Errorf("rank %d: %v on %s", rank, m.At, top.Sizes())
				}
			}
			at[fmt.Sprint(m.At)] = true
		}
		if len(at) != ranks {
			t.Errorf("%d places of %d ranks", len(at), ranks)
		}
		for _, p := range x.Traffic.Pairs {
			length := int64(0)
			for _, n := range top.Step(top.Members[p.From].At, top.Members[p.To].At) {
				length += max(n, -n)
			}
			if length != 1 {
				t.Errorf("from %v to %v on %s: %d steps", top.Members[p.From].At, top.Members[p.To].At, top.Sizes(), length)
			}
		}
	})
}

// Where no communicator has all ranks, or messages make no grid, there is no topology.
func TestNoTopology(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1})
	src.Location(0, src.Process("p"))
	src.CommLocations(0)
	for want, of := range map[string]*tracegen.Trace{
		"there are no messages, from which coordinates could be inferred":                                 src,
		"the pattern of the messages is star: only ranks of a line, ring, grid or torus have coordinates": sending(8, func(a, b int) bool { return a == 3 || b == 3 }),
	} {
		r := stored.Source(t, of, store.Options{})
		f, err := pattern.NewFinder(r)
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Find(t.Context(), r.All(), pattern.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Topology(&x.Pattern); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	r := stored.Source(t, src, store.Options{})
	f, err := pattern.NewFinder(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Topology(&pattern.Pattern{Class: pattern.Line, Sizes: []int{1}, Wraps: []bool{false}}); !errors.Is(err, pattern.ErrNoCommunicator) {
		t.Errorf("%v", err)
	}
}
