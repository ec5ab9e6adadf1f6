package merged

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/paths"
	"github.com/pandotrace/pando/internal/report/ranges"
)

// head writes what the tree is of.
func (r *Report) head(w io.Writer) {
	var names []string
	for i := range r.Files {
		f := &r.Files[i]
		name := report.Printable(f.File)
		if !f.whole {
			name += " from " + r.duration(f.FromTicks) + " to " + r.duration(f.ToTicks)
		}
		names = append(names, name)
	}
	fmt.Fprintf(w, "%s: ", strings.Join(names, ", "))
	if len(r.tree.Nodes) == 0 {
		fmt.Fprintln(w, "no calls")
		return
	}
	fmt.Fprintf(w, "%s", report.Plural(r.Locations, "location", "locations"))
	switch {
	case r.Locations == 1:
	case r.Structures == 1:
		fmt.Fprint(w, " with the same calls")
	case r.Structures == r.Locations:
		fmt.Fprint(w, ", each with other calls")
	default:
		fmt.Fprintf(w, " of %d structures", r.Structures)
	}
	fmt.Fprintf(w, "; %s at %s\n", report.Plural(r.Calls, "call", "calls"), report.Plural(len(r.tree.Nodes), "place", "places"))
}

// writeTree writes the tree.
func (r *Report) writeTree(w io.Writer) {
	if len(r.tree.Nodes) == 0 {
		return
	}
	heads := []string{"calls", "locations", "call tree"}
	right := []bool{true, false, false}
	if r.tree.Timed {
		heads = slices.Concat([]string{"share", "own", "median", "least", "most", "by"}, heads)
		right = slices.Concat([]bool{true, true, true, true, true, false}, right)
	}
	fmt.Fprintln(w)
	report.WriteTable(w, heads, right, func(yield func([]string) bool) {
		lines := paths.Lines(r.Nodes)
		for i := range r.Nodes {
			if !yield(r.row(&r.Nodes[i], lines[i])) {
				return
			}
		}
	})
	r.notes(w)
}

// row is the row of a node, with what stands before its name.
func (r *Report) row(n *Node, lines string) []string {
	row := []string{calls(n), r.shortOn(n), lines + report.Cell(n.RegionName)}
	if !r.tree.Timed {
		return row
	}
	t := &r.tree.Nodes[n.Node]
	return slices.Concat([]string{
		percent(n.share), percent(part(t.Exclusive.Sum, r.total)), r.duration(t.Inclusive.Median), r.duration(t.Inclusive.Least), r.duration(t.Inclusive.Most),
		report.Cell(n.Inclusive.MostLocation),
	}, row)
}

// notes says what the tree does not show.
func (r *Report) notes(w io.Writer) {
	if r.OmittedNodes > 0 {
		fmt.Fprintf(w, "… more: %s (--depth, --min-share, --limit)\n", report.Plural(r.OmittedNodes, "place", "places"))
	}
	if r.Cut {
		fmt.Fprintf(w, "calls more than %d levels in have no place: their time is that of the call around them\n", r.Depth)
	}
	if r.ByName {
		fmt.Fprintln(w, "there are too many places: calls of one name inside of a call are one")
	}
	if len(r.Outliers) > 0 {
		var names []string
		for i := range r.Outliers {
			names = append(names, r.Outliers[i].Location)
		}
		fmt.Fprintf(w, "far from the others somewhere: %s (--outliers)\n", ranges.Of(names, 6))
	}
}

// calls says how many calls a location has of a node.
func calls(n *Node) string {
	if n.FewestCount == n.MostCount {
		return report.Grouped(n.MostCount)
	}
	return report.Grouped(n.FewestCount) + "-" + report.Grouped(n.MostCount)
}

// mostOn is the longest list of locations in a table, in letters.
const mostOn = 28

// shortOn says which locations have a node, or how many.
func (r *Report) shortOn(n *Node) string {
	if on := r.on(n.Node); utf8.RuneCountInString(on) <= mostOn {
		return on
	}
	return fmt.Sprintf("%s of %s", report.Grouped(n.Locations), report.Grouped(r.Locations))
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// duration returns a time with its unit.
func (r *Report) duration(units int64) string {
	return report.Duration(float64(units) / float64(r.TicksPerSecond))
}

// signed returns a difference with its sign.
func (r *Report) signed(units int64) string {
	if units > 0 {
		return "+" + r.duration(units)
	}
	return r.duration(units)
}
