package query

import (
	"iter"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/store"
)

// narrowed are the tables whose rows do not change in a smaller window.
var narrowed = []string{"calls", "messages", "events", "metrics"}

// push takes out of the condition what is decided without looking at rows, and narrows the window by the rest.
func (p *Plan) push() error {
	from, to := p.window.Bounds()
	defer func() {
		if p.made || !p.source.Definitions {
			a, b := p.window.Bounds()
			events, err := p.window.TouchedEvents()
			if err == nil {
				p.step("window", "%d to %d of %d to %d ticks; its slices have about %d of %d events", a, b, from, to, events, p.catalog.Info.Events)
			}
		}
		if p.where != nil {
			var rest []string
			for _, c := range p.where.Conjuncts() {
				rest = append(rest, c.Source())
			}
			p.step("rows", "%s", strings.Join(rest, " && "))
		}
	}()
	if p.where == nil || p.query.Plain || !slices.Contains(narrowed, p.query.Table) {
		return nil
	}
	ends, err := p.ends()
	if err != nil {
		return err
	}
	var rest []*rule.Node
	bounds := bounds{from: math.MinInt64, to: math.MaxInt64}
	for _, c := range p.where.Conjuncts() {
		done, err := p.pushLocations(c, &ends)
		if err == nil && !done {
			done, err = p.pushRegions(c)
		}
		if err == nil && !done {
			done, err = p.pushDepths(c)
		}
		if err != nil {
			return err
		}
		if !done {
			bounds.add(p, c)
			rest = append(rest, c)
		}
	}
	p.where = rule.And(rest)
	p.narrow(&bounds)
	return nil
}

// columnsOf returns the number of columns that an expression names.
func columnsOf(n *rule.Node) (count int) {
	n.Walk(func(n *rule.Node) {
		if n.Kind == rule.Column {
			count++
		}
	})
	return count
}

// decide computes a condition for the rows of a small table. ok is false if it is about other columns.
func (p *Plan) decide(c *rule.Node, t *table.Table) (yes []bool, ok bool, err error) {
	n := c.Clone()
	if columnsOf(n) == 0 || n.BindCondition(rule.ScopeOf(t, p.catalog)) != nil {
		return nil, false, nil
	}
	for b, err := range t.Batches(p.catalog, p.window) {
		if err != nil {
			return nil, false, err
		}
		v, err := n.Eval(b)
		if err != nil {
			return nil, false, err
		}
		for i, x := range v.Bools[:b.Rows] {
			yes = append(yes, x && !v.IsNull(i))
		}
	}
	return yes, true, nil
}

// ends are what columns of locations begin with, whose conditions may narrow the window. A window has the messages of which any end is on its
// locations, so only one end can narrow it, and none if it has some locations only before.
func (p *Plan) ends() ([]string, error) {
	if p.query.Table != "messages" {
		return []string{""}, nil
	}
	ids, err := p.window.LocationIDs()
	if err != nil || len(ids) < len(p.catalog.Places) {
		return nil, err
	}
	return []string{"send_", "receive_"}, nil
}

// pushLocations decides a condition on locations once for each, if it is about one of some ends. It narrows them to the one that it is about. Of
// messages, those with this end are a part of those with any, so that the condition stays.
func (p *Plan) pushLocations(c *rule.Node, ends *[]string) (done bool, err error) {
	for _, prefix := range *ends {
		yes, ok, err := p.decide(c, places(prefix))
		if err != nil || !ok {
			if err != nil {
				return false, err
			}
			continue
		}
		var ids []uint64
		for i := range yes {
			if yes[i] {
				ids = append(ids, p.catalog.Places[i].ID)
			}
		}
		p.nothing = p.nothing || len(ids) == 0
		*ends = []string{prefix}
		p.window = p.window.WithLocations(ids...)
		p.step("locations", "%d of %d: %s", len(ids), len(yes), c.Source())
		return prefix == "", nil
	}
	return false, nil
}

// places is the table of locations, with the columns that other tables have of them.
func places(prefix string) *table.Table {
	return table.FromList(table.Schema{Name: "locations"}, table.PlaceColumns(prefix, "", func(r **table.Place) *table.Place { return *r }),
		func(x *table.Catalog) iter.Seq[*table.Place] {
			return func(yield func(*table.Place) bool) {
				for i := range x.Places {
					if !yield(&x.Places[i]) {
						return
					}
				}
			}
		})
}

// region is a region with its name; the last one has none.
type region struct {
	id   uint64
	name int32
}

func regionsOf(x *table.Catalog) (list []region) {
	for _, id := range x.Definitions.Regions() {
		list = append(list, region{id, x.Regions.Of(id)})
	}
	return append(list, region{name: table.NoName})
}

