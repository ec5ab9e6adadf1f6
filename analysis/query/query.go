package query

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/columnar/content"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Query is what is asked. Where is a condition; By and Show are lists of expressions, Sort is one of columns of the answer, separated by commas.
type Query struct {
	Table                 string
	Where, By, Show, Sort string
	// Broken is a condition that is false for the rows: those that break a rule. Where it is null, they do not.
	Broken string
	// Limit is the largest number of rows of the answer, 0 for all.
	Limit int64
	// Memory is what the answer may take while it is made, in bytes; 0 for 256 MiB.
	Memory int64
	// Plain reads all rows of the window: nothing is left out before the condition is computed.
	Plain bool
	// Others are tables besides those of the file.
	Others Others
}

// Others are tables that others than files have: analyses. Table returns one of a name, nil if there is none; its rows are made when they are read.
type Others struct {
	Names []string
	Table func(name string) *table.Table
}

const usualMemory = 256 << 20

// ErrMemory says that an answer takes more than [Query.Memory].
var ErrMemory = errors.New("the answer takes more memory than allowed: select fewer rows, or group them")

// Error says that a query has no meaning: a mistake of who asks.
type Error struct{ Err error }

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// Plan is a query that was understood.
type Plan struct {
	// Answer is the table of the answer. Its rows are made while they are read, once.
	Answer *table.Table
	// Types are those of its columns.
	Types []rule.Type
	// Steps say how the answer is found.
	Steps []Step

	query   Query
	reader  *store.Reader
	catalog *table.Catalog
	source  *table.Table // with the columns that are read
	window  *store.Window
	scope   *rule.Scope
	where   *rule.Node // what is left for rows; nil for nothing
	by      []*rule.Node
	columns []column // of the answer
	keys    []sortKey
	groups  bool
	nothing bool // no row can be selected
	added   bool // a row of the source stands for many
	made    bool // the source is one of Query.Others
	parents bool // columns of calls around calls are read
}

// Step is a part of a plan.
type Step struct {
	Name string `json:"name"`
	What string `json:"what"`
}

func (p *Plan) step(name, format string, args ...any) {
	p.Steps = append(p.Steps, Step{name, fmt.Sprintf(format, args...)})
}

// Tables lists the tables that can be asked.
func Tables() (names []string) {
	for _, t := range table.All() {
		names = append(names, t.Name)
	}
	return names
}

// TableNamed returns a table of a trace by its name. The error is an [Error].
func TableNamed(x *table.Catalog, name string) (*table.Table, error) {
	t, _, err := tableNamed(x, name, &Others{})
	return t, err
}

// tableNamed returns a table, and whether it is one of others.
func tableNamed(x *table.Catalog, name string, others *Others) (t *table.Table, made bool, err error) {
	for _, t := range slices.Concat(table.All(), content.Private(x)) {
		if t.Name == name && name == "calls" {
			return table.WithParents(t), false, nil
		}
		if t.Name == name {
			return t, false, nil
		}
	}
	if others.Table != nil {
		if t := others.Table(name); t != nil {
			return t, true, nil
		}
	}
	known := slices.Concat(Tables(), others.Names)
	return nil, false, &Error{fmt.Errorf("there is no table %q%s", name, trace.DidYouMean(trace.Near(name, slices.Values(known))))}
}

// New plans a query of a window of a file. A mistake of who asks is an [Error]; what is wrong with an expression, a [rule.Error] in it.
func New(ctx context.Context, r *store.Reader, w *store.Window, q Query) (*Plan, error) {
	x, err := table.NewCatalog(r)
	if err != nil {
		return nil, err
	}
	return Of(ctx, r, x, w, q)
}

// Of is like [New], with the catalog of the file, which serves several queries.
func Of(ctx context.Context, r *store.Reader, x *table.Catalog, w *store.Window, q Query) (*Plan, error) {
	source, made, err := tableNamed(x, q.Table, &q.Others)
	if err != nil {
		return nil, err
	}
	if q.Memory == 0 {
		q.Memory = usualMemory
	}
	p := &Plan{query: q, reader: r, catalog: x, source: source, made: made, window: w.WithContext(ctx)}
	p.scope = rule.ScopeOf(p.source, x)
	if err := p.parse(); err != nil {
		return nil, &Error{err}
	}
	p.parents = slices.ContainsFunc(p.expressions(), p.namesParent)
	p.step("table", "%s", q.Table)
	if err := p.push(); err != nil {
		return nil, err
	}
	if err := p.useTotals(); err != nil {
		return nil, err
	}
	if err := p.choose(); err != nil {
		return nil, err
	}
	p.answer()
	return p, nil
}

