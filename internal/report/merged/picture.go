package merged

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/internal/draw/icicle"
	"github.com/pandotrace/pando/internal/report"
)

// Picture returns the tree as an icicle: boxes are as wide as the time of all locations.
func (r *Report) Picture() *icicle.Icicle {
	c := &icicle.Icicle{Title: r.title()}
	c.Subtitle = fmt.Sprintf("%s, %s; boxes are as wide as the time of all locations: %s in all", report.Plural(r.Locations, "location", "locations"),
		report.Plural(r.Structures, "structure", "structures"), report.Duration(r.total.Float()/float64(max(r.TicksPerSecond, 1))))
	if len(r.Files) == 1 && !r.Files[0].whole {
		c.Subtitle = r.duration(r.Files[0].FromTicks) + " to " + r.duration(r.Files[0].ToTicks) + ": " + c.Subtitle
	}
	marked := map[int]bool{}
	for i := range r.Outliers {
		marked[r.Outliers[i].Node] = true
	}
	at := map[int]int{-1: -1} // by node: its box
	for i := range r.Nodes {
		n := &r.Nodes[i]
		node, parent := n.Place()
		at[node] = len(c.Boxes)
		c.Boxes = append(c.Boxes, icicle.Box{
			Parent: at[parent], Name: n.RegionName, Value: r.tree.Nodes[node].Inclusive.Sum.Float(), Activity: r.activity(node),
			Share: float64(n.Locations) / float64(max(r.Locations, 1)), Marked: marked[node], Hint: r.hint(n, marked[node]),
		})
	}
	return c
}

// hint says what a node is.
func (r *Report) hint(n *Node, marked bool) string {
	t := &r.tree.Nodes[n.Node]
	lines := []string{
		report.Printable(n.RegionName) + " (" + n.Activity + ")",
		fmt.Sprintf("%s of all time, own %s", percent(n.share), percent(part(t.Exclusive.Sum, r.total))),
		fmt.Sprintf("a location: median %s, least %s (%s), most %s (%s)", r.duration(t.Inclusive.Median), r.duration(t.Inclusive.Least), n.Inclusive.LeastLocation,
			r.duration(t.Inclusive.Most), n.Inclusive.MostLocation),
		"calls of a location: " + calls(n),
		fmt.Sprintf("%s of %s locations: %s", report.Grouped(n.Locations), report.Grouped(r.Locations), r.shortOn(n)),
	}
	if marked {
		for i := range r.Outliers {
			if o := &r.Outliers[i]; o.Node == n.Node && len(lines) < 9 {
				lines = append(lines, fmt.Sprintf("%s is far from the others: %s of own time, median %s", o.Location, r.duration(o.ExclusiveTicks), r.duration(o.MedianTicks)))
			}
		}
	}
	return strings.Join(lines, "\n")
}
