package summary

import (
	"slices"
	"strconv"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// callSum is a sum of calls.
type callSum struct {
	count                      uint64
	inclusive, exclusive, busy trace.Sum
}

func (s *callSum) add(c *trace.CallTotals) {
	s.count += c.Count
	s.inclusive, s.exclusive, s.busy = s.inclusive.Plus(c.Inclusive), s.exclusive.Plus(c.Exclusive), s.busy.Plus(c.Busy)
}

// callColumns are the columns of sums of calls.
func callColumns[R comparable](c clock, of func(R) *callSum, all *callSum) []column[R] {
	return slices.Concat(
		[]column[R]{count("count", "count", "number of calls that overlap the window", func(r R) uint64 { return of(r).count })},
		alone(tickSum("inclusive", "inclusive", "time of the calls within the window; with recursion it may be more than the window is long", c,
			func(r R) trace.Sum { return of(r).inclusive })...),
		spare(3, alone(share("share", "inclusive_share", "the same as a part of all exclusive time", func(r R) float64 { return part(of(r).inclusive, all.exclusive) }))...),
		tickSum("exclusive", "exclusive", "the same less the time of the calls that they enclose", c, func(r R) trace.Sum { return of(r).exclusive }),
		[]column[R]{share("share", "exclusive_share", "the same as a part of all exclusive time", func(r R) float64 { return part(of(r).exclusive, all.exclusive) })},
		spare(1, ticks("per call", "mean", "inclusive time for each call", c, func(r R) (float64, bool) {
			return of(r).inclusive.Float() / float64(max(of(r).count, 1)), true
		}, false)...),
		alone(tickSum("", "busy", "time in which at least one of the calls is open, added up over locations", c, func(r R) trace.Sum { return of(r).busy })...),
	)
}

// regionSum is the sum of the calls of a region on all locations.
type regionSum struct {
	callSum
	group                         int // of the region's definitions
	exclusiveOfRanks, ofInclusive load
}

// regionRows is a flat profile by region: definitions of one function are one row.
func regionRows(s *summed) rows {
	t := s.profile()
	t.columns = append(t.columns, groupColumns(s, func(r *regionSum) int { return r.group }, sameNames(s, t.rows))...)
	return t
}

// definitionRows is a flat profile with a row for each definition of a region.
func definitionRows(s *summed) rows {
	s.groups.each = true
	t := s.profile()
	first := func(r *regionSum) uint64 { return s.groups.list[r.group].first }
	same := sameNames(s, t.rows)
	t.columns = append(t.columns, regionColumns(s, first, func(r *regionSum) string {
		name := s.regionName(first(r))
		if same[name] {
			name += " #" + strconv.FormatUint(first(r), 10)
		}
		return name
	})...)
	return t
}

// profile adds up the calls by the groups of their regions.
func (s *summed) profile() *rowsOf[*regionSum] {
	all, list, place := &callSum{}, []regionSum(nil), []int(nil) // places in the list by group, and 1
	row := func(region uint64) *callSum {
		g := s.groups.of(s.names, region)
		for len(place) <= g {
			place = append(place, 0)
		}
		if place[g] == 0 {
			list = append(list, regionSum{group: g})
			place[g] = len(list)
		}
		return &list[place[g]-1].callSum
	}
	for i := range s.Calls {
		row(s.Calls[i].Region).add(&s.Calls[i])
		all.add(&s.Calls[i])
	}
	for _, d := range s.deviations(s.window) {
		if d.Count > 0 && s.window.HasRegion(d.Region) {
			row(d.Region) // all its calls may have been left out
		}
	}
	p := s.parties()
	s.addLoads(p, func(region uint64) int { return place[s.groups.of(s.names, region)] - 1 }, list)
	s.restore(func(region uint64) *callSum {
		number, seen := s.groups.numbers.Of(region)
		if !seen || s.groups.group[number] >= len(place) || place[s.groups.group[number]] == 0 {
			return nil // of a region that the summary leaves out
		}
		return &list[place[s.groups.group[number]]-1].callSum
	}, all)
	s.Calls = nil // as large as the rows
	t := &rowsOf[*regionSum]{order: "exclusive", rows: pointers(list), total: &regionSum{callSum: *all}}
	t.columns = append(callColumns(s.clock, func(r *regionSum) *callSum { return &r.callSum }, all), loadColumns(s, p)...)
	return t
}

// regionGroups puts the definitions of one region together: those of equal canonical name, or name if they have none, source file and first
// line. Tools that define regions on each rank by itself make several of one function; functions of one name in two files are two. This is
// how Cube joins the regions of the processes, too.
type regionGroups struct {
	each    bool // each definition is a group of its own
	numbers trace.Numbers
	group   []int // by number of the region's id
	list    []regionGroup
	known   map[regionKey]int
}

// regionGroup is some definitions, in the order in which they occur.
type regionGroup struct {
	first uint64
	ids   []uint64
}

// regionKey is what the definitions of one region have in common.
type regionKey struct {
	name, file string
	line       uint64
}

func newRegionGroups() *regionGroups { return &regionGroups{known: map[regionKey]int{}} }

// of returns the place of the group of a region in the list.
func (g *regionGroups) of(n *report.Names, region uint64) int {
	if trace.IsUndefined(region) {
		region = trace.Undefined
	}
	if number, ok := g.numbers.Of(region); ok {
		return g.group[number]
	}
	at := len(g.list)
	key, named := keyOf(n.Definitions(), region)
	if same, ok := g.known[key]; named && !g.each && ok {
		at = same
		g.list[at].ids = append(g.list[at].ids, region)
	} else {
		g.list = append(g.list, regionGroup{region, []uint64{region}})
		g.known[key] = at
	}
	g.numbers.Add(region)
	g.group = append(g.group, at)
	return at
}

// keyOf returns what the definitions of a region have in common; ok is false for a region without a name.
func keyOf(d *trace.Definitions, id uint64) (key regionKey, ok bool) {
	r, ok := d.Region(id)
	if !ok {
		return key, false
	}
	key = regionKey{d.Strings[r.CanonicalName], d.Strings[r.SourceFile], r.BeginLine}
	if key.name == "" {
		key.name = d.Strings[r.Name]
	}
	return key, key.name != ""
}

// regionName returns the text for a region.
func (s *summed) regionName(id uint64) string {
	if trace.IsUndefined(id) {
		return "no region"
	}
	return s.names.Plain(trace.SpaceRegion, id)
}

// sameNames returns the names that several rows have.
func sameNames(s *summed, list []*regionSum) map[string]bool {
	seen, same := map[string]bool{}, map[string]bool{}
	for i := range list {
		name := s.regionName(s.groups.list[list[i].group].first)
		same[name] = seen[name]
		seen[name] = true
	}
	return same
}

// regionColumns are the columns of a region. Text shows its label.
func regionColumns[R comparable](s *summed, of func(R) uint64, label func(R) string) []column[R] {
	source := func(r R) (file *string, line uint64, ok bool) {
		region, ok := s.names.Definitions().Region(of(r))
		if !ok || s.names.Definitions().Strings[region.SourceFile] == "" {
			return nil, 0, false
		}
		return s.names.Optional(trace.SpaceString, region.SourceFile), region.BeginLine, true
	}
	return []column[R]{
		id("region", "id of the region", of),
		named("region", "region_name", "its name", func(r R) *string { return s.names.Optional(trace.SpaceRegion, of(r)) }, label),
		named("", "source_file", "file that it is in", func(r R) *string { file, _, _ := source(r); return file }, nil),
		number("source_line", "its first line there", func(r R) (int64, bool) { _, line, ok := source(r); return int64(line), ok }),
	}
}

// groupColumns are the columns of the definitions of a region.
func groupColumns[R comparable](s *summed, of func(R) int, same map[string]bool) []column[R] {
	first := func(r R) uint64 { return s.groups.list[of(r)].first }
	columns := regionColumns(s, first, func(r R) string { return s.label(first(r), same) })
	columns[0].Doc = "id of the region; the first one, if several definitions of it occur"
	return append(columns, column[R]{
		Column: Column{Name: "definitions", Type: "array", Doc: "ids of all its definitions that occur: of equal canonical name (or name), source file and first line"},
		fixed:  true, value: func(r R) value { return listValue(s.groups.list[of(r)].ids) },
	})
}

// label returns the text for a region, with its source if another one has the same name.
func (s *summed) label(id uint64, same map[string]bool) string {
	name, d := s.regionName(id), s.names.Definitions()
	if !same[name] {
		return name
	}
	r, ok := d.Region(id)
	switch file := d.Strings[r.SourceFile]; {
	case !ok:
	case file != "":
		name += " (" + file + ":" + strconv.FormatUint(r.BeginLine, 10) + ")"
	case d.Strings[r.CanonicalName] != name:
		name += " (" + d.Strings[r.CanonicalName] + ")"
	}
	return name
}
