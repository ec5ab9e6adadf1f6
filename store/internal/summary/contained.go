package summary

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
)

// containedCalls are the calls of a lane that begin and end in a run of slices: those of tables, spanning ones that are in no table,
// and those that begin and end in one slice.
type containedCalls struct {
	*SummaryQuery
	tables []tableWalk
	items  []*read.SpanItem // by place
	slices []rowWalk
	row    callRow
	stack  []*read.SpanItem
	open   []uint32 // by region: calls on the stack
}

// tableWalk goes through a table, place by place.
type tableWalk struct {
	tableRun
	line int // the next one
}

// endedBefore returns what the calls of a lane come to that end before a slice, and keeps it.
func endedBefore(r *read.File, slice uint64, lane uint32) (*cellRows, error) {
	return cache.Get(r.Cache(), cache.Key{What: cache.CallSums, Offset: slice, Lane: lane}, func() (*cellRows, int64, error) {
		q := ContainedQuery(r, read.SliceRange{First: 0, End: slice})
		cover, err := q.cover(lane, tables.Calls)
		if err != nil {
			return nil, 0, err
		}
		c, err := q.ContainedCalls(lane, cover)
		if err != nil {
			return nil, 0, err
		}
		its, err := r.Lane(lane)
		if err != nil {
			return nil, 0, err
		}
		sums := c.sums(len(its.Locations))
		return sums, sums.size(), nil
	})
}

// ContainedQuery returns a query about all that begins and ends in some slices, whatever the time.
func ContainedQuery(r *read.File, all read.SliceRange) *SummaryQuery {
	return &SummaryQuery{
		File: r, w: query.NewWindow(r, math.MinInt64, math.MaxInt64), touched: all, within: all, path: all,
		lanesAsked: map[uint32]bool{},
	}
}

// ContainedCalls finds what the calls of a lane are added up from.
func (q *SummaryQuery) ContainedCalls(lane uint32, c *Cover) (s *containedCalls, err error) {
	s = &containedCalls{SummaryQuery: q}
	for _, t := range c.runs {
		s.tables = append(s.tables, tableWalk{tableRun: t})
	}
	if s.items, err = q.items(lane, c.Nodes); err != nil {
		return nil, err
	}
	s.slices, err = q.sliceCalls(lane, c.slices)
	return s, err
}

// sliceCalls adds up slices, in parallel.
func (q *SummaryQuery) sliceCalls(lane uint32, slices []uint64) ([]rowWalk, error) {
	sums := make([]rowWalk, len(slices))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, slice := range slices {
		group.Go(func() error {
			rows, err := sliceSums(q.File, slice, lane)
			if err == nil {
				sums[i] = rows.begin()
			}
			return err
		})
	}
	return sums, group.Wait()
}

// sliceSums returns what the calls come to that begin and end in a slice, and keeps it.
func sliceSums(r *read.File, slice uint64, lane uint32) (*cellRows, error) {
	k := read.SliceKey(slice, lane)
	_, ok, err := r.Ref(slice, k)
	if err != nil || !ok {
		return noRows, err
	}
	return cache.Get(r.Cache(), k.Made(cache.SliceSums), func() (*cellRows, int64, error) {
		steps, err := r.StepsOnce(slice, lane)
		if err != nil {
			return nil, 0, err
		}
		sums, err := foldWith(r, slice, lane, steps, (*callFolder).sums)
		if err != nil {
			return nil, 0, err
		}
		return sums, sums.size(), nil
	})
}

// callFolders are memory that nobody needs any longer.
var callFolders = sync.Pool{New: func() any { return new(callFolder) }}

// foldWith goes through a slice of a lane.
func foldWith[T any](r *read.File, slice uint64, lane uint32, steps *read.CallSteps, fold func(*callFolder, *foldSlice) (T, error)) (folded T, err error) {
	s := &foldSlice{CallSteps: steps, number: slice, end: math.MaxInt64, last: slice+1 == r.Root().Slices}
	if s.last {
		s.end = r.Info().Last
	}
	if s.items, err = r.ItemsOfSlice(slice, lane); err != nil {
		return folded, err
	}
	f := callFolders.Get().(*callFolder)
	defer callFolders.Put(f)
	folded, err = fold(f, s)
	return folded, r.InSlice(err, slice, lane)
}

// sums adds up the locations of a lane. The cells of each are in the order of regions' ids, as those of summaries will be.
func (s *containedCalls) sums(locations int) *cellRows {
	sums := &cellRows{}
	for place := range uint32(locations) {
		cells := s.Place(place)
		_, rank := s.Numbers.Ranks()
		slices.SortFunc(cells, func(a, b callCell) int { return cmp.Compare(rank[a.Region], rank[b.Region]) })
		sums.add(place, cells)
	}
	return sums
}

// Place adds up a location. Places must be asked for in ascending order.
func (s *containedCalls) Place(place uint32) []callCell {
	s.row.reset()
	for i := range s.tables {
		s.addLines(&s.tables[i], place)
	}
	s.addItems(read.ItemsAt(&s.items, place))
	for i := range s.slices {
		s.row.add(s.slices[i].at(place))
	}
	return s.row.cells
}

// addLines adds vectors of a table.
func (s *containedCalls) addLines(r *tableWalk, place uint32) {
	t := r.table
	for ; r.line < len(t.Lines) && t.Lines[r.line].Place <= place; r.line++ {
		i := r.line
		count, below := t.Sums.Sum(i, tables.SumCount, r.first, r.last), t.Sums.Sum(i, tables.SumBelow, r.first, r.last)
		if t.Lines[i].Place < place || count == 0 && below == 0 {
			continue
		}
		c := s.row.at(t.Lines[i].Number)
		c.Count += count
		c.Time.Add(t.Sums.Sum(i, tables.SumTime, r.first, r.last))
		c.Nested.Add(t.Sums.Sum(i, tables.SumNested, r.first, r.last))
		c.Below.Add(below)
	}
}

// addItems adds the spanning calls of a location, as far as they lie in the run. Their order tells which contains which.
func (s *containedCalls) addItems(items []*read.SpanItem) {
	for _, c := range items {
		for n := len(s.stack); n > 0 && s.stack[n-1].EndOrdinal <= c.Ordinal; n = len(s.stack) {
			s.open[s.stack[n-1].RegionNumber]--
			s.stack = s.stack[:n-1]
		}
		for uint32(len(s.open)) <= c.RegionNumber {
			s.open = append(s.open, 0)
		}
		if s.path.Contain(c.StartSlice, c.EndSlice) {
			s.addItem(c)
		}
		s.open[c.RegionNumber]++
		s.stack = append(s.stack, c)
	}
	for _, c := range s.stack {
		s.open[c.RegionNumber]--
	}
	s.stack = s.stack[:0]
}

func (s *containedCalls) addItem(c *read.SpanItem) {
	ticks := uint64(c.End - c.Start)
	cell := s.row.at(c.RegionNumber)
	cell.Count++
	cell.Time.Add(ticks)
	if s.open[c.RegionNumber] > 0 {
		cell.Nested.Add(ticks)
	}
	if n := len(s.stack); n > 0 && ticks > 0 {
		s.row.at(s.stack[n-1].RegionNumber).Below.Add(ticks)
	}
}
