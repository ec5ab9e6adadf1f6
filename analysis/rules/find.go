package rules

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options of [Find].
type Options struct {
	// Limit is the number of findings of each rule that are kept (default 10). All are counted.
	Limit int
	// Plain computes each condition for all rows of the window: nothing is left out before.
	Plain bool
	// Progress counts events of slices that are looked at.
	Progress trace.Progress
}

const usualLimit = 10

// Finding is a row that breaks a rule.
type Finding struct {
	Rule *Rule
	// Location is the id of the row's location, trace.Undefined for a row of several or of none.
	Location uint64
	// Event is the number of the row's first event among those of the location, trace.Undefined if it has none.
	Event uint64
	// Time is that of the row, in ticks since the epoch, if HasTime.
	Time    int64
	HasTime bool
	// Values are what the row is, and what the condition looks at.
	Values []Value
	// Stack are the regions that are open at the event, the outermost one first.
	Stack []uint64
}

// Value is what a row has in a column. Type says which of the fields has it.
type Value struct {
	Column *table.Column
	Type   rule.Type
	Int    int64
	Float  float64
	Text   string
	Null   bool
}

// Count is how often a rule is broken on a location, trace.Undefined for rows without one.
type Count struct {
	Rule     *Rule
	Location uint64
	N        uint64
}

// Result is what was found, rule by rule. Findings are in the order of the table's rows, counts in that of locations' ids.
type Result struct {
	Findings []Finding
	Counts   []Count
}

// Find finds the rows of a window that break rules. A mistake in a rule is an [Error].
func Find(ctx context.Context, r *store.Reader, w *store.Window, list []*Rule, o Options) (*Result, error) {
	if o.Limit == 0 {
		o.Limit = usualLimit
	}
	if err := Distinct(list); err != nil {
		return nil, err
	}
	x, err := table.NewCatalog(r)
	if err != nil {
		return nil, err
	}
	searches := make([]*search, len(list))
	total := int64(0)
	for i, rule := range list {
		if searches[i], err = newSearch(ctx, r, x, w, rule, &o); err != nil {
			return nil, rule.explain(err)
		}
		total += searches[i].events
	}
	if err := runAll(ctx, r, searches, w, &o, total); err != nil {
		return nil, err
	}
	result := &Result{}
	for _, s := range searches {
		s.put(result)
	}
	o.Progress.Report(total, total)
	return result, addStacks(r.WithContext(ctx), x.Definitions, result.Findings)
}

// search is a rule that is looked at.
type search struct {
	rule    *Rule
	plan    *query.Plan
	query   query.Query
	catalog *table.Catalog
	limit   int
	counted bool  // without reading rows
	events  int64 // of the slices that are read, about
	place   place
	values  []int // columns of the answer that findings show
	found   []Finding
	counts  map[uint64]uint64
}

func newSearch(ctx context.Context, file *store.Reader, x *table.Catalog, w *store.Window, r *Rule, o *Options) (*search, error) {
	s := &search{rule: r, catalog: x, limit: o.Limit, counts: map[uint64]uint64{}}
	t, err := query.TableNamed(x, r.Table)
	if err != nil {
		return nil, err
	}
	used, err := columnsOf(r, t, x)
	if err != nil {
		return nil, err
	}
	var names []string
	column := func(name string) int {
		if at := slices.Index(names, name); at >= 0 {
			return at
		}
		names = append(names, name)
		return len(names) - 1
	}
	s.place = placeOf(t, column)
	for _, name := range slices.Concat(identity(t), used) {
		if at := column(name); !slices.Contains(s.values, at) {
			s.values = append(s.values, at)
		}
	}
	s.query = query.Query{Table: r.Table, Broken: r.Condition, Show: strings.Join(names, ", "), Plain: o.Plain}
	by := ""
	if s.place.location >= 0 {
		by = names[s.place.location]
	}
	if err := s.countWithoutRows(ctx, file, w, by); err != nil {
		return nil, err
	}
	if s.counted {
		w, s.query.Limit = s.where(w), int64(s.limit)
	}
	if s.plan, err = query.Of(ctx, file, x, w, s.query); err != nil || s.counted {
		return s, err
	}
	events, _, err := s.plan.Touches()
	s.events = int64(events)
	return s, err
}

// columnsOf returns the columns that a condition looks at, in its order.
func columnsOf(r *Rule, t *table.Table, x *table.Catalog) (names []string, err error) {
	n, err := rule.Parse(r.Condition)
	if err != nil {
		return nil, err
	}
	if err := n.BindCondition(rule.ScopeOf(t, x)); err != nil {
		return nil, err
	}
	n.Walk(func(n *rule.Node) {
		if n.Kind == rule.Column {
			names = append(names, t.Columns[n.Place].Name)
		}
	})
	return names, nil
}

// run counts the rows that break the rule, and keeps the first ones.
func (s *search) run() error {
	if s.counted && len(s.counts) == 0 {
		return nil
	}
	for b, err := range s.plan.Rows() {
		if err != nil {
			return err
		}
		s.take(b)
		b.Release()
	}
	return nil
}

// take takes up rows that break the rule.
func (s *search) take(b *table.Batch) {
	if !s.counted {
		s.count(b)
	}
	for row := 0; row < b.Rows && len(s.found) < s.limit; row++ {
		s.found = append(s.found, s.finding(b, row))
	}
}

// count counts rows by location.
func (s *search) count(b *table.Batch) {
	if s.place.location < 0 {
		s.counts[trace.Undefined] += uint64(b.Rows)
		return
	}
	v := &b.Vectors[s.place.location]
	for row := 0; row < b.Rows; {
		id, from := s.place.locationOf(v, row), row
		for row++; row < b.Rows && s.place.locationOf(v, row) == id; row++ {
		}
		s.counts[id] += uint64(row - from)
	}
}

// put adds what was found to the result.
func (s *search) put(r *Result) {
	r.Findings = append(r.Findings, s.found...)
	at := len(r.Counts)
	for location, n := range s.counts {
		r.Counts = append(r.Counts, Count{s.rule, location, n})
	}
	slices.SortFunc(r.Counts[at:], func(a, b Count) int { return cmp.Compare(a.Location, b.Location) })
}
