package summary

import (
	"cmp"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// slicePoints are the collective operations and metric values of a lane that lie in a slice and the window.
type slicePoints struct {
	collectives []layout.CollectiveSum
	samples     []tables.MetricRow
}

// pointRoom has memory that nobody needs any longer.
var pointRoom = sync.Pool{New: func() any { return new(layout.Points) }}

// points adds up the collective operations and metric values of a slice. What a whole slice comes to is kept, of others the
// events themselves.
func (q *SummaryQuery) points(slice uint64, lane uint32) (s *slicePoints, err error) {
	k := read.SliceKey(slice, lane)
	ref, ok, err := q.Ref(slice, k)
	if err != nil || !ok {
		return &slicePoints{}, err
	}
	if !q.within.Contain(slice, slice) {
		all, err := cache.Get(q.Cache(), k.Made(cache.PointEvents), func() ([]*trace.Batch, int64, error) {
			all, err := pointEvents(q.File, slice, lane, ref)
			return all, batchBytes(all), err
		})
		return q.addPoints(all), err
	}
	return cache.Get(q.Cache(), k.Made(cache.Points), func() (*slicePoints, int64, error) {
		s := &slicePoints{}
		err := eachPoints(q.File, slice, lane, ref, func(location uint64, b *trace.Batch, _ int) { s.add(location, b, 0, b.Len()) })
		return s, int64(88*len(s.collectives) + 136*len(s.samples) + 100), err
	})
}

// pointEvents returns the collective operations and metric values of a slice, a batch for each location that has some. Batches have
// the indices of locations.
func pointEvents(r *read.File, slice uint64, lane uint32, ref format.Ref) (all []*trace.Batch, err error) {
	err = eachPoints(r, slice, lane, ref, func(location uint64, b *trace.Batch, n int) { all = append(all, pointsOf(b, n, location)) })
	return all, err
}

// eachPoints calls a function with the locations of a slice that have collective operations and metric values, and their events. n is how many are such.
func eachPoints(r *read.File, slice uint64, lane uint32, ref format.Ref, do func(location uint64, b *trace.Batch, n int)) error {
	e, free, err := r.Borrow(slice, lane, ref)
	if err != nil {
		return err
	}
	defer free()
	for i := range e.Runs {
		from, to := e.Span(i)
		n := countPoints(e, from, to)
		if n == 0 {
			continue
		}
		b, err := e.Batch(i)
		if err != nil {
			return format.At(err, r.Name(), read.PlaceOf(ref))
		}
		do(uint64(e.Runs[i].Location), b, n)
	}
	return nil
}

// pointsOf returns the n collective operations and metric values of a batch.
func pointsOf(b *trace.Batch, n int, location uint64) *trace.Batch {
	words := 0
	for i, k := range b.Kinds {
		if layout.IsPoint(k) {
			words += int(b.Starts[i+1] - b.Starts[i])
		}
	}
	some := &trace.Batch{Location: location}
	some.Reserve(n, words)
	for i, k := range b.Kinds {
		if layout.IsPoint(k) {
			some.Append(k, b.Times[i], b.Fields(i)...)
		}
	}
	return some
}

// batchBytes is about the memory that batches take.
func batchBytes(all []*trace.Batch) (n int64) {
	for _, b := range all {
		n += int64(14*b.Len() + 8*len(b.Words) + 300)
	}
	return 100 + n
}

// addPoints adds up what lies in the window.
func (q *SummaryQuery) addPoints(all []*trace.Batch) *slicePoints {
	s := &slicePoints{}
	for _, b := range all {
		if from, to := layout.LowerBound(b.Times, q.w.From), layout.LowerBound(b.Times, q.w.To); from < to {
			s.add(b.Location, b, from, to)
		}
	}
	return s
}

// countPoints returns how many of some events are collective operations and metric values.
func countPoints(e *slice.Events, from, to int) (n int) {
	info := e.Dictionary.Info()
	for _, leaf := range e.Leaves[from:to] {
		if layout.IsPoint(info[leaf].Kind) {
			n++
		}
	}
	return n
}

// add adds those of the events from to to-1 of a location.
func (s *slicePoints) add(location uint64, b *trace.Batch, from, to int) {
	p := pointRoom.Get().(*layout.Points)
	defer pointRoom.Put(p)
	p.Reset()
	for i := from; i < to; i++ {
		if layout.IsPoint(b.Kinds[i]) {
			p.Point(b.Kinds[i], b.Times[i], b.Fields(i))
		}
	}
	for _, c := range p.Collectives {
		c.Key[0] = location
		s.collectives = append(s.collectives, c)
	}
	for _, m := range p.Samples {
		m.Key[0] = location
		s.samples = append(s.samples, m)
	}
}

// collectives adds up the collective operations of a lane.
func (q *SummaryQuery) collectives(lane uint32) (found lines[trace.CollectiveTotals], err error) {
	cover, err := q.cover(lane, tables.Collectives)
	if err != nil {
		return found, err
	}
	sums, err := q.AddCollectives(lane, cover)
	return q.collectiveTotals(sums, q.KnownLane(lane).Collectives.All()), err
}

// AddCollectives returns the sums by the number of the key.
func (q *SummaryQuery) AddCollectives(lane uint32, cover *Cover) (sums []layout.CollectiveSum, err error) {
	its, err := q.Lane(lane)
	if err != nil {
		return nil, err
	}
	numbers := &its.Collectives
	of := func(n uint32) *layout.CollectiveSum {
		for uint32(len(sums)) <= n {
			sums = append(sums, layout.CollectiveSum{})
		}
		return &sums[n]
	}
	for _, r := range cover.runs {
		for i, l := range r.table.Lines {
			s := of(l.Number)
			s.Count += r.table.Sums.Sum(i, tables.SumCount, r.first, r.last)
			s.Sent.Add(r.table.Sums.Sum(i, tables.SumSent, r.first, r.last))
			s.Received.Add(r.table.Sums.Sum(i, tables.SumReceived, r.first, r.last))
		}
	}
	for _, slice := range cover.slices {
		p, err := q.points(slice, lane)
		if err != nil {
			return nil, err
		}
		for _, c := range p.collectives {
			s := of(numbers.Of(c.Key))
			s.Count += c.Count
			s.Sent, s.Received = s.Sent.Plus(c.Sent), s.Received.Plus(c.Received)
		}
	}
	return sums, nil
}

func (q *SummaryQuery) collectiveTotals(sums []layout.CollectiveSum, keys []tables.Key) (found lines[trace.CollectiveTotals]) {
	for i := range sums {
		sums[i].Key = keys[i]
	}
	slices.SortFunc(sums, func(a, b layout.CollectiveSum) int { return a.Key.Compare(&b.Key) })
	for _, s := range sums {
		if s.Count > 0 && q.has(s.Key[0]) {
			found.add(s.Key[0], trace.CollectiveTotals{
				Location: q.LocationID(uint32(s.Key[0])), Operation: s.Key[1], Communicator: s.Key[2],
				Count: s.Count, Sent: s.Sent, Received: s.Received,
			})
		}
	}
	return found
}

// has reports whether a location is one of the window's.
func (q *SummaryQuery) has(location uint64) bool {
	return q.w.Locations == nil || q.w.Locations[uint32(location)]
}

// samples joins the metric values of a lane in the window, by the number of the counter.
func (q *SummaryQuery) samples(lane uint32) (joined []tables.Samples, err error) {
	cover, err := q.cover(lane, tables.Metrics)
	if err != nil {
		return nil, err
	}
	return q.JoinSamples(lane, cover)
}

func (q *SummaryQuery) JoinSamples(lane uint32, cover *Cover) (joined []tables.Samples, err error) {
	type part struct {
		slice uint64
		run   *tableRun // nil for a slice
	}
	var parts []part
	for i := range cover.runs {
		parts = append(parts, part{cover.runs[i].slice, &cover.runs[i]})
	}
	for _, slice := range cover.slices {
		parts = append(parts, part{slice, nil})
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.slice, b.slice) })
	its, err := q.Lane(lane)
	if err != nil {
		return nil, err
	}
	numbers := &its.Counters
	of := func(n uint32) *tables.Samples {
		for uint32(len(joined)) <= n {
			joined = append(joined, tables.Samples{})
		}
		return &joined[n]
	}
	for _, p := range parts {
		if r := p.run; r != nil {
			for i, l := range r.table.Lines {
				r.table.Metrics.Join(of(l.Number), i, r.first, r.last)
			}
			continue
		}
		s, err := q.points(p.slice, lane)
		if err != nil {
			return nil, err
		}
		for i := range s.samples {
			row := &s.samples[i]
			of(numbers.Of(row.Key)).Join(row.Key.KeyType(), &row.Samples)
		}
	}
	return joined, nil
}

