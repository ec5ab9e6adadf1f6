package summary

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/paths"
	"github.com/pandotrace/pando/internal/stacks"
	"github.com/pandotrace/pando/trace"
)

// ByCallPath is the kind of rows that are call paths.
const ByCallPath = "callpath"

// PathOptions are options of summaries by call path alone.
type PathOptions struct {
	// MinShare is the least part of all time, from 0 to 1, that paths in the answer have, nil for any.
	MinShare *float64
	// Depth, if it is not 0, is the largest number of calls on a path.
	Depth int
	// Memory bounds the memory for call paths, in bytes, 0 for the default.
	Memory int64
	// Progress counts the events that call paths are made of.
	Progress trace.Progress
}

// check finds fault with the options for a kind of rows.
func (o *PathOptions) check(by string) error {
	switch {
	case by != ByCallPath && o.MinShare != nil:
		return &OptionError{"min-share", fmt.Sprint(*o.MinShare), "only call paths are left out by their share"}
	case by != ByCallPath && o.Depth != 0:
		return &OptionError{"depth", fmt.Sprint(o.Depth), "only call paths have a depth"}
	case o.MinShare != nil && !(*o.MinShare >= 0 && *o.MinShare <= 1):
		return &OptionError{"min-share", fmt.Sprint(*o.MinShare), "a share is between 0% and 100%"}
	case o.Depth < 0:
		return &OptionError{"depth", fmt.Sprint(o.Depth), "the number is negative"}
	}
	return nil
}

// callPath is a row of a call tree.
type callPath struct {
	callSum // busy is unused
	*calltree.Path
	path  int
	name  string
	ranks load   // inclusive time
	lines string // before the name in text
}

// Place implements [paths.Row].
func (r callPath) Place() (path, parent int) { return r.path, r.Parent }

// callPathRows is a call tree as a table: rows stand behind that of their parent.
type callPathRows struct {
	*rowsOf[*callPath]
	tree *calltree.Profile
	some bool // that were chosen: else text leaves out small ones
}

// defaultShare is the part of all time that a path must have to stand in text, unless the question says which paths do.
const defaultShare = 0.01

// callPaths makes the call tree of a window.
func callPaths(s *summed) (rows, error) {
	p, ranks := &calltree.Profile{}, &parties{}
	if !s.none {
		var err error
		if p, err = calltree.Of(s.trace.Reader, s.window, calltree.Options{Memory: s.paths.Memory, Progress: s.paths.Progress}); err != nil {
			var memory *calltree.MemoryError
			if errors.As(err, &memory) {
				return nil, &OptionError{"by", ByCallPath, memory.Error()}
			}
			return nil, err
		}
		ranks = s.parties()
	}
	all := &callPath{Path: &calltree.Path{}}
	t := &rowsOf[*callPath]{rows: make([]*callPath, len(p.Paths)), total: all}
	for i := range p.Paths {
		at := &p.Paths[i]
		t.rows[i] = &callPath{callSum: callSum{count: at.Calls, inclusive: at.Inclusive, exclusive: at.Exclusive}, Path: at, path: i, name: p.Names.Text(at.Name)}
		t.rows[i].ranks = ranks.divided(p, i)
		all.count, all.exclusive = all.count+min(at.Calls, math.MaxUint64-all.count), all.exclusive.Plus(at.Exclusive)
	}
	t.columns = callPathColumns(s, ranks, p.Names, &all.callSum)
	c := &callPathRows{rowsOf: t, tree: p, some: s.paths.MinShare != nil || s.paths.Depth > 0}
	if least := s.paths.MinShare; least != nil {
		c = c.without(func(r *callPath) bool { return part(r.inclusive, all.exclusive) < *least })
	}
	if s.paths.Depth > 0 {
		c = c.without(func(r *callPath) bool { return r.Depth >= s.paths.Depth })
	}
	return c, nil
}

// divided returns how the inclusive time of a path is divided among parties.
func (p *parties) divided(tree *calltree.Profile, path int) (l load) {
	own := make([]trace.Sum, len(p.list))
	for c := range tree.On(path) {
		if party, ok := p.of[c.Location]; ok {
			own[party] = own[party].Plus(trace.SumOf(c.Inclusive))
		}
	}
	for party, t := range own {
		l.add(party, t)
	}
	return l
}

