package merge_test

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// planting is what is known of a run with planted differences.
type planting struct {
	Planted []struct {
		Kind   string  `json:"kind"`
		Region string  `json:"region"`
		Ranks  []int64 `json:"ranks"`
		Excess int64   `json:"excess_ns_measured"`
	} `json:"planted"`
	Structure struct {
		OnlyHere   []string `json:"only_here"`
		OnlyInBase []string `json:"only_in_base"`
	} `json:"structure_against_base"`
	Found struct {
		Calls map[string]uint64 `json:"calls"`
		Own   map[string]int64  `json:"exclusive_ns"`
	} `json:"found_in_archive"`
}

// planted returns the tree of runs with planted differences, and what is known of the last one.
func planted(t *testing.T, names ...string) (*merge.Tree, *planting) {
	t.Helper()
	var sources []merge.Source
	p := &planting{}
	for _, name := range names {
		*p = planting{}
		r := stored.Trace(t, tracetest.PlantedDir(t, name, p))
		sources = append(sources, merge.Source{Name: name, Reader: r, Window: r.Window(r.Info().First, r.Info().Last+1)})
	}
	tree, err := merge.Of(t.Context(), sources, merge.Options{Level: align.Tree})
	if err != nil {
		t.Fatal(err)
	}
	return tree, p
}

// regionsOf returns the regions that only the members of one source have.
func regionsOf(tree *merge.Tree, source int) (only []string) {
	sources := map[string]map[int]bool{}
	for i := range tree.Nodes {
		name := tree.Forest.NameOf(tree.Nodes[i].Name)
		if sources[name] == nil {
			sources[name] = map[int]bool{}
		}
		for m := range tree.MembersOf(i) {
			sources[name][tree.Members[m].Source] = true
		}
	}
	for name, in := range sources {
		if len(in) == 1 && in[source] {
			only = append(only, name)
		}
	}
	slices.Sort(only)
	return only
}

// Nodes of regions that one run alone has are on its locations alone.
func TestPlantedStructure(t *testing.T) {
	for _, name := range []string{"heat.d", "heat.e"} {
		tree, p := planted(t, "heat.a", name)
		if got := regionsOf(tree, 0); !slices.Equal(got, p.Structure.OnlyInBase) {
			t.Errorf("only in heat.a: %v, not %v", got, p.Structure.OnlyInBase)
		}
		if got := regionsOf(tree, 1); !slices.Equal(got, p.Structure.OnlyHere) {
			t.Errorf("only in %s: %v, not %v", name, got, p.Structure.OnlyHere)
		}
	}
}

// Calls and times of nodes add up to what another program counts.
func TestPlantedSums(t *testing.T) {
	tree, p := planted(t, "heat.i")
	calls, own := map[string]uint64{}, map[string]int64{}
	for i := range tree.Nodes {
		name := tree.Forest.NameOf(tree.Nodes[i].Name)
		calls[name] += tree.Nodes[i].Calls
		own[name] += int64(tree.Nodes[i].Exclusive.Sum.Lo)
	}
	for region, want := range p.Found.Calls {
		if calls[region] != want || own[region] != p.Found.Own[region] {
			t.Errorf("%s: %d calls, %d ns, not %d and %d", region, calls[region], own[region], want, p.Found.Own[region])
		}
	}
}

// A planted interruption is the first outlier; where nothing is planted on single ranks, none of own work is.
func TestPlantedOutliers(t *testing.T) {
	tree, p := planted(t, "heat.i")
	if len(tree.Outliers) == 0 {
		t.Fatal("no outliers")
	}
	first, want := tree.Outliers[0], p.Planted[0]
	if name := tree.Forest.NameOf(tree.Nodes[first.Node].Name); name != want.Region || tree.Members[first.Member].Rank != want.Ranks[0] {
		t.Errorf("%s of %s, not %s of rank %d", name, tree.Members[first.Member].Label, want.Region, want.Ranks[0])
	}
	if off := first.Excess - want.Excess; off > want.Excess/20 || off < -want.Excess/20 {
		t.Errorf("%d ns too much, not %d", first.Excess, want.Excess)
	}
	for _, name := range []string{"heat.a", "heat.b", "heat.d", "heat.f"} {
		tree, _ := planted(t, name)
		for _, o := range tree.Outliers {
			if region := tree.Forest.NameOf(tree.Nodes[o.Node].Name); region[:3] != "MPI" {
				t.Errorf("%s: %s is an outlier in %s: %+v", name, tree.Members[o.Member].Label, region, o)
			}
		}
	}
}
