package query

import (
	"iter"
	"math"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// totals are many rows of a table at once: the calls of a region on a location, or the messages between two. The nodes of a file's tree have them; those of
// the calls of one depth are counted in the structure of calls.
type totals struct {
	ends   [2]uint64 // of messages, both locations; of calls, the first
	region uint64
	depth  int64
	count  uint64
	sums   [2]trace.Sum // duration and exclusive time in ticks; of messages, bytes
}

// counted is the column that says how many rows totals stand for.
const counted = "count"

// sumColumn is a column of sums: which one, and what it is multiplied by.
type sumColumn struct {
	table.Column
	of     int
	factor int64
}

// totalsTable is a table of totals: its columns are named like those of the rows, and the last one is counted.
type totalsTable struct {
	plan     *Plan
	prefixes []string // of the columns of locations
	depths   bool     // calls of each depth by themselves, without sums
	sums     []sumColumn
}

func (p *Plan) totalsTable(perTick int64) *totalsTable {
	sum := func(name, unit string, of int, factor int64) sumColumn {
		return sumColumn{table.Column{Name: name + "_" + unit, Type: table.Int64, Unit: unit}, of, factor}
	}
	if p.query.Table == "messages" {
		return &totalsTable{plan: p, prefixes: []string{"send_", "receive_"}, sums: []sumColumn{sum("send", "bytes", 0, 1)}}
	}
	return &totalsTable{plan: p, prefixes: []string{""}, sums: []sumColumn{sum("duration", "ns", 0, perTick), sum("duration", "ticks", 0, 1),
		sum("exclusive", "ns", 1, perTick), sum("exclusive", "ticks", 1, 1)}}
}

// of returns the table of some totals.
func (t *totalsTable) of(list []totals) *table.Table {
	s, x := table.Schema{Name: t.plan.query.Table}, t.plan.catalog
	var names []*table.Names
	for _, prefix := range t.prefixes {
		at := places(prefix)
		s.Columns = append(s.Columns, at.Columns...)
		names = append(names, rule.ScopeOf(at, x).Names...)
	}
	if len(t.prefixes) == 1 {
		s.Columns = append(s.Columns, table.Column{Name: "region", Type: table.Int64, Null: true}, table.Column{Name: "name", Type: table.Name, Null: true})
		names = append(names, nil, &x.Regions.Names)
	}
	if t.depths {
		s.Columns = append(s.Columns, table.Column{Name: "depth", Type: table.Int64})
	}
	for i := range t.sums {
		s.Columns = append(s.Columns, t.sums[i].Column)
	}
	s.Columns = append(s.Columns, table.Column{Name: counted, Type: table.Int64})
	names = append(names, make([]*table.Names, len(s.Columns)-len(names))...)
	return table.FromBatches(s, names, func() iter.Seq2[*table.Batch, error] {
		return func(yield func(*table.Batch, error) bool) {
			for page := range slices.Chunk(list, table.PageRows) {
				if b, err := t.batch(page, len(s.Columns)); !yield(b, err) || err != nil {
					return
				}
			}
		}
	})
}

// batch makes the rows of some totals.
func (t *totalsTable) batch(list []totals, columns int) (*table.Batch, error) {
	x, out := t.plan.catalog, table.NewBatch(columns)
	out.Rows = len(list)
	rest := out.Vectors
	for end, prefix := range t.prefixes {
		at := places(prefix)
		part := table.Batch{Vectors: rest[:len(at.Columns)]}
		rest = rest[len(at.Columns):]
		if err := t.gather(&part, at, list, end); err != nil {
			return nil, err
		}
	}
	if len(t.prefixes) == 1 {
		for i := range list {
			id, ok := table.Reference(list[i].region)
			name := x.Regions.Of(list[i].region)
			rest[0].Ints, rest[0].Null = append(rest[0].Ints, id), append(rest[0].Null, !ok)
			rest[1].Codes, rest[1].Null = append(rest[1].Codes, max(name, 0)), append(rest[1].Null, name == table.NoName)
		}
		rest = rest[2:]
	}
	if t.depths {
		for i := range list {
			rest[0].Ints = append(rest[0].Ints, list[i].depth)
		}
		rest = rest[1:]
	}
	for i := range list {
		for c := range t.sums {
			rest[c].Ints = append(rest[c].Ints, int64(list[i].sums[t.sums[c].of].Lo)*t.sums[c].factor)
		}
		rest[len(t.sums)].Ints = append(rest[len(t.sums)].Ints, int64(list[i].count))
	}
	return out, nil
}

// gather appends the locations of one end.
func (t *totalsTable) gather(to *table.Batch, at *table.Table, list []totals, end int) error {
	all := table.NewBatch(len(at.Columns))
	for b, err := range at.Batches(t.plan.catalog, t.plan.window) {
		if err != nil {
			return err
		}
		all.Append(b)
		b.Release()
	}
	rows, row := make([]int32, len(list)), map[uint64]int32{}
	for i := range t.plan.catalog.Places {
		row[t.plan.catalog.Places[i].ID] = int32(i)
	}
	for i := range list {
		rows[i] = row[list[i].ends[end]]
	}
	to.Gather(all, rows)
	all.Release()
	return nil
}

// summed are the columns of totals that are sums of rows, not keys. Those of calls are clipped by a window, unlike rows.
var summed = []string{"duration_ns", "duration_ticks", "exclusive_ns", "exclusive_ticks", "send_bytes"}

// usualFew is the number of events up to which the rows of a window are read faster than sums of nodes: those up to its end less those up to its begin, each with
// the slices at that place. NPB LU, windows of a thousandth of the time: 3 ms for rows, 10 ms for sums.
const usualFew = 1 << 16

// fewEvents is usualFew, unless a test says otherwise.
var fewEvents uint64 = usualFew

// few reports whether the window is a part of the trace whose slices have few events.
func (p *Plan) few() (bool, error) {
	from, to := p.window.Bounds()
	if info := p.catalog.Info; from <= info.First && info.Last < to {
		return false, nil
	}
	n, err := p.window.TouchedEvents()
	return n <= fewEvents, err
}

// useTotals takes totals in place of rows, if they tell all that is asked.
func (p *Plan) useTotals() error {
	if !p.groups || p.nothing || p.query.Plain || p.window.LeastDuration() > 0 {
		return nil
	}
	perTick := int64(0)
	if r := p.catalog.Resolution(); r > 0 && 1e9%r == 0 {
		perTick = int64(1e9 / r)
	}
	var list []totals
	var ok bool
	t, err := p.totalsTable(perTick), error(nil)
	switch {
	case p.query.Table != "calls" && p.query.Table != "messages":
		return nil
	case p.tellAll(t.of(nil), perTick):
		list, ok, err = p.nodeTotals(perTick)
	case p.query.Table == "calls" && p.tellAll(p.depthTable().of(nil), perTick):
		t = p.depthTable()
		list, ok, err = p.depthTotals()
	}
	if !ok || err != nil {
		return err
	}
	p.source, p.added = t.of(list), true
	p.step("totals", "%d %s, in place of rows", len(list), map[bool]string{true: "counts from the structure of calls", false: "sums from the nodes of the file's tree"}[t.depths])
	return p.bind()
}

// nodeTotals returns the totals of the file's tree. ok is false if rows are read faster, or tell more.
func (p *Plan) nodeTotals(perTick int64) (list []totals, ok bool, err error) {
	part := store.SummaryCalls
	if p.query.Table == "messages" {
		part = store.SummaryMessages
	}
	if few, err := p.few(); few || err != nil {
		return nil, false, err
	}
	s, err := p.window.Summary(part)
	if err != nil {
		return nil, false, err
	}
	list, ok = p.totals(s, perTick)
	return list, ok, nil
}

// tellAll reports whether totals have all columns of the question, and sums where it wants sums.
func (p *Plan) tellAll(t *table.Table, perTick int64) bool {
	from, to := p.window.Bounds()
	whole := from <= p.catalog.Info.First && to > p.catalog.Info.Last || p.query.Table == "messages"
	isKey := func(n *rule.Node) bool {
		ok := true
		n.Walk(func(n *rule.Node) {
			if n.Kind == rule.Column {
				name := p.source.Columns[n.Place].Name
				ok = ok && !slices.Contains(summed, name) && t.Has(name)
			}
		})
		return ok
	}
	if p.where != nil && !isKey(p.where) {
		return false
	}
	for i := range p.columns {
		c := &p.columns[i]
		switch {
		case c.value == nil:
		case c.agg == "sum" || c.agg == "mean":
			if c.value.Kind != rule.Column || !whole {
				return false
			}
			name := p.source.Columns[c.value.Place].Name
			if !slices.Contains(summed, name) || !t.Has(name) || perTick == 0 && p.source.Columns[c.value.Place].Unit == "ns" {
				return false
			}
		case c.agg == "quantile" || !isKey(c.value):
			return false
		}
	}
	return true
}

// totals returns those of a summary. ok is false if one is beyond the integers of tables.
func (p *Plan) totals(s *trace.Summary, perTick int64) (list []totals, ok bool) {
	for i := range s.Calls {
		c := &s.Calls[i]
		list = append(list, totals{ends: [2]uint64{c.Location}, region: c.Region, count: c.Count, sums: [2]trace.Sum{c.Inclusive, c.Exclusive}})
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		list = append(list, totals{ends: [2]uint64{m.SendLocation, m.ReceiveLocation}, count: m.Count, sums: [2]trace.Sum{m.Bytes}})
	}
	for i := range list {
		for _, s := range list[i].sums {
			if math.Abs(s.Float())*float64(max(perTick, 1)) > 1<<62 {
				return nil, false
			}
		}
	}
	return list, true
}