// parse reads the expressions of the query.
func (p *Plan) parse() (err error) {
	if p.query.Where != "" {
		if p.where, err = p.condition(p.query.Where); err != nil {
			return fmt.Errorf("where: %w", err)
		}
	}
	if p.query.Broken != "" {
		holds, err := p.condition(p.query.Broken)
		if err != nil {
			return err
		}
		both := []*rule.Node{holds.Not()}
		if p.where != nil {
			both = append(both, p.where)
		}
		p.where = rule.And(both)
	}
	if p.query.By != "" {
		if p.by, err = rule.ParseList(p.query.By); err != nil {
			return fmt.Errorf("by: %w", err)
		}
		for _, n := range p.by {
			if err := p.addColumn(n, false); err != nil {
				return fmt.Errorf("by: %w", err)
			}
		}
		p.groups = true
	}
	if err := p.parseShow(); err != nil {
		return fmt.Errorf("show: %w", err)
	}
	return p.parseSort()
}

func (p *Plan) condition(text string) (*rule.Node, error) {
	n, err := rule.Parse(text)
	if err == nil {
		err = n.BindCondition(p.scope)
	}
	return n, err
}

// parseShow makes the columns of the answer: without a choice all of the table, or the number of rows of each group.
func (p *Plan) parseShow() error {
	if p.query.Show == "" && !p.groups {
		for i := range p.source.Columns {
			if isOfParent(p.source.Columns[i].Name) {
				continue
			}
			n, err := rule.Parse(p.source.Columns[i].Name)
			if err != nil {
				continue // a name of the layout of Pipit, with spaces
			}
			if err := p.addColumn(n, false); err != nil {
				return err
			}
		}
		return nil
	}
	text := p.query.Show
	if text == "" {
		text = "count()"
	}
	list, err := rule.ParseList(text)
	if err != nil {
		return err
	}
	p.groups = p.groups || slices.ContainsFunc(list, isAggregate)
	for _, n := range list {
		if p.groups && !isAggregate(n) {
			if slices.ContainsFunc(p.by, func(k *rule.Node) bool { return k.Source() == n.Source() }) {
				continue // it is there already
			}
			return n.Bad("rows are grouped: show count(), sum(x), mean(x), min(x), max(x), median(x) or p99(x), or group by it")
		}
		if err := p.addColumn(n, p.groups); err != nil {
			return err
		}
	}
	return nil
}

// sortKey is a column of the answer that rows are sorted by.
type sortKey struct {
	column     int
	descending bool
}

func (p *Plan) parseSort() error {
	for _, text := range splitSort(p.query.Sort) {
		name, descending := strings.CutPrefix(strings.TrimSpace(text), "-")
		at := slices.IndexFunc(p.columns, func(c column) bool { return c.Name == name || c.node.Source() == name })
		if at < 0 {
			var names []string
			for i := range p.columns {
				names = append(names, p.columns[i].Name)
			}
			return fmt.Errorf("sort: the answer has no column %q%s; it has %s", name, trace.DidYouMean(trace.Near(name, slices.Values(names))), strings.Join(names, ", "))
		}
		p.keys = append(p.keys, sortKey{at, descending})
	}
	if p.groups { // whose order is else that in which they are met
		for i := range p.by {
			p.keys = append(p.keys, sortKey{i, false})
		}
	}
	return nil
}

