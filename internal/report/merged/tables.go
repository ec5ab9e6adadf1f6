package merged

import (
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
)

// Analysis gives the tables of the merged call tree of a window to others than the verb.
var Analysis = &tables.Analysis{Verb: "tree", Names: makers.Names(), Schemas: schemas, Make: answer}

// answer makes tables of a question.
func answer(ctx context.Context, q tables.Question, names []string) (*tables.Set, error) {
	t, err := merge.Of(ctx, []merge.Source{{Name: q.Trace.Path, Reader: q.Trace.Reader, Window: q.Window}}, merge.Options{Level: align.Tree, Memory: q.Memory})
	if err != nil {
		return nil, err
	}
	return New(t).Tables(names)
}

// makers make the tables of a report.
var makers = tables.Makers[*Report]{{Name: "merged_calls", Make: mergedCalls}, {Name: "call_outliers", Make: callOutliers}}

func schemas() []table.Schema {
	return makers.Schemas(&Report{TicksPerSecond: 1e9, tree: &merge.Tree{Timed: true}})
}

// TableNames lists the tables.
func TableNames() []string { return makers.Names() }

// Tables returns tables of the report.
func (r *Report) Tables(names []string) (*tables.Set, error) {
	if err := tables.Check("a call tree", TableNames(), names); err != nil {
		return nil, err
	}
	r.fillOn()
	return &tables.Set{Tables: makers.Make(r, names), About: []encode.Property{
		{Name: "pando.merged", Value: r.title()}, {Name: "pando.ticks_per_second", Value: strconv.FormatUint(r.TicksPerSecond, 10)},
	}}, nil
}

// mergedCalls is the table of nodes.
func mergedCalls(r *Report) *table.Table {
	columns := slices.Concat([]table.ColumnOf[Node]{
		tables.Count("node", "number of the place, from 0", func(n *Node) int64 { return int64(n.Node) }),
		table.NumberOrNull("parent", "", "number of the place around it; null for outermost calls", func(_ *table.Catalog, n *Node) (int64, bool) {
			_, parent := n.Place()
			return int64(parent), parent >= 0
		}),
		tables.Count("depth", "number of places around it", func(n *Node) int64 { return int64(n.Depth) }),
		tables.Text("region", "name of the region", func(n *Node) string { return n.RegionName }),
		tables.Text("activity", "what it is for: computation, MPI, I/O, ...", func(n *Node) string { return n.Activity }),
		tables.Text("state", "`all`, `some` or `one`: how many locations have calls there", func(n *Node) string { return n.State }),
		tables.Count("members", "number of locations that have calls there", func(n *Node) int64 { return int64(n.Locations) }),
		tables.Text("locations", "these locations, in ranges", func(n *Node) string { return n.On }),
		table.Truth("ordered", "the places inside stand in the order of their calls; else each is all calls of its region", func(_ *table.Catalog, n *Node) bool { return n.Ordered }),
		tables.Count("count", "number of calls, of all locations", func(n *Node) int64 { return saturated(n.Count) }),
		tables.Count("fewest_count", "number of calls of the location that has the fewest, among those that have some", func(n *Node) int64 { return saturated(n.FewestCount) }),
		tables.Count("most_count", "the same of the one that has the most", func(n *Node) int64 { return saturated(n.MostCount) }),
	}, r.timeColumns("inclusive_", "time in calls", func(n *merge.Node) *merge.Times { return &n.Inclusive }),
		r.timeColumns("exclusive_", "time in calls without the calls inside", func(n *merge.Node) *merge.Times { return &n.Exclusive }))
	return table.FromList(table.Schema{Name: "merged_calls", Doc: "One row for each place of the program where locations have calls: repeated calls there are one place, whatever their number. Rows follow the one around them, in the order of calls. Times are those of locations that have the place."},
		columns, func(*table.Catalog) iter.Seq[Node] { return slices.Values(r.Nodes) })
}

// timeColumns are the columns of a time.
func (r *Report) timeColumns(prefix, doc string, of func(n *merge.Node) *merge.Times) (list []table.ColumnOf[Node]) {
	for _, v := range []struct {
		name, doc string
		get       func(t *merge.Times) int64
	}{
		{"sum_", "of all locations", func(t *merge.Times) int64 { _, units := r.sum(t.Sum); return saturated(units) }},
		{"least_", "of the location that spends the least", func(t *merge.Times) int64 { return t.Least }},
		{"median_", "of the median location", func(t *merge.Times) int64 { return t.Median }},
		{"most_", "of the location that spends the most", func(t *merge.Times) int64 { return t.Most }},
		{"median_deviation_", "median distance of locations from the median", func(t *merge.Times) int64 { return t.MedianDeviation }},
	} {
		list = append(list, tables.LengthOrNull(r.TicksPerSecond, prefix+v.name, doc+", "+v.doc, func(n *Node) (int64, bool) {
			return v.get(of(&r.tree.Nodes[n.Node])), r.tree.Timed
		})...)
	}
	return list
}

func saturated(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// callOutliers is the table of outliers.
func callOutliers(r *Report) *table.Table {
	columns := slices.Concat([]table.ColumnOf[Outlier]{
		tables.Count("node", "number of the place in `merged_calls`", func(o *Outlier) int64 { return int64(o.Node) }),
		tables.Text("location_label", "how people call the location: `rank 3`", func(o *Outlier) string { return o.Location }),
		tables.Text("region", "name of the region", func(o *Outlier) string { return o.RegionName }),
		tables.Text("activity", "what it is for: computation, MPI, I/O, ...", func(o *Outlier) string { return o.Activity }),
		tables.Text("path", "the call path, outermost region first", func(o *Outlier) string { return strings.Join(o.Path, " > ") }),
	}, tables.Length(r.TicksPerSecond, "exclusive_", "time of the location in calls there, without the calls inside", func(o *Outlier) int64 { return o.ExclusiveTicks }),
		tables.Length(r.TicksPerSecond, "median_", "the same of the median location", func(o *Outlier) int64 { return o.MedianTicks }),
		tables.Length(r.TicksPerSecond, "excess_", "by how much the location takes more", func(o *Outlier) int64 { return o.ExcessTicks }),
		[]table.ColumnOf[Outlier]{table.Real("score", "", "the excess in robust standard deviations", func(_ *table.Catalog, o *Outlier) (float64, bool) { return o.Score, true })})
	return table.FromList(table.Schema{Name: "call_outliers", Doc: "One row for each place and location whose exclusive time there is far from the median of all that have the place, those with the most excess first."},
		columns, func(*table.Catalog) iter.Seq[Outlier] { return slices.Values(r.Outliers) })
}
