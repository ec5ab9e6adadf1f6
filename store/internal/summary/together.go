package summary

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/trace"
)

// Together adds up the calls of the window's locations, region by region in the order of their ids. Lines of single locations are in memory only for the lanes
// that are worked on.
func Together(w *query.Window) ([]trace.CallTotals, error) {
	if w.Shortest > math.MinInt64 {
		return nil, layout.Invalidf("store: there are no summaries of calls of a minimum duration")
	}
	q, err := newSummaryQuery(w, []SummaryPart{SummaryCalls})
	if err != nil || q.Root().Slices == 0 || !q.wanted[tables.Calls] {
		return nil, err
	}
	lanes, err := q.askedLanes()
	if err != nil {
		return nil, err
	}
	if q.Far {
		q.fetch(lanes)
	}
	var mu sync.Mutex
	sums := map[uint64]*trace.CallTotals{}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, lane := range lanes {
		group.Go(func() error {
			found, err := q.calls(lane)
			mu.Lock()
			defer mu.Unlock()
			addCalls(sums, found.list)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	list := make([]trace.CallTotals, 0, len(sums))
	for _, s := range sums {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b trace.CallTotals) int { return cmp.Compare(a.Region, b.Region) })
	return list, nil
}

func addCalls(sums map[uint64]*trace.CallTotals, list []trace.CallTotals) {
	for i := range list {
		c := &list[i]
		s := sums[c.Region]
		if s == nil {
			s = &trace.CallTotals{Location: trace.Undefined, Region: c.Region}
			sums[c.Region] = s
		}
		s.Count += c.Count
		s.Inclusive, s.Exclusive, s.Busy = s.Inclusive.Plus(c.Inclusive), s.Exclusive.Plus(c.Exclusive), s.Busy.Plus(c.Busy)
	}
}
