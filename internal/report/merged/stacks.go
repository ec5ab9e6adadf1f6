package merged

import (
	"fmt"
	"math"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/paths"
	"github.com/pandotrace/pando/internal/stacks"
)

// Stacks returns the tree for programs that show profiles: exclusive times of all locations together, of the median one, the least and the most.
func (r *Report) Stacks() *stacks.Tree {
	t := &stacks.Tree{Title: r.title(), Kinds: map[string]string{}}
	t.Comments = []string{fmt.Sprintf("%s, %s", report.Plural(r.Locations, "location", "locations"), report.Plural(r.Structures, "structure", "structures"))}
	names := []string{"all locations", "median location", "least", "most"}
	for _, name := range names {
		t.Columns = append(t.Columns, stacks.Column{Name: name, Unit: stacks.Nanoseconds})
	}
	t.Columns = append(t.Columns, stacks.Column{Name: "calls", Unit: stacks.Count})
	frames := map[calltree.Name]int{}
	for i := range r.tree.Nodes {
		n := &r.tree.Nodes[i]
		frame, ok := frames[n.Name]
		if !ok {
			frame = len(t.Frames)
			frames[n.Name] = frame
			t.Frames = append(t.Frames, r.frame(i, t.Kinds))
		}
		t.Nodes = append(t.Nodes, stacks.Node{Parent: n.Parent, Frame: frame})
		sum, _ := r.sum(n.Exclusive.Sum)
		values := []int64{int64(min(sum, math.MaxInt64)), r.ns(n.Exclusive.Median), r.ns(n.Exclusive.Least), r.ns(n.Exclusive.Most), int64(min(n.Calls, math.MaxInt64))}
		for c, v := range values {
			t.Columns[c].Values = append(t.Columns[c].Values, v)
		}
	}
	return t
}

// frame returns what formats say of the region of a node. The colour of its kind is added to those that there are.
func (r *Report) frame(node int, kinds map[string]string) stacks.Frame {
	defs, region, ok := r.tree.Region(node)
	if !ok {
		return stacks.Frame{Name: r.region(node)}
	}
	f, kind := paths.Frame(defs, region, r.region(node))
	kinds[f.Kind] = kind
	return f
}

// title names the files.
func (r *Report) title() string {
	var names []string
	for i := range r.Files {
		names = append(names, r.Files[i].name)
	}
	return strings.Join(names, ", ")
}
