package store

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// containedCalls are the calls of a lane that begin and end in a run of slices: those of tables, spanning ones that are in no table,
// and those that begin and end in one slice.
type containedCalls struct {
	*summaryQuery
	tables []tableWalk
	items  []*spanItem // by place
	slices []rowWalk
	row    callRow
	stack  []*spanItem
	open   []uint32 // by region: calls on the stack
}

// tableWalk goes through a table, place by place.
type tableWalk struct {
	tableRun
	line int // the next one
}

// endedBefore returns what the calls of a lane come to that end before a slice, and keeps it.
func (r *Reader) endedBefore(slice uint64, lane uint32) (*cellRows, error) {
	return cached(r.cache, cacheKey{what: cachedCallSums, offset: slice, lane: lane}, func() (*cellRows, int64, error) {
		q := r.containedQuery(sliceRange{0, slice})
		cover, err := q.cover(lane, index.Calls)
		if err != nil {
			return nil, 0, err
		}
		c, err := q.containedCalls(lane, cover)
		if err != nil {
			return nil, 0, err
		}
		sums := c.sums(len(r.lanes[lane]))
		return sums, sums.size(), nil
	})
}

// containedQuery returns a query about all that begins and ends in some slices, whatever the time.
func (r *Reader) containedQuery(all sliceRange) *summaryQuery {
	return &summaryQuery{
		Reader: r, w: r.Window(math.MinInt64, math.MaxInt64), touched: all, within: all, path: all,
		lanesAsked: map[uint32]bool{},
	}
}

// containedCalls finds what the calls of a lane are added up from.
func (q *summaryQuery) containedCalls(lane uint32, c *cover) (s *containedCalls, err error) {
	s = &containedCalls{summaryQuery: q}
	for _, t := range c.runs {
		s.tables = append(s.tables, tableWalk{tableRun: t})
	}
	if s.items, err = q.items(lane, c.nodes); err != nil {
		return nil, err
	}
	s.slices, err = q.sliceCalls(lane, c.slices)
	return s, err
}

// sliceCalls adds up slices, in parallel.
func (q *summaryQuery) sliceCalls(lane uint32, slices []uint64) ([]rowWalk, error) {
	sums := make([]rowWalk, len(slices))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, slice := range slices {
		group.Go(func() error {
			rows, err := q.sliceSums(slice, lane)
			if err == nil {
				sums[i] = rows.begin()
			}
			return err
		})
	}
	return sums, group.Wait()
}

// sliceSums returns what the calls come to that begin and end in a slice, and keeps it.
func (r *Reader) sliceSums(slice uint64, lane uint32) (*cellRows, error) {
	ref, ok, err := r.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	if err != nil || !ok {
		return noRows, err
	}
	return cached(r.cache, cacheKey{what: cachedSliceSums, offset: ref.Offset}, func() (*cellRows, int64, error) {
		steps, err := r.stepsOnce(slice, lane)
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
func foldWith[T any](r *Reader, slice uint64, lane uint32, steps *callSteps, fold func(*callFolder, *foldSlice) (T, error)) (folded T, err error) {
	s := &foldSlice{callSteps: steps, number: slice, end: math.MaxInt64, last: slice+1 == r.root.Slices}
	if s.last {
		s.end = r.info.Last
	}
	if s.items, err = r.itemsOfSlice(slice, lane); err != nil {
		return folded, err
	}
	f := callFolders.Get().(*callFolder)
	defer callFolders.Put(f)
	folded, err = fold(f, s)
	return folded, format.At(err, r.name, -1)
}

// sums adds up the locations of a lane. The cells of each are in the order of regions' ids, as those of summaries will be.
func (s *containedCalls) sums(locations int) *cellRows {
	sums := &cellRows{}
	for place := range uint32(locations) {
		cells := s.place(place)
		_, rank := s.numbers.ranks()
		slices.SortFunc(cells, func(a, b callCell) int { return cmp.Compare(rank[a.region], rank[b.region]) })
		sums.add(place, cells)
	}
	return sums
}

// place adds up a location. Places must be asked for in ascending order.
func (s *containedCalls) place(place uint32) []callCell {
	s.row.reset()
	for i := range s.tables {
		s.addLines(&s.tables[i], place)
	}
	s.addItems(itemsAt(&s.items, place))
	for i := range s.slices {
		s.row.add(s.slices[i].at(place))
	}
	return s.row.cells
}

// addLines adds vectors of a table.
func (s *containedCalls) addLines(r *tableWalk, place uint32) {
	t := r.table
	for ; r.line < len(t.lines) && t.lines[r.line].place <= place; r.line++ {
		i := r.line
		count, below := t.sums.Sum(i, index.SumCount, r.first, r.last), t.sums.Sum(i, index.SumBelow, r.first, r.last)
		if t.lines[i].place < place || count == 0 && below == 0 {
			continue
		}
		c := s.row.at(t.lines[i].number)
		c.count += count
		c.time.Add(t.sums.Sum(i, index.SumTime, r.first, r.last))
		c.nested.Add(t.sums.Sum(i, index.SumNested, r.first, r.last))
		c.below.Add(below)
	}
}

// addItems adds the spanning calls of a location, as far as they lie in the run. Their order tells which contains which.
func (s *containedCalls) addItems(items []*spanItem) {
	for _, c := range items {
		for n := len(s.stack); n > 0 && s.stack[n-1].endOrdinal <= c.ordinal; n = len(s.stack) {
			s.open[s.stack[n-1].regionNumber]--
			s.stack = s.stack[:n-1]
		}
		for uint32(len(s.open)) <= c.regionNumber {
			s.open = append(s.open, 0)
		}
		if s.path.contain(c.startSlice, c.endSlice) {
			s.addItem(c)
		}
		s.open[c.regionNumber]++
		s.stack = append(s.stack, c)
	}
	for _, c := range s.stack {
		s.open[c.regionNumber]--
	}
	s.stack = s.stack[:0]
}

func (s *containedCalls) addItem(c *spanItem) {
	ticks := uint64(c.end - c.start)
	cell := s.row.at(c.regionNumber)
	cell.count++
	cell.time.Add(ticks)
	if s.open[c.regionNumber] > 0 {
		cell.nested.Add(ticks)
	}
	if n := len(s.stack); n > 0 && ticks > 0 {
		s.row.at(s.stack[n-1].regionNumber).below.Add(ticks)
	}
}
