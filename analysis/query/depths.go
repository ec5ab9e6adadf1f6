package query

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// mostFolded is the largest depth of calls up to which they are counted by depth: a deeper recursion would have a node for each of its levels.
const mostFolded = 1 << 10

// depthTable is the table of totals by depth. Their locations come first, as in that of sums.
func (p *Plan) depthTable() *totalsTable {
	return &totalsTable{plan: p, prefixes: []string{""}, depths: true}
}

// depthTotals counts the calls of each region and depth on each location in the structure of calls, without their times. ok is false if rows are read faster,
// or if that cannot tell regions apart.
func (p *Plan) depthTotals() (list []totals, ok bool, err error) {
	few, err := p.few()
	if few || err != nil || p.catalog.Info.MaxDepth > mostFolded || !p.ownNames() {
		return nil, false, err
	}
	ids, err := p.window.LocationIDs()
	if err != nil {
		return nil, false, err
	}
	from, to := p.window.Bounds()
	w := p.window.Whole().Within(from, to).WithLocations(ids...)
	tree, err := calltree.Of(p.reader, w, calltree.Options{CountsOnly: true, Depth: int(p.catalog.Info.MaxDepth) + 1, Memory: p.query.Memory})
	var memory *calltree.MemoryError
	if errors.As(err, &memory) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return p.countDepths(tree), true, nil
}

// countDepths adds up the calls of a tree, by location, region and depth.
func (p *Plan) countDepths(tree *calltree.Profile) (list []totals) {
	type key struct {
		location, region uint64
		depth            int64
	}
	counts := map[key]uint64{}
	for i := range tree.Paths {
		region := tree.Names.Region(tree.Paths[i].Name)
		if !p.window.HasRegion(region) {
			continue
		}
		for cell := range tree.On(i) {
			if cell.Calls > 0 {
				counts[key{cell.Location, region, int64(tree.Paths[i].Depth)}] += cell.Calls
			}
		}
	}
	for k, n := range counts {
		list = append(list, totals{ends: [2]uint64{k.location}, region: k.region, depth: k.depth, count: n})
	}
	slices.SortFunc(list, func(a, b totals) int {
		return cmp.Or(cmp.Compare(p.catalog.Place(a.ends[0]).FirstEvent, p.catalog.Place(b.ends[0]).FirstEvent), cmp.Compare(a.depth, b.depth), cmp.Compare(a.region, b.region))
	})
	return list
}

// ownNames reports whether each region has a name of its own, which is none of those for regions without one: call trees know names, not regions.
func (p *Plan) ownNames() bool {
	names := map[string]bool{trace.NoRegion: true}
	for _, id := range p.catalog.Definitions.Regions() {
		name := p.catalog.Definitions.RegionName(id)
		if names[name] || strings.HasPrefix(name, "#") && name != trace.RegionNumber(id) {
			return false
		}
		names[name] = true
	}
	return true
}
