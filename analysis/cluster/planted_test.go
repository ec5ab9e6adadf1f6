package cluster_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// planting is what is known of the ranks of a program: by how it was written, and by another reader of the trace.
type planting struct {
	Classes map[string][]int64 `json:"classes"`
	Found   struct {
		Groups map[string][][]int64 `json:"groups_of_ranks"`
	} `json:"found_in_archive"`
}

// ranksOf returns the ranks of all groups.
func ranksOf(c *cluster.Clusters) (list [][]int64) {
	for i := range c.Groups {
		var ranks []int64
		for _, m := range c.Groups[i].Members {
			ranks = append(ranks, c.Spots[m].Rank)
		}
		slices.Sort(ranks)
		list = append(list, ranks)
	}
	return ordered(list)
}

// ordered returns lists in an order.
func ordered(list [][]int64) [][]int64 {
	slices.SortFunc(list, func(a, b []int64) int { return cmp.Compare(a[0], b[0]) })
	return list
}

// otherwise says where groups are not those of the other reader, which compares the sequences of enters with their depths, so that a leave
// that is missing or out of order changes what comes after it. Here it closes the calls inside of it.
var otherwise = map[string]string{
	"wrong.leave by_whole_call_sequence": "rank 2 lacks the leave of a call that the leave of its caller closes, with nothing between",
}

// Planted programs fall into the classes that they were written for, and into the groups that another reader found.
func TestPlanted(t *testing.T) {
	tested := 0
	for _, plain := range tracetest.Planted(t) {
		tested++
		t.Run(plain, func(t *testing.T) {
			var p planting
			r := stored.Trace(t, tracetest.PlantedDir(t, plain, &p))
			all := describe(t, r, math.MinInt64, math.MaxInt64)
			got := map[cluster.By][][]int64{}
			for _, by := range everything {
				c := find(t, r, r.All(), cluster.Options{By: by})
				mustAgree(t, c, all)
				got[by] = ranksOf(c)
				t.Logf("%s: %s", by, names(c))
			}
			for key, by := range map[string]cluster.By{"by_set_of_functions": cluster.Functions, "by_caller_callee_pairs": cluster.Pairs, "by_whole_call_sequence": cluster.Tree} {
				want := ordered(p.Found.Groups[key])
				if same := fmt.Sprint(got[by]) == fmt.Sprint(want); same != (otherwise[plain+" "+key] == "") {
					t.Errorf("by %s: %v, another reader found %v", by, got[by], want)
				}
			}
			if p.Classes != nil {
				var want [][]int64
				for _, ranks := range p.Classes {
					want = append(want, ranks)
				}
				by := cluster.Pairs
				if strings.HasPrefix(plain, "heat") { // its classes differ in the number of messages
					by = cluster.Tree
				}
				if fmt.Sprint(got[by]) != fmt.Sprint(ordered(want)) {
					t.Errorf("by %s: %v, want the classes %v", by, got[by], p.Classes)
				}
			}
		})
	}
	if tested < 15 {
		t.Errorf("only %d planted traces below PANDO_TRACES", tested)
	}
}