// pushRegions decides a condition on names of regions once for each. Ids without a definition have no name, so conditions that are true of no
// name stay.
func (p *Plan) pushRegions(c *rule.Node) (done bool, err error) {
	byID := false
	c.Walk(func(n *rule.Node) { byID = byID || n.Kind == rule.Column && n.Type != rule.Text })
	if byID || p.query.Table != "calls" || p.parents {
		return false, nil
	}
	list := regionsOf(p.catalog)
	names := table.FromList(table.Schema{Name: "regions"}, []table.ColumnOf[region]{
		table.Number("region", "", "", func(_ *table.Catalog, r *region) int64 { return int64(r.id) }),
		table.Named("name", "", func(x *table.Catalog) *table.Names { return &x.Regions.Names }, func(_ *table.Catalog, r *region) int32 { return r.name }),
	}, func(*table.Catalog) iter.Seq[region] { return slices.Values(list) })
	yes, ok, err := p.decide(c, names)
	if err != nil || !ok || yes[len(yes)-1] {
		return false, err
	}
	var ids []uint64
	for i := range yes {
		if yes[i] {
			ids = append(ids, list[i].id)
		}
	}
	p.nothing = p.nothing || len(ids) == 0
	p.window = p.window.WithRegions(ids...)
	p.step("regions", "%d of %d: %s", len(ids), len(list)-1, c.Source())
	return true, nil
}

// mostDepths is the number of depths of calls that conditions are decided for.
const mostDepths = 1 << 16

// pushDepths decides a condition on the depth of calls once for each depth, as the file tells how many calls are open at once: it may be true or false of
// all.
func (p *Plan) pushDepths(c *rule.Node) (done bool, err error) {
	deepest := p.catalog.Info.MaxDepth
	if p.query.Table != "calls" || deepest > mostDepths {
		return false, nil
	}
	depths := table.FromList(table.Schema{Name: "depths"}, []table.ColumnOf[int64]{
		table.Number("depth", "", "", func(_ *table.Catalog, depth *int64) int64 { return *depth }),
	}, func(*table.Catalog) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			for depth := int64(0); depth < int64(deepest) && yield(depth); depth++ {
			}
		}
	})
	yes, ok, err := p.decide(c, depths)
	if err != nil || !ok {
		return false, err
	}
	some, all := slices.Contains(yes, true), !slices.Contains(yes, false)
	if !some || all {
		p.step("depths", "%d, %s: %s", deepest, map[bool]string{true: "all", false: "none"}[some], c.Source())
	}
	p.nothing = p.nothing || !some
	return all, nil
}

// bounds are what a condition says of times, in ticks since the epoch, and of durations.
type bounds struct {
	from, to, duration int64
}

var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}

// add takes up a comparison of a time with a constant.
func (b *bounds) add(p *Plan, c *rule.Node) {
	if c.Kind != rule.Operator || len(c.Args) != 2 || mirrored[c.Name] == "" {
		return
	}
	op, column, constant := c.Name, c.Args[0], c.Args[1]
	if column.Kind == rule.Constant {
		op, column, constant = mirrored[op], constant, column
	}
	if column.Kind != rule.Column || constant.Kind != rule.Constant || constant.Type == rule.Float || p.source.Columns[column.Place].Unit != "ns" {
		return
	}
	low, high := p.ticks(constant.Int)
	name := strings.TrimSuffix(p.source.Columns[column.Place].Name, "_ns")
	switch first := p.catalog.Info.First; name {
	case "duration":
		if op != "<" && op != "<=" && p.query.Table == "calls" {
			b.duration = max(b.duration, low)
		}
	case "start", "end", "ns", "send", "receive":
		if op != "<" && op != "<=" && low > math.MinInt64 {
			b.from = max(b.from, first+low)
		}
		if op != ">" && op != ">=" && high < math.MaxInt64 {
			b.to = min(b.to, first+high)
		}
	}
}

// ticks returns ticks that are surely before and behind a time since the trace's first event, in nanoseconds: the extreme numbers if it is far away.
func (p *Plan) ticks(ns int64) (low, high int64) {
	resolution := new(big.Int).SetUint64(p.catalog.Resolution())
	at := func(ns int64, more int64) (int64, bool) {
		t := new(big.Int).Mul(big.NewInt(ns), resolution)
		t.Div(t, big.NewInt(1e9)).Add(t, big.NewInt(more))
		return t.Int64(), t.IsInt64() && t.Int64() > -store.MaxTime && t.Int64() < store.MaxTime
	}
	low, high = math.MinInt64, math.MaxInt64
	if t, ok := at(max(ns, math.MinInt64+1)-1, -1); ok {
		low = t
	}
	if t, ok := at(min(ns, math.MaxInt64-1)+1, 2); ok {
		high = t
	}
	return low, high
}

// narrow makes the window smaller. What overlaps the window may begin before and end behind it, so an end of it always stays in.
func (p *Plan) narrow(b *bounds) {
	from, to := p.window.Bounds()
	lower, upper := max(from, min(b.from, to-1)), min(to, max(b.to, from+1))
	if lower < upper && (lower > from || upper < to) {
		p.window = p.window.Within(lower, upper)
	}
	if b.duration > 0 && !p.parents {
		p.window = p.window.WithMinDuration(b.duration)
		p.step("duration", "at least %d ticks", b.duration)
	}
}
