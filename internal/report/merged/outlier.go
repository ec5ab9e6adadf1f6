package merged

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Outlier is a location whose exclusive time at a node is far from the median of all that have the node.
type Outlier struct {
	Node       int      `json:"node"`
	Location   string   `json:"location_label"`
	RegionName string   `json:"region_name"`
	Activity   string   `json:"activity"`
	Path       []string `json:"path"`
	// Exclusive is the time of the location, Median that of all that have the node, Excess by how much the first is more.
	ExclusiveNs    int64 `json:"exclusive_ns"`
	ExclusiveTicks int64 `json:"exclusive_ticks"`
	MedianNs       int64 `json:"median_ns"`
	MedianTicks    int64 `json:"median_ticks"`
	ExcessNs       int64 `json:"excess_ns"`
	ExcessTicks    int64 `json:"excess_ticks"`
	// Score is the excess in robust standard deviations.
	Score float64 `json:"score"`

	own bool
}

func (r *Report) outlier(o *merge.Outlier) Outlier {
	activity := r.activity(o.Node)
	median := r.tree.Nodes[o.Node].Exclusive.Median
	return Outlier{
		Node: o.Node, Location: r.names[o.Member], RegionName: r.region(o.Node), Activity: activity.String(), Path: r.path(o.Node),
		ExclusiveNs: r.ns(o.Ticks), ExclusiveTicks: o.Ticks, MedianNs: r.ns(median), MedianTicks: median, ExcessNs: r.ns(o.Excess), ExcessTicks: o.Excess,
		Score: o.Score, own: activity == trace.ActivityComputation,
	}
}

// LimitOutliers keeps the first outliers: of own work, and of the rest.
func (r *Report) LimitOutliers(most int) {
	if most <= 0 {
		return
	}
	counts := map[bool]int{}
	r.Outliers = slices.DeleteFunc(r.Outliers, func(o Outlier) bool {
		counts[o.own]++
		return counts[o.own] > most
	})
}

// outlierTables writes which locations are far from the others: in own work, and in communication and waiting.
func (r *Report) outlierTables(w io.Writer) {
	if len(r.Outliers) == 0 {
		if r.Locations < merge.OutlierMembers {
			fmt.Fprintf(w, "none of fewer than %d locations is far from the others\n", merge.OutlierMembers)
		} else {
			fmt.Fprintln(w, "no location is far from the others")
		}
		return
	}
	for _, of := range []struct {
		own  bool
		what string
	}{{true, "far from the others in own work"}, {false, "far from the others in communication and waiting"}} {
		var rows [][]string
		for i := range r.Outliers {
			if o := &r.Outliers[i]; o.own == of.own {
				rows = append(rows, []string{
					r.signed(o.ExcessTicks), r.duration(o.ExclusiveTicks), r.duration(o.MedianTicks), fmt.Sprintf("%+.1f", o.Score),
					report.Cell(o.Location), report.Cell(o.RegionName), report.Cell(strings.Join(o.Path[:len(o.Path)-1], " > ")),
				})
			}
		}
		if len(rows) > 0 {
			fmt.Fprintf(w, "\n%s\n", of.what)
			report.WriteTable(w, []string{"excess", "time", "median", "score", "location", "region", "called by"},
				[]bool{true, true, true, true, false, false, false}, slices.Values(rows))
		}
	}
}