// callPathColumns are the columns of call paths; all is the sum of all of them.
func callPathColumns(s *summed, ranks *parties, names *calltree.Names, all *callSum) []column[*callPath] {
	load := oneLoad(s, ranks, "inclusive", func(r *callPath) *load { return &r.ranks })
	locations := column[*callPath]{Column: Column{Name: "locations", Type: "integer", Doc: "number of locations with calls of the path, or of paths below it"},
		value: func(r *callPath) value { return countValue(uint64(r.Locations)) }}
	of := column[*callPath]{Column: Column{Name: "ranks", Type: "integer", Doc: "number of ranks that the next columns compare, also those without the path; in a trace without ranks they are locations"},
		value: func(*callPath) value { return countValue(uint64(len(ranks.list))) }}
	if len(ranks.list) < 2 {
		for i := range load {
			load[i].head = ""
		}
	}
	return slices.Concat(
		[]column[*callPath]{
			{Column: Column{Name: "path", Type: "integer", Doc: "number of the path, from 0"}, key: true, fixed: true, up: true,
				value: func(r *callPath) value { return countValue(uint64(r.path)) }},
			number("parent", "that of the path of the caller, null for outermost calls", func(r *callPath) (int64, bool) { return int64(r.Parent), r.Parent >= 0 }),
			{Column: Column{Name: "depth", Type: "integer", Doc: "number of calls around those of the path"}, up: true,
				value: func(r *callPath) value { return countValue(uint64(r.Depth)) }},
		},
		alone(share("inclusive", "inclusive_share", "inclusive time as a part of all exclusive time", func(r *callPath) float64 { return part(r.inclusive, all.exclusive) })),
		alone(tickSum("", "inclusive", "time of the path within the window, and of all paths below it", s.clock, func(r *callPath) trace.Sum { return r.inclusive })...),
		[]column[*callPath]{share("exclusive", "exclusive_share", "exclusive time as a part of that of all paths", func(r *callPath) float64 { return part(r.exclusive, all.exclusive) })},
		tickSum("time", "exclusive", "time of the path alone", s.clock, func(r *callPath) trace.Sum { return r.exclusive }),
		[]column[*callPath]{count("count", "count", "number of calls that overlap the window", func(r *callPath) uint64 { return r.count }), locations, of},
		load,
		[]column[*callPath]{
			id("region", "id of the innermost region: the first of those with its name", func(r *callPath) uint64 { return names.Region(r.Name) }),
			{Column: Column{Name: "region_name", Type: "string", Doc: "its name: the canonical one, if there is one"}, head: "call path", fixed: true,
				value: func(r *callPath) value { return textValue(strings.ToValidUTF8(r.name, "\ufffd")) },
				text:  func(r *callPath) string { return r.lines + report.Cell(r.name) }},
		})
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
	if n > 0 {
		before := len(t.rows)
		t.rows = paths.Largest(t.rows, n, func(a, b *callPath) int { return a.inclusive.Cmp(b.inclusive) })
		t.left += before - len(t.rows)
		t.some = true
	}
}

// writeText writes the tree.
func (t *callPathRows) writeText(w io.Writer, by string, width int) {
	if len(t.rows) == 0 && t.left == 0 {
		fmt.Fprintln(w, "nothing to add up")
		return
	}
	why := "--min-share, --depth or --limit"
	if !t.some {
		t, why = t.without(func(r *callPath) bool { return part(r.inclusive, t.total.exclusive) < defaultShare }), "below 1 %; --min-share 0 shows all"
	}
	for i, l := range paths.Lines(t.rows) {
		t.rows[i].lines = l
	}
	t.writeTable(w, width)
	if t.left > 0 {
		fmt.Fprintf(w, "… more: %s (%s)\n", report.Plural(t.left, "path", "paths"), why)
	}
	if deepest := slices.MaxFunc(t.tree.Paths, func(a, b calltree.Path) int { return a.Depth - b.Depth }); deepest.Depth >= t.tree.Depth {
		fmt.Fprintf(w, "recursions are folded from %d levels on\n", t.tree.Depth)
	}
}

// Stacks returns the whole call tree of a summary by call path for the formats of package stacks; ok is false for other summaries. What the
// options left out is in it.
func (s *Summary) Stacks() (tree *stacks.Tree, ok bool) {
	rows, ok := s.rows.(*callPathRows)
	if !ok {
		return nil, false
	}
	tree = paths.Stacks(rows.tree, s.trace.Names().Definitions(), uint64(s.in.clock))
	length := trace.SumOf(s.in.to).Minus(trace.SumOf(s.in.from))
	tree.Title, tree.Duration = s.trace.Name, int64(length.Nanoseconds(uint64(s.in.clock)).Lo)
	tree.Comments = []string{fmt.Sprintf("%s from %s to %s, %s", s.trace.Path, s.in.clock.duration(float64(s.in.from)), s.in.clock.duration(float64(s.in.to)),
		report.Plural(len(rows.tree.Locations), "location", "locations"))}
	return tree, true
}
