package summary

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// SummaryPart is a part of a summary.
type SummaryPart = tables.Part

// The parts of a summary.
const (
	SummaryCalls       SummaryPart = tables.Calls
	SummaryMessages    SummaryPart = tables.Messages
	SummaryCollectives SummaryPart = tables.Collectives
	SummaryMetrics     SummaryPart = tables.Metrics
)

// Summarize adds up the window, or the parts of its summary that are named. It reads the slices at the window's ends, and for what lies
// between them the tables of the interval tree: it takes about the same time for windows of any length. It is about the
// window's locations and regions; messages need one end on one of the locations, and kinds do not matter.
func Summarize(w *query.Window, parts ...SummaryPart) (*trace.Summary, error) {
	if w.Shortest > math.MinInt64 {
		return nil, layout.Invalidf("store: there are no summaries of calls of a minimum duration")
	}
	q, err := newSummaryQuery(w, parts)
	if err != nil || q.Root().Slices == 0 {
		return &trace.Summary{}, err
	}
	lanes, err := q.askedLanes()
	if err != nil {
		return nil, err
	}
	if q.Far {
		q.fetch(lanes)
	}
	found := make([]laneSums, len(lanes))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	if len(lanes) > 1 && q.wanted[tables.Messages] {
		group.Go(q.pairEnds) // which all lanes wait for
	}
	for i, lane := range lanes {
		do := func() (err error) {
			found[i], err = q.lane(lane)
			return err
		}
		if len(lanes) > 1 {
			group.Go(do)
		} else if err := do(); err != nil { // to wake a goroutine takes about as long as a short summary
			return nil, err
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &trace.Summary{
		Calls:       join(found, func(s *laneSums) *lines[trace.CallTotals] { return &s.calls }),
		Messages:    join(found, func(s *laneSums) *lines[trace.MessageTotals] { return &s.messages }),
		Collectives: join(found, func(s *laneSums) *lines[trace.CollectiveTotals] { return &s.collectives }),
		Metrics:     join(found, func(s *laneSums) *lines[trace.MetricTotals] { return &s.metrics }),
	}, nil
}

// SummaryQuery is one summary under way. It is safe for concurrent use.
type SummaryQuery struct {
	*read.File
	w      *query.Window
	wanted [tables.Parts]bool
	// touched are the slices that have times of the window, within those all of whose times are. If none is touched, path is
	// the slice whose open calls cover the window, else it is the same.
	touched, within, path read.SliceRange
	endsIn                bool // the last of the touched slices has times behind the window
	lanesAsked            map[uint32]bool
	ends                  endMessages
	earlier               *SummaryQuery // about counters up to the window; nil if they are not wanted, or nothing is before
}

func newSummaryQuery(w *query.Window, parts []SummaryPart) (*SummaryQuery, error) {
	q := &SummaryQuery{File: w.Reader, w: w, lanesAsked: map[uint32]bool{}}
	for _, p := range parts {
		q.wanted[p] = true
	}
	if len(parts) == 0 {
		q.wanted = [tables.Parts]bool{true, true, true, true}
	}
	q.leaveOut()
	q.loadEdgePages()
	if q.wanted[tables.Metrics] && w.From > q.Info().First {
		var err error
		if q.earlier, err = newSummaryQuery(query.NewWindow(w.Reader, q.Info().First, w.From), []SummaryPart{SummaryMetrics}); err != nil {
			return nil, err
		}
	}
	return q, q.find()
}

// askedLanes returns the lanes of the window. All of their locations are known from here on; of messages, those of their partners, too.
func (q *SummaryQuery) askedLanes() ([]uint32, error) {
	lanes, err := q.w.Lanes()
	if err == nil && q.wanted[tables.Messages] {
		err = q.NeedLocations()
	}
	for _, lane := range lanes {
		q.lanesAsked[lane] = true
		if err == nil {
			_, err = q.Lane(lane)
		}
	}
	return lanes, err
}

// leaveOut leaves out parts of which the trace has nothing.
func (q *SummaryQuery) leaveOut() {
	has := func(k trace.Kind) bool {
		return slices.ContainsFunc(q.Info().Kinds, func(c index.KindCount) bool { return c.Kind == k })
	}
	q.wanted[tables.Calls] = q.wanted[tables.Calls] && q.Info().Calls > 0
	q.wanted[tables.Messages] = q.wanted[tables.Messages] && q.Info().Messages > 0
	q.wanted[tables.Collectives] = q.wanted[tables.Collectives] && (has(trace.KindMpiCollectiveEnd) || has(trace.KindNonBlockingCollectiveComplete))
	q.wanted[tables.Metrics] = q.wanted[tables.Metrics] && has(trace.KindMetric)
}

// find finds the slices.
func (q *SummaryQuery) find() (err error) {
	from, to := q.w.From, q.w.To
	if q.touched.First, err = q.SearchSlices(func(s index.SliceEntry) bool { return s.End > from }); err != nil {
		return err
	}
	if q.touched.End, err = q.SearchSlices(func(s index.SliceEntry) bool { return s.Start >= to }); err != nil {
		return err
	}
	if q.touched.End <= q.touched.First {
		q.touched.End = q.touched.First
		q.within = q.touched
		first := min(q.touched.First, max(q.Root().Slices, 1)-1)
		q.path = read.SliceRange{First: first, End: first + 1}
		return nil
	}
	q.within, q.path = q.touched, q.touched
	first, err := q.Slice(q.touched.First)
	if err != nil {
		return err
	}
	last, err := q.Slice(q.touched.End - 1)
	if err != nil {
		return err
	}
	if first.Start < from {
		q.within.First++
	}
	if q.endsIn = last.End > to; q.endsIn {
		q.within.End--
	}
	q.within.End = max(q.within.First, q.within.End)
	return nil
}

// lane adds up one lane.
func (q *SummaryQuery) lane(lane uint32) (s laneSums, err error) {
	if q.wanted[tables.Calls] {
		if s.calls, err = q.calls(lane); err != nil {
			return s, err
		}
	}
	if q.wanted[tables.Collectives] {
		if s.collectives, err = q.collectives(lane); err != nil {
			return s, err
		}
	}
	if q.wanted[tables.Metrics] {
		if s.metrics, err = q.metrics(lane); err != nil {
			return s, err
		}
	}
	if q.wanted[tables.Messages] { // the last ones: the slices at the window's ends are paired meanwhile
		if s.messages, err = q.messages(lane); err != nil {
			return s, err
		}
	}
	return s, nil
}

// laneSums is what a lane adds up to.
type laneSums struct {
	calls       lines[trace.CallTotals]
	messages    lines[trace.MessageTotals]
	collectives lines[trace.CollectiveTotals]
	metrics     lines[trace.MetricTotals]
}

// lines are lines of a summary in order. at is the location of each, by index; of messages, 2^32 times that of the send plus that of
// the receive.
type lines[T any] struct {
	list []T
	at   []uint64
}

func (l *lines[T]) grow(n int) { l.list, l.at = slices.Grow(l.list, n), slices.Grow(l.at, n) }

func (l *lines[T]) add(at uint64, line T) { l.list, l.at = append(l.list, line), append(l.at, at) }

// join puts the lines of lanes in order.
func join[T any](lanes []laneSums, of func(*laneSums) *lines[T]) []T {
	if len(lanes) == 1 {
		return of(&lanes[0]).list
	}
	n := 0
	for i := range lanes {
		n += len(of(&lanes[i]).list)
	}
	var all lines[T]
	all.grow(n)
	sorted := true
	for i := range lanes {
		l := of(&lanes[i])
		if n := len(all.at); n > 0 && len(l.at) > 0 {
			sorted = sorted && all.at[n-1] <= l.at[0]
		}
		all.list, all.at = append(all.list, l.list...), append(all.at, l.at...)
	}
	if sorted {
		return all.list
	}
	order := make([]int, len(all.at))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all.at[a], all.at[b]) })
	list := make([]T, len(order))
	for i, from := range order {
		list[i] = all.list[from]
	}
	return list
}