// metrics looks at the counters of a lane in the window, and at what they were before.
func (q *SummaryQuery) metrics(lane uint32) (found lines[trace.MetricTotals], err error) {
	var before []tables.Samples
	if q.earlier != nil {
		if before, err = q.earlier.samples(lane); err != nil {
			return found, err
		}
	}
	in, err := q.samples(lane)
	if err != nil {
		return found, err
	}
	keys := q.KnownLane(lane).Counters.All()
	all := max(len(before), len(in))
	before, in = append(before, make([]tables.Samples, all-len(before))...), append(in, make([]tables.Samples, all-len(in))...)
	order := make([]int, all)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return keys[a].Compare(&keys[b]) })
	for _, i := range order {
		if k := &keys[i]; before[i].Count+in[i].Count > 0 && q.has(k[0]) {
			found.add(k[0], q.metricTotal(k, &before[i], &in[i]))
		}
	}
	return found, nil
}

// metricTotal puts together what a counter was before the window and in it.
func (q *SummaryQuery) metricTotal(k *tables.Key, before, in *tables.Samples) trace.MetricTotals {
	typ := k.KeyType()
	m := trace.MetricTotals{
		Location: q.LocationID(uint32(k[0])), Metric: k[1], Member: k[2], Type: typ,
		Count: in.Count, Min: in.Min, Max: in.Max, Last: in.Value,
	}
	end := min(q.w.To, q.Info().Last)
	var s tables.Samples
	if before.Count > 0 {
		until := end
		if in.Count > 0 {
			until = in.First
		}
		s.Hold(typ, before.Value, clip(q.w.From, until, q.w.From, end))
	}
	s.Integral, s.Float = s.Integral.Plus(in.Integral), s.Float+in.Float
	if in.Count > 0 {
		s.Hold(typ, in.Value, clip(in.Last, end, q.w.From, end))
	} else {
		m.Last = before.Value
	}
	m.Integral, m.FloatIntegral = s.Integral, s.Float
	return m
}

// clip returns the length of the part of an interval that lies in [from, to).
func clip(start, end, from, to int64) uint64 {
	start, end = max(start, from), min(end, to)
	if start >= end {
		return 0
	}
	return uint64(end - start)
}
