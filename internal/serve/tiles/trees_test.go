package tiles

import (
	"fmt"
	"math/rand/v2"
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

// TestTrees: rows of a grid fit into the communicator of all, columns then do not, and are a tree of their own; a process goes with its rank.
func TestTrees(t *testing.T) {
	r := stored.Source(t, grid(), store.Options{})
	for tree, want := range map[Tree]string{
		BySystem: "trace all: 0 10 20 30 40 50\n process rank 6: 60 61 62 63",
		ByKind:   "trace all:\n kind CPU threads: 0 10 20 30 40 50 60 61\n kind accelerator streams: 62 63",
		ByCommunicator: "communicator communicator:\n communicator communicator: 20\n  communicator communicator: 0 10\n communicator communicator: 30 40 50\n" +
			" process rank 6: 60 61 62 63",
		"communicator-2": "trace all:\n communicator communicator: 0 30\n communicator communicator: 10 40\n communicator communicator: 20 50\n process rank 6: 60 61 62 63",
		"communicator-3": "trace all: 0 10 20 30 40 50\n process rank 6: 60 61 62 63",
	} {
		v, err := NewRows(r, tree)
		if err != nil {
			t.Fatal(err)
		}
		if got := drawnTree(v); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tree, got, want)
		}
		if by := strings.HasPrefix(string(tree), "communicator"); by != slices.Equal(v.Communicators, []string{"communicator", "communicator-2"}) {
			t.Errorf("%s: trees of communicators %q", tree, v.Communicators)
		}
		checkRows(t, string(tree), r, v)
	}
}

// TestCommunicatorTrees: of random traces, the members of each group by communicator are those that one of the definitions lists, and each communicator of several
// processes is a group in one of the trees, and in no two. Members are found by the ranks that locations have, not by lists of groups.
func TestCommunicatorTrees(t *testing.T) {
	groups, most := 0, 0
	for seed := range uint64(60) {
		r := stored.Source(t, communicators(seed), store.Options{})
		lists, found, trees := checkCommunicators(t, seed, r)
		if trees < len(communicatorTrees) && len(found) != len(lists) {
			t.Errorf("seed %d: %v of %v are in %d trees", seed, found, lists, trees)
		}
		groups, most = groups+len(found), max(most, trees)
		if seed < 30 { // definitions of all kinds, with locations without a process
			_, found, _ := checkCommunicators(t, seed, stored.Source(t, tracegen.Random(seed, tracegen.RandomKnobs(seed)), store.Options{}))
			groups += len(found)
		}
	}
	if groups < 100 || most < 4 {
		t.Errorf("%d groups in all, %d trees at most", groups, most)
	}
}

// checkCommunicators compares the groups of all trees with the lists of locations that communicators have by the ranks of these, and returns both, and the number of trees.
func checkCommunicators(t *testing.T, seed uint64, r *store.Reader) (lists map[string]bool, found map[string]string, trees int) {
	d, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewRows(r, ByCommunicator)
	if err != nil {
		t.Fatal(err)
	}
	lists, found = map[string]bool{}, map[string]string{}
	for id, c := range d.Comms {
		if set := membersByRank(d, v, id); !c.Inter && len(set) > 1 && len(d.GroupLists[c.Group].Members) > 0 {
			lists[fmt.Sprint(set)] = true
		}
	}
	for _, tree := range v.Communicators {
		v, err := NewRows(r, Tree(tree))
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, tree, r, v)
		for _, g := range v.Groups {
			if g.Kind != "communicator" {
				continue
			}
			var set []string
			for _, l := range v.Locations[g.From:g.To] {
				set = append(set, l.ID)
			}
			slices.Sort(set)
			name := fmt.Sprint(set)
			if !lists[name] || found[name] != "" {
				t.Errorf("seed %d, tree %s: %+v has locations %s: of %v; in %s, too", seed, tree, g, name, lists, found[name])
			}
			found[name] = tree
		}
	}
	return lists, found, len(v.Communicators)
}

// communicators is a trace of some processes with a thread each, in random communicators.
func communicators(seed uint64) trace.Source {
	random := rand.New(rand.NewPCG(seed, 1))
	t := tracegen.New(trace.Meta{Resolution: 1e9})
	region := t.Region("work")
	var ranks []uint64
	for rank := range uint64(3 + random.IntN(8)) {
		b := t.Location(rank, t.Process(fmt.Sprint("process ", rank)))
		b.Append(trace.KindEnter, int64(rank), region)
		b.Append(trace.KindLeave, int64(rank)+100, region)
		ranks = append(ranks, rank)
	}
	t.Comm(t.CommLocations(ranks...))
	for range random.IntN(9) {
		some := slices.DeleteFunc(slices.Clone(ranks), func(uint64) bool { return random.IntN(2) == 0 })
		t.Comm(t.CommGroup(some...))
	}
	return t
}

// membersByRank returns the ids of all locations whose process has a rank in a communicator.
func membersByRank(d *trace.Definitions, v *Rows, comm uint64) (members []string) {
	for lane := range v.lanes {
		for _, id := range v.lanes[lane] {
			if _, _, ok := d.OwnRank(comm, id); ok {
				members = append(members, number(id))
			}
		}
	}
	slices.Sort(members)
	return members
}
