package store

import (
	"sync"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// callSources are what the calls of a lane are added up from.
type callSources struct {
	*summaryQuery
	lane   uint32
	tables []tableRun
	items  []*spanItem // by place
	parts  []slicePart
}

func (q *summaryQuery) callSources(lane uint32, c *cover) (s *callSources, err error) {
	s = &callSources{summaryQuery: q, lane: lane, tables: c.runs}
	if s.items, err = q.items(lane, c.nodes); err != nil {
		return nil, err
	}
	s.parts, err = q.parts(lane, c, s.items)
	return s, err
}

// calls adds up the calls of a lane.
func (q *summaryQuery) calls(lane uint32) (found lines[trace.CallTotals], err error) {
	cover, err := q.cover(lane, index.Calls)
	if err != nil {
		return found, err
	}
	s, err := q.callSources(lane, cover)
	if err != nil {
		return found, err
	}
	return s.totals(), nil
}

// Memory that nobody needs any longer.
var callSummers = sync.Pool{New: func() any { return new(callSummer) }}

// totals lists what the locations of the window add up to.
func (s *callSources) totals() (found lines[trace.CallTotals]) {
	sum := callSummers.Get().(*callSummer)
	defer sum.end()
	sum.begin(s)
	ids, rank := s.numbers.ranks()
	for place, location := range s.lanes[s.lane] {
		if s.w.locations != nil && !s.w.locations[location] {
			continue
		}
		id := s.info.Locations[location].ID
		sum.place(uint32(place))
		cells := sum.row.cells
		if len(found.list) == 0 {
			found.grow(len(s.lanes[s.lane]) * len(cells)) // as much as it comes to if all are alike
		}
		for _, i := range sum.row.sorted(rank) {
			c := &cells[i]
			if c.count > 0 && (s.w.regions == nil || s.w.regions[ids[c.region]]) {
				found.add(uint64(location), trace.CallTotals{
					Location: id, Region: ids[c.region], Count: c.count,
					Inclusive: c.time, Exclusive: c.time.Minus(c.below), Busy: c.time.Minus(c.nested),
				})
			}
		}
	}
	return found
}
