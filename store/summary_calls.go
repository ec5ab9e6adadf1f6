package store

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// calls adds up the calls of a lane.
func (q *summaryQuery) calls(lane uint32) (found lines[trace.CallTotals], err error) {
	cover, err := q.cover(lane, index.Calls)
	if err != nil {
		return found, err
	}
	g := callGrids.Get().(*callGrid)
	defer callGrids.Put(g)
	if err := q.addCalls(g, lane, cover, q.chosen(lane)); err != nil {
		return found, err
	}
	return q.callTotals(g, lane), nil
}

// addCalls adds up the calls of some locations of a lane, nil for all of them.
func (q *summaryQuery) addCalls(g *callGrid, lane uint32, cover *cover, chosen []bool) error {
	g.reset(len(q.lanes[lane]))
	items, err := q.items(lane, cover.nodes)
	if err != nil {
		return err
	}
	parts := make([][]callCell, len(cover.slices))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, slice := range cover.slices {
		do := func() (err error) {
			parts[i], err = q.callCells(slice, lane, items)
			return err
		}
		if known, err := q.knowsCells(slice, lane); err != nil {
			return errors.Join(err, group.Wait())
		} else if !known {
			group.Go(do)
		} else if err := do(); err != nil {
			return errors.Join(err, group.Wait())
		}
	}
	for i := range cover.runs {
		addRun(g, &cover.runs[i], chosen)
	}
	q.addItems(g, items, chosen)
	if err := group.Wait(); err != nil {
		return err
	}
	for _, cells := range parts {
		for i := range cells {
			if c := &cells[i]; chosen == nil || chosen[c.place] {
				g.at(c.place, c.region).add(c)
			}
		}
	}
	return nil
}

// chosen says which locations of a lane are those of the window, by place; nil for all.
func (q *summaryQuery) chosen(lane uint32) []bool {
	if q.w.locations == nil {
		return nil
	}
	chosen := make([]bool, len(q.lanes[lane]))
	for i, l := range q.lanes[lane] {
		chosen[i] = q.w.locations[l]
	}
	return chosen
}

// addRun adds vectors of a table.
func addRun(g *callGrid, r *tableRun, chosen []bool) {
	t := r.table
	for i, l := range t.lines {
		if chosen != nil && !chosen[l.place] {
			continue
		}
		count, below := t.sums.Sum(i, index.SumCount, r.first, r.last), t.sums.Sum(i, index.SumBelow, r.first, r.last)
		if count == 0 && below == 0 {
			continue
		}
		c := g.at(l.place, l.number)
		c.count += count
		c.time.Add(t.sums.Sum(i, index.SumTime, r.first, r.last))
		c.nested.Add(t.sums.Sum(i, index.SumNested, r.first, r.last))
		c.below.Add(below)
	}
}

// callTotals lists what was added up.
func (q *summaryQuery) callTotals(g *callGrid, lane uint32) (found lines[trace.CallTotals]) {
	ids, rank := q.numbers.ranks()
	found.grow(len(g.cells))
	for _, i := range g.order(rank) {
		c := &g.cells[i]
		if c.count == 0 || q.w.regions != nil && !q.w.regions[ids[c.region]] {
			continue
		}
		location := q.lanes[lane][c.place]
		found.add(uint64(location), trace.CallTotals{
			Location: q.info.Locations[location].ID, Region: ids[c.region], Count: c.count,
			Inclusive: c.time, Exclusive: c.time.Minus(c.below), Busy: c.time.Minus(c.nested),
		})
	}
	return found
}

// callCells adds up the calls that lie in a slice. What a whole slice comes to is kept.
func (q *summaryQuery) callCells(slice uint64, lane uint32, items []*spanItem) ([]callCell, error) {
	ref, ok, err := q.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	if err != nil || !ok {
		return nil, err
	}
	if slice < q.within.first || slice >= q.within.end {
		steps, err := q.callSteps(slice, lane)
		if err != nil {
			return nil, err
		}
		return q.foldSlice(lane, steps, items)
	}
	return cached(q.cache, cacheKey{what: cachedCallCells, offset: ref.Offset}, func() ([]callCell, int64, error) {
		steps, err := q.stepsOnce(slice, lane, ref)
		if err != nil {
			return nil, 0, err
		}
		cells, err := q.foldSlice(lane, steps, items)
		return cells, int64(64 * len(cells)), err
	})
}

// knowsCells reports whether what a whole slice comes to is at hand.
func (q *summaryQuery) knowsCells(slice uint64, lane uint32) (bool, error) {
	if slice < q.within.first || slice >= q.within.end {
		return false, nil
	}
	ref, ok, err := q.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	return !ok || q.cache.has(cacheKey{what: cachedCallCells, offset: ref.Offset}), err
}

// Memory that nobody needs any longer.
var (
	callGrids   = sync.Pool{New: func() any { return new(callGrid) }}
	callFolders = sync.Pool{New: func() any { return new(callFolder) }}
)

// foldSlice adds up the calls of a slice.
func (q *summaryQuery) foldSlice(lane uint32, steps *callSteps, items []*spanItem) ([]callCell, error) {
	f := callFolders.Get().(*callFolder)
	defer callFolders.Put(f)
	f.grid.reset(len(q.lanes[lane]))
	f.from, f.to = q.w.from, q.w.to
	err := f.slice(steps, items)
	return slices.Clone(f.grid.cells), format.At(err, q.name, -1)
}
