package shapes

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/shapes"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
)

// Analysis has the tables of classes, for the server and the documentation.
var Analysis = &tables.Analysis{
	Verb: "shapes", Names: makers.Names(),
	Schemas: func() []table.Schema { return makers.Schemas(&Report{TicksPerSecond: 1e9}) },
	Make: func(ctx context.Context, q tables.Question, names []string) (*tables.Set, error) {
		if err := tables.Check("the analysis of shapes", makers.Names(), names); err != nil {
			return nil, err
		}
		r, err := Find(ctx, &Question{q.Trace, q.Window, shapes.Options{Unusual: UsualCalls, Memory: q.Memory}})
		if err != nil {
			return nil, err
		}
		return r.Tables(names)
	},
}

// UsualCalls is the number of unusual calls in the table unless somebody says how many.
const UsualCalls = 100

var makers = tables.Makers[*Report]{{Name: "shapes", Make: classTable}, {Name: "unusual", Make: callTable}}

// TableNames lists the tables.
func TableNames() []string { return makers.Names() }

// Tables returns tables by their names.
func (r *Report) Tables(names []string) (*tables.Set, error) {
	if err := tables.Check("the analysis of shapes", TableNames(), names); err != nil {
		return nil, err
	}
	return &tables.Set{Tables: makers.Make(r, names), About: []encode.Property{
		{Name: "pando.trace", Value: r.Trace}, {Name: "pando.ticks_per_second", Value: strconv.FormatUint(r.TicksPerSecond, 10)},
		{Name: "pando.compared_by", Value: r.Compared},
	}}, nil
}

// timesOf are the columns of the times of a class.
func timesOf(r *Report, prefix, what string, of func(*Class) *Times) []table.ColumnOf[Class] {
	column := func(name, doc string, get func(t *Times) int64) []table.ColumnOf[Class] {
		return tables.Length(r.TicksPerSecond, prefix+name, doc, func(c *Class) int64 { return get(of(c)) })
	}
	return slices.Concat(
		[]table.ColumnOf[Class]{table.Real(prefix+"sum_s", "s", what+" of all calls of the class", func(_ *table.Catalog, c *Class) (float64, bool) {
			return of(c).Sum.Float() / float64(r.TicksPerSecond), true
		})},
		column("least_", "the smallest "+what, func(t *Times) int64 { return t.Least }),
		column("median_", "the median", func(t *Times) int64 { return t.Median }),
		column("p90_", "the 90th percentile", func(t *Times) int64 { return t.P90 }),
		column("p99_", "the 99th percentile", func(t *Times) int64 { return t.P99 }),
		column("largest_", "the largest", func(t *Times) int64 { return t.Largest }),
		column("mad_", "the median absolute deviation from the median", func(t *Times) int64 { return t.MAD }))
}

func classTable(r *Report) *table.Table {
	columns := slices.Concat([]table.ColumnOf[Class]{
		tables.Text("fingerprint", "hash of the names of all regions in the class, in hexadecimal: equal classes of other traces have the same", func(c *Class) string { return c.Fingerprint }),
		tables.Text("region", "name of the region", func(c *Class) string { return c.Region }),
		tables.Text("structure", "the region with the calls inside in parentheses, cut where it is long: `iterate(sweep(stencil) exchange)`", func(c *Class) string { return c.Structure }),
		tables.Count("depth", "levels of calls, 1 for calls without calls inside", func(c *Class) int64 { return int64(c.Depth) }),
		tables.Count("calls", "number of calls", func(c *Class) int64 { return int64(c.Calls) }),
		tables.Count("locations", "number of locations that have some", func(c *Class) int64 { return int64(c.Locations) }),
		tables.Count("measured", "number of calls that medians, percentiles, and unusual calls are of: all of them, or as many as memory has", func(c *Class) int64 { return int64(c.Measured) }),
		tables.Count("unusual", "number of these that are unusual", func(c *Class) int64 { return int64(c.Unusual) }),
	},
		timesOf(r, "duration_", "duration", func(c *Class) *Times { return &c.Duration }),
		timesOf(r, "exclusive_", "exclusive time", func(c *Class) *Times { return &c.Own }),
		tables.Length(r.TicksPerSecond, "first_", "when the first call begins, since the trace's first event", func(c *Class) int64 { return c.First }),
		[]table.ColumnOf[Class]{tables.Count("first_location", "id of its location", func(c *Class) int64 { return int64(c.FirstLocation) })})
	return table.FromList(table.Schema{Name: "shapes", Doc: "One row for each class of like calls, those with most exclusive time first. Calls are alike if they are of one region and have like calls directly inside, however often."},
		columns, func(*table.Catalog) iter.Seq[Class] { return slices.Values(r.Classes) })
}

func callTable(r *Report) *table.Table {
	length := func(name, doc string, get func(u *Call) int64) []table.ColumnOf[Call] {
		return tables.Length(r.TicksPerSecond, name, doc, get)
	}
	columns := slices.Concat([]table.ColumnOf[Call]{
		tables.Text("kind", "`long` or `short` for its class, or `rare`: of a class that is seldom in its region", func(u *Call) string { return u.Kind }),
		tables.Text("location_label", "how people call the location: `rank 3`", func(u *Call) string { return u.Location }),
		tables.Count("location", "its id", func(u *Call) int64 { return int64(u.LocationID) }),
		tables.Count("event", "number of the enter among the events of the location, from 0", func(u *Call) int64 { return int64(u.Event) }),
		tables.Text("region", "name of the region", func(u *Call) string { return u.Region }),
		tables.Text("path", "the calls around it and itself, outermost region first", func(u *Call) string { return strings.Join(u.Path, " > ") }),
	},
		length("start_", "when it begins, since the trace's first event", func(u *Call) int64 { return u.Start }),
		length("duration_", "how long it lasts", func(u *Call) int64 { return u.Duration }),
		length("exclusive_", "its exclusive time", func(u *Call) int64 { return u.Own }),
		length("usual_", "the median of the exclusive times it is compared with: those of its class; of a rare call, those of the region's largest class", func(u *Call) int64 { return u.Usual }),
		[]table.ColumnOf[Call]{
			table.Real("z", "", "by how many standard deviations it differs from that, estimated as 1.4826 median absolute deviations", func(_ *table.Catalog, u *Call) (float64, bool) { return u.Z, true }),
			tables.Text("fingerprint", "that of its class", func(u *Call) string { return u.Fingerprint }),
		})
	return table.FromList(table.Schema{Name: "unusual", Doc: "One row for each call that is unusual for its class, those that differ most first; as many as were asked for. Calls of regions that wait for others are left out unless regions are chosen."},
		columns, func(*table.Catalog) iter.Seq[Call] { return slices.Values(r.Unusual) })
}
