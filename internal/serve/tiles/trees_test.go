package tiles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// drawn writes a tree with a line for each group, indented, and the ids of the locations that are in it and in no smaller one.
func drawnTree(v *Rows) string {
	var lines []string
	for i, g := range v.Groups {
		depth, own := 0, []string{}
		for p := g.Parent; p >= 0; p = v.Groups[p].Parent {
			depth++
		}
		for _, l := range v.Locations {
			if l.Group == i {
				own = append(own, l.ID)
			}
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s%s %s: %s", strings.Repeat(" ", depth), g.Kind, g.Name, strings.Join(own, " ")), " "))
	}
	return strings.Join(lines, "\n")
}

// grid is a trace of 2 x 3 processes with a thread each, and one more with two threads and two streams of an accelerator in no communicator but that of all.
func grid() trace.Source {
	t := tracegen.New(trace.Meta{Resolution: 1e9})
	region := t.Region("work")
	var ranks []uint64
	add := func(id, kind, process uint64) {
		t.Define(trace.KindLocation, id, t.String("location"), kind, 0, process)
		b := t.Events(id)
		b.Append(trace.KindEnter, int64(id), region)
		b.Append(trace.KindLeave, int64(id)+100, region)
	}
	for rank := range uint64(7) {
		process := t.Process(fmt.Sprint("process ", rank))
		add(10*rank, 1, process)
		ranks = append(ranks, 10*rank)
		if rank == 6 {
			add(61, 1, process)
			add(62, 2, process)
			add(63, 2, process)
		}
	}
	world := t.CommLocations(ranks...)
	t.Comm(world)
	t.Comm(t.CommGroup(0, 1, 2, 3, 4, 5, 6)) // the same again
	t.Comm(t.SelfGroup())
	t.Comm(t.CommGroup(0, 1))
	for _, row := range [][]uint64{{0, 1, 2}, {3, 4, 5}} {
		t.Comm(t.CommGroup(row...))
	}
	for _, column := range [][]uint64{{0, 3}, {1, 4}, {2, 5}} {
		t.Comm(t.GlobalGroup(column...))
	}
	t.InterComm(t.CommGroup(0), t.CommGroup(1))
	return t
}

// TestTrees: rows of a grid fit into the communicator of all, columns then do not, and a process goes with its rank.
func TestTrees(t *testing.T) {
	r := stored.Source(t, grid(), store.Options{})
	for tree, want := range map[Tree]string{
		BySystem: "trace all: 0 10 20 30 40 50\n process rank 6: 60 61 62 63",
		ByKind:   "trace all:\n kind CPU threads: 0 10 20 30 40 50 60 61\n kind accelerator streams: 62 63",
		ByCommunicator: "communicator communicator:\n communicator communicator: 20\n  communicator communicator: 0 10\n communicator communicator: 30 40 50\n" +
			" process rank 6: 60 61 62 63",
	} {
		v, err := NewRows(r, tree)
		if err != nil {
			t.Fatal(err)
		}
		if got := drawnTree(v); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tree, got, want)
		}
		checkRows(t, string(tree), r, v)
	}
}

// TestCommunicatorTree: of random traces, the members of each group by communicator are those that one of the definitions lists, and each communicator
// whose members are in one group, and not all of it, is a group. Members are found by the ranks that locations have, not by lists of groups.
func TestCommunicatorTree(t *testing.T) {
	groups := 0
	for seed := range uint64(30) {
		r := stored.Source(t, tracegen.Random(seed, tracegen.RandomKnobs(seed)), store.Options{})
		d, err := r.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		v, err := NewRows(r, ByCommunicator)
		if err != nil {
			t.Fatal(err)
		}
		lists := map[string]bool{}
		for id, c := range d.Comms {
			if set := membersByRank(d, v, id); !c.Inter && len(d.GroupLists[c.Group].Members) > 0 && len(set) > 0 {
				lists[fmt.Sprint(set)] = true
			}
		}
		for _, g := range v.Groups {
			var set []int
			for row := g.From; row < g.To; row++ {
				set = append(set, row)
			}
			if g.Kind != "communicator" {
				continue
			}
			if groups++; !lists[fmt.Sprint(set)] {
				t.Errorf("seed %d: %+v has rows that no communicator has: %v, but %v", seed, g, set, lists)
			}
		}
	}
	if groups < 10 {
		t.Errorf("%d groups in all", groups)
	}
}

// membersByRank returns the rows of all locations whose process has a rank in a communicator.
func membersByRank(d *trace.Definitions, v *Rows, comm uint64) (rows []int) {
	for lane := range v.lanes {
		for _, id := range v.lanes[lane] {
			if _, _, ok := d.OwnRank(comm, id); ok {
				rows = append(rows, v.Row(id))
			}
		}
	}
	slices.Sort(rows)
	return rows
}
