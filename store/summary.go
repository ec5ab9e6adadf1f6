package store

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// Summary is what a window adds up to, exactly. Lines are ordered by location (in the order of definition), then by the other
// ids that name them. There are none for what does not occur in the window.
type Summary struct {
	Calls       []trace.CallTotals
	Messages    []trace.MessageTotals
	Collectives []trace.CollectiveTotals
	Metrics     []trace.MetricTotals
}

// SummaryPart is a part of a summary.
type SummaryPart = index.Part

// The parts of a summary.
const (
	SummaryCalls       SummaryPart = index.Calls
	SummaryMessages    SummaryPart = index.Messages
	SummaryCollectives SummaryPart = index.Collectives
	SummaryMetrics     SummaryPart = index.Metrics
)

// Summary adds up the window, or the parts of its summary that are named. It reads the slices at the window's ends, and for what lies
// between them the tables of the interval tree: it takes about the same time for windows of any length. It is about the
// window's locations and regions; messages need one end on one of the locations, and kinds do not matter.
func (w *Window) Summary(parts ...SummaryPart) (*Summary, error) {
	if w.shortest > math.MinInt64 {
		return nil, errors.New("store: there are no summaries of calls of a minimum duration")
	}
	q, err := newSummaryQuery(w, parts)
	if err != nil || q.root.Slices == 0 {
		return &Summary{}, err
	}
	lanes := w.lanes()
	for _, lane := range lanes {
		q.lanesAsked[lane] = true
	}
	found := make([]laneSums, len(lanes))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
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
	return &Summary{
		Calls:       join(found, func(s *laneSums) *lines[trace.CallTotals] { return &s.calls }),
		Messages:    join(found, func(s *laneSums) *lines[trace.MessageTotals] { return &s.messages }),
		Collectives: join(found, func(s *laneSums) *lines[trace.CollectiveTotals] { return &s.collectives }),
		Metrics:     join(found, func(s *laneSums) *lines[trace.MetricTotals] { return &s.metrics }),
	}, nil
}

// summaryQuery is one summary under way. It is safe for concurrent use.
type summaryQuery struct {
	*Reader
	w      *Window
	wanted [index.Parts]bool
	// touched are the slices that have times of the window, within those all of whose times are. If none is touched, path is
	// a slice at which to look for what goes on, else it is the same.
	touched, within, path sliceRange
	endsIn                bool // the last of the touched slices has times behind the window
	lanesAsked            map[uint32]bool
	large                 largeEnds
}

// sliceRange is the slices first to end-1.
type sliceRange struct{ first, end uint64 }

func (r sliceRange) contain(first, last uint64) bool { return first >= r.first && last < r.end }

func newSummaryQuery(w *Window, parts []SummaryPart) (*summaryQuery, error) {
	q := &summaryQuery{Reader: w.reader, w: w, lanesAsked: map[uint32]bool{}}
	for _, p := range parts {
		q.wanted[p] = true
	}
	if len(parts) == 0 {
		q.wanted = [index.Parts]bool{true, true, true, true}
	}
	q.leaveOut()
	q.loadPages(w.from, w.to, true)
	return q, q.find()
}

// leaveOut leaves out parts of which the trace has nothing.
func (q *summaryQuery) leaveOut() {
	has := func(k trace.Kind) bool {
		return slices.ContainsFunc(q.info.Kinds, func(c KindCount) bool { return c.Kind == k })
	}
	q.wanted[index.Calls] = q.wanted[index.Calls] && q.info.Calls > 0
	q.wanted[index.Messages] = q.wanted[index.Messages] && q.info.Messages > 0
	q.wanted[index.Collectives] = q.wanted[index.Collectives] && (has(trace.KindMpiCollectiveEnd) || has(trace.KindNonBlockingCollectiveComplete))
	q.wanted[index.Metrics] = q.wanted[index.Metrics] && has(trace.KindMetric)
}

// find finds the slices.
func (q *summaryQuery) find() (err error) {
	from, to := q.w.from, q.w.to
	if q.touched.first, err = q.searchSlices(func(s index.SliceEntry) bool { return s.End > from }); err != nil {
		return err
	}
	if q.touched.end, err = q.searchSlices(func(s index.SliceEntry) bool { return s.Start >= to }); err != nil {
		return err
	}
	if q.touched.end <= q.touched.first {
		q.touched.end = q.touched.first
		q.within = q.touched
		first := min(q.touched.first, max(q.root.Slices, 1)-1)
		q.path = sliceRange{first, first + 1}
		return nil
	}
	q.within, q.path = q.touched, q.touched
	first, err := q.slice(q.touched.first)
	if err != nil {
		return err
	}
	last, err := q.slice(q.touched.end - 1)
	if err != nil {
		return err
	}
	if first.Start < from {
		q.within.first++
	}
	if q.endsIn = last.End > to; q.endsIn {
		q.within.end--
	}
	q.within.end = max(q.within.first, q.within.end)
	return nil
}

// lane adds up one lane.
func (q *summaryQuery) lane(lane uint32) (s laneSums, err error) {
	if q.wanted[index.Calls] {
		if s.calls, err = q.calls(lane); err != nil {
			return s, err
		}
	}
	if q.wanted[index.Messages] {
		if s.messages, err = q.messages(lane); err != nil {
			return s, err
		}
	}
	if q.wanted[index.Collectives] {
		if s.collectives, err = q.collectives(lane); err != nil {
			return s, err
		}
	}
	if q.wanted[index.Metrics] {
		if s.metrics, err = q.metrics(lane); err != nil {
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
	var all lines[T]
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
