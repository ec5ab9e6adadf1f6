package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/internal/report/paths"
	"github.com/pandotrace/pando/internal/stacks"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// ByCallPath is the kind of summary that has a row for each call path.
const ByCallPath = "callpath"

// callPath is a row of a call tree.
type callPath struct {
	callSum // busy is unused
	path    int
	*calltree.Path
	region uint64
	name   string
}

// mean returns the mean of the inclusive times of locations that have the path.
func (r *callPath) mean() float64 {
	if r.Locations == 0 {
		return 0
	}
	return r.inclusive.Float() / float64(r.Locations)
}

// Place implements [paths.Row].
func (r callPath) Place() (path, parent int) { return r.path, r.Parent }

// callPathRows is a call tree as a table: rows stand behind that of their parent.
type callPathRows struct {
	*rowsOf[callPath]
	tree   *calltree.Profile
	clock  *clock
	chosen bool // which rows there are: text leaves out small ones otherwise
}

// defaultShare is the part of all time that a path must have to stand in text, unless the question says which paths do.
const defaultShare = 0.01

// newCallPathRows makes the call tree of a window.
func newCallPathRows(t *Trace, window *store.Window, opt SummaryOptions) (*callPathRows, error) {
	p, err := calltree.Of(t.Reader, window, calltree.Options{Memory: opt.Memory, Progress: opt.Progress})
	if err != nil {
		var memory *calltree.MemoryError
		if errors.As(err, &memory) {
			return nil, &OptionError{"by", ByCallPath, memory.Error()}
		}
		return nil, err
	}
	total := &callPath{Path: &calltree.Path{}}
	rows := make([]callPath, len(p.Paths))
	for i := range p.Paths {
		at := &p.Paths[i]
		rows[i] = callPath{callSum{count: at.Calls, inclusive: at.Inclusive, exclusive: at.Exclusive}, i, at, p.Names.Region(at.Name), p.Names.Text(at.Name)}
		total.count, total.exclusive = total.count+at.Calls, total.exclusive.Plus(at.Exclusive)
	}
	c := &callPathRows{rowsOf: &rowsOf[callPath]{columns: callPathColumns(t, &total.callSum), rows: rows, total: total}, tree: p, clock: &t.clock}
	c.chosen = opt.Top > 0 || opt.MinShare != nil || opt.Depth > 0
	if opt.MinShare != nil {
		c = c.without(func(r *callPath) bool { return part(r.inclusive, total.exclusive) < *opt.MinShare })
	}
	if opt.Depth > 0 {
		c = c.without(func(r *callPath) bool { return r.Depth >= opt.Depth })
	}
	return c, nil
}

// callPathColumns are the columns of call paths; all is the sum of all of them.
func callPathColumns(t *Trace, all *callSum) []column[callPath] {
	ticks := func(v int64) trace.Sum { return trace.SumOf(v) }
	c, n := &t.clock, t.names
	whose := func(prefix, which string, of func(r *callPath) *calltree.LocationTime) []column[callPath] {
		return []column[callPath]{
			{Column: Column{Name: prefix + "_location", Type: "integer", Doc: "id of the location with " + which}, value: func(r *callPath) value { return countValue(of(r).Location) }},
			named("", prefix+"_location_name", "its name", func(r *callPath) *string { return n.jsonName(trace.SpaceLocation, of(r).Location) },
				func(r *callPath) string { return n.location(of(r).Location) }),
		}
	}
	least := func(r *callPath) trace.Sum { return ticks(r.Least.Ticks) }
	most := func(r *callPath) trace.Sum { return ticks(r.Most.Ticks) }
	columns := []column[callPath]{
		{Column: Column{Name: "path", Type: "integer", Doc: "number of the path, from 0"}, value: func(r *callPath) value { return countValue(uint64(r.path)) }},
		{Column: Column{Name: "parent", Type: "integer", Null: true, Doc: "that of the path of the caller, null for outermost calls"},
			value: func(r *callPath) value {
				if r.Parent < 0 {
					return value{}
				}
				return countValue(uint64(r.Parent))
			}},
		{Column: Column{Name: "depth", Type: "integer", Doc: "number of calls around those of the path"}, value: func(r *callPath) value { return countValue(uint64(r.Depth)) }},
		share("inclusive", "inclusive_share", "inclusive time as a part of all exclusive time", func(r *callPath) float64 { return part(r.inclusive, all.exclusive) }).alone(),
		tickSum("", "inclusive_ticks", "time of the path within the window, and of all paths below it", c, func(r *callPath) trace.Sum { return r.inclusive }).alone(),
		nanoSum("inclusive_ns", c, func(r *callPath) trace.Sum { return r.inclusive }).alone(),
		share("exclusive", "exclusive_share", "exclusive time as a part of that of all paths", func(r *callPath) float64 { return part(r.exclusive, all.exclusive) }),
		tickSum("", "exclusive_ticks", "time of the path alone", c, func(r *callPath) trace.Sum { return r.exclusive }),
		nanoSum("exclusive_ns", c, func(r *callPath) trace.Sum { return r.exclusive }),
		count("count", "count", "number of calls that overlap the window", func(r *callPath) uint64 { return r.count }),
		count("locations", "locations", "number of locations with calls of the path or below it", func(r *callPath) uint64 { return uint64(r.Locations) }).alone(),
		tickSum("min", "min_ticks", "least inclusive time of these locations", c, least).alone(),
		nanoSum("min_ns", c, least).alone(),
		meanTicks("mean", "mean_ticks", "mean of these times", c, (*callPath).mean),
		tickSum("max", "max_ticks", "most inclusive time of these locations", c, most).alone(),
		nanoSum("max_ns", c, most).alone(),
	}
	columns = append(columns, whose("min", "the least, the first of equal ones", func(r *callPath) *calltree.LocationTime { return &r.Least })...)
	columns = append(columns, whose("max", "the most, the first of equal ones", func(r *callPath) *calltree.LocationTime { return &r.Most })...)
	return append(columns,
		id("region", "id of the innermost region: the first of those with its name", func(r *callPath) uint64 { return r.region }),
		named("", "region_name", "its name: the canonical one, if there is one", func(r *callPath) *string { s := strings.ToValidUTF8(r.name, "\ufffd"); return &s },
			func(r *callPath) string { return r.name }))
}