func splitSort(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// choose leaves out columns that the query does not need, and binds the expressions to what is left.
func (p *Plan) choose() error {
	var names []string
	need := func(n *rule.Node) {
		if n.Kind == rule.Column {
			if name := p.source.Columns[n.Place].Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, n := range p.expressions() {
		n.Walk(need)
	}
	if len(names) == 0 && !p.added {
		names = []string{p.source.Columns[0].Name} // rows are counted
	}
	if p.added {
		names = append(names, counted)
	} else {
		p.step("columns", "%s", strings.Join(names, ", "))
	}
	var err error
	if p.source, err = p.source.Choose(withCompanions(p.source, names)); err != nil {
		return err
	}
	return p.bind()
}

// bind binds the expressions to the columns of the source.
func (p *Plan) bind() error {
	p.scope = rule.ScopeOf(p.source, p.catalog)
	for _, n := range p.expressions() {
		if err := n.Bind(p.scope); err != nil {
			return err
		}
	}
	return nil
}

// isOfParent reports whether a column is one of the call around.
func isOfParent(name string) bool { return strings.HasPrefix(name, table.ParentPrefix) }

// namesParent reports whether an expression names a column of the call around.
func (p *Plan) namesParent(n *rule.Node) (yes bool) {
	n.Walk(func(n *rule.Node) { yes = yes || n.Kind == rule.Column && isOfParent(p.source.Columns[n.Place].Name) })
	return yes
}

// withCompanions adds ids to names that stand for them in expressions, each before its name.
func withCompanions(t *table.Table, names []string) (list []string) {
	for i := range t.Columns {
		name := t.Columns[i].Name
		next := ""
		if i+1 < len(t.Columns) {
			next = t.Columns[i+1].Name
		}
		if slices.Contains(names, name) || slices.Contains(names, name+"_name") || (next == "name" || next == table.ParentPrefix+"name") && slices.Contains(names, next) {
			list = append(list, name)
		}
	}
	return list
}

// expressions are all that is computed of rows.
func (p *Plan) expressions() (list []*rule.Node) {
	if p.where != nil {
		list = append(list, p.where)
	}
	for i := range p.columns {
		if c := &p.columns[i]; c.value != nil {
			list = append(list, c.value)
		}
	}
	return list
}

// answer makes the table of the answer.
func (p *Plan) answer() {
	s := table.Schema{Name: p.query.Table, Doc: "The answer to a query."}
	var names []*table.Names
	for i := range p.columns {
		c := &p.columns[i]
		s.Columns, names, p.Types = append(s.Columns, c.Column), append(names, c.names), append(p.Types, c.kind)
	}
	p.Answer = table.FromBatches(s, names, func() iter.Seq2[*table.Batch, error] { return p.limited(p.rows()) })
}

// Rows yields the rows of the answer.
func (p *Plan) Rows() iter.Seq2[*table.Batch, error] { return p.Answer.Batches(p.catalog, p.window) }

// ByTotals reports whether the answer is made of sums that stand for many rows each, so that no row is read.
func (p *Plan) ByTotals() bool { return p.added || p.nothing }

// Touches returns about how many events the slices have that are read, and whether rows are kept in memory: groups, what is sorted, or what an analysis finds.
func (p *Plan) Touches() (events uint64, keeps bool, err error) {
	if !p.nothing && !p.added {
		events, err = p.window.TouchedEvents()
	}
	return events, p.groups || len(p.keys) > 0 || p.made, err
}

// rows yields the answer before the limit.
func (p *Plan) rows() iter.Seq2[*table.Batch, error] {
	return func(yield func(*table.Batch, error) bool) {
		if p.groups {
			b, err := p.grouped()
			p.sorted(b, err, yield)
			return
		}
		if len(p.keys) == 0 {
			p.selectRows(yield)
			return
		}
		all := table.NewBatch(len(p.columns))
		var err error
		p.selectRows(func(b *table.Batch, e error) bool {
			if err = e; err == nil {
				all.Append(b)
				err = p.fits(bytesOf(all))
			}
			return err == nil
		})
		p.sorted(all, err, yield)
	}
}

// limited ends with the last row wanted.
func (p *Plan) limited(rows iter.Seq2[*table.Batch, error]) iter.Seq2[*table.Batch, error] {
	return func(yield func(*table.Batch, error) bool) {
		left := p.query.Limit
		for b, err := range rows {
			if err == nil && p.query.Limit > 0 {
				b.Cut(int(min(left, int64(b.Rows))))
				left -= int64(b.Rows)
			}
			if !yield(b, err) || err != nil || p.query.Limit > 0 && left == 0 {
				return
			}
		}
	}
}

func (p *Plan) fits(bytes int64) error {
	if bytes > p.query.Memory {
		return ErrMemory
	}
	return nil
}

// bytesOf returns about what a batch takes.
func bytesOf(b *table.Batch) (n int64) {
	for i := range b.Vectors {
		v := &b.Vectors[i]
		n += int64(8*(len(v.Ints)+len(v.Doubles)) + len(v.Bools) + 4*(len(v.Codes)+len(v.Ends)) + len(v.Text) + len(v.Null))
	}
	return n
}