// nanoSum is a column of sums of ticks in nanoseconds.
func nanoSum[R any](name string, c *clock, v func(*R) trace.Sum) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Unit: "ns", Doc: "the same in nanoseconds, rounded"}, right: true, adds: true,
		value: func(r *R) value { return sumValue(paths.Nanoseconds(v(r), c.Resolution())) }}
}

// without returns the table without some rows. With a row, all below it go.
func (t *callPathRows) without(which func(*callPath) bool) *callPathRows {
	left, rows := *t, *t.rowsOf
	left.rowsOf = &rows
	rows.rows = paths.Without(t.rows, which)
	rows.left += len(t.rows) - len(rows.rows)
	return &left
}

// sortBy orders the paths of each parent by a column; without one they are in order of inclusive time.
func (t *callPathRows) sortBy(name string) error {
	if name == "" {
		return nil
	}
	if err := t.rowsOf.sortBy(name); err != nil {
		return err
	}
	t.rows = paths.InTree(t.rows)
	return nil
}

// cut keeps the n paths of the most inclusive time.
func (t *callPathRows) cut(n int) {
	before := len(t.rows)
	if n > 0 {
		t.rows = paths.Largest(t.rows, n, func(a, b *callPath) int { return a.inclusive.Cmp(b.inclusive) })
	}
	t.left += before - len(t.rows)
}

// writeText writes the tree.
func (t *callPathRows) writeText(w io.Writer, by string) {
	if len(t.rows) == 0 && t.left == 0 {
		fmt.Fprintln(w, "nothing to add up")
		return
	}
	if !t.chosen {
		t = t.without(func(r *callPath) bool { return part(r.inclusive, t.total.exclusive) < defaultShare })
	}
	heads, right := []string{}, []bool{}
	cells := []*column[callPath]{}
	for i := range t.columns {
		if c := &t.columns[i]; c.head != "" && (len(t.tree.Locations) > 1 || !slices.Contains([]string{"locations", "min", "mean", "max"}, c.head)) {
			heads, right, cells = append(heads, c.head), append(right, c.right), append(cells, c)
		}
	}
	lines := paths.Lines(t.rows)
	table := &table{heads: append(heads, "call path"), right: append(right, false)}
	for i := range t.rows {
		var row []any
		for _, c := range cells {
			row = append(row, c.text(&t.rows[i]))
		}
		table.row(append(row, lines[i]+cell(t.rows[i].name))...)
	}
	table.write(w)
	fmt.Fprintf(w, "%s in calls", sumSeconds(t.total.exclusive, t.clock))
	if t.left > 0 {
		fmt.Fprintf(w, "; … %s more (%s)", Plural(t.left, "path", "paths"), t.why())
	}
	if deepest := t.deepest(); deepest >= t.tree.Depth {
		fmt.Fprintf(w, "; recursions are folded from %d levels on", t.tree.Depth)
	}
	fmt.Fprintln(w)
}

// why says which flag shows the paths that were left out.
func (t *callPathRows) why() string {
	if !t.chosen {
		return "below 1 %; --min-share 0 shows all"
	}
	return "left out by --min-share, --depth or --top"
}

// deepest returns the largest depth of all paths.
func (t *callPathRows) deepest() (depth int) {
	for i := range t.tree.Paths {
		depth = max(depth, t.tree.Paths[i].Depth)
	}
	return depth
}

// Stacks returns the whole call tree of a summary by call path for the formats of package stacks; ok is false for other summaries. What the
// options left out is in it.
func (s *Summary) Stacks() (tree *stacks.Tree, ok bool) {
	rows, ok := s.rows.(*callPathRows)
	if !ok {
		return nil, false
	}
	tree = paths.Stacks(rows.tree, s.trace.names.defs, s.clock.Resolution())
	tree.Title, tree.Duration = s.trace.Name, int64(paths.Nanoseconds(trace.SumOf(s.to-s.from), s.clock.Resolution()).Lo)
	tree.Comments = []string{fmt.Sprintf("%s from %s to %s, %s", s.trace.Path, s.clock.human(s.from), s.clock.human(s.to),
		Plural(len(rows.tree.Locations), "location", "locations"))}
	return tree, true
}
