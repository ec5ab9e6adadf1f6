package store

import (
	"cmp"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// slicePoints are the collective operations and metric values of a lane that lie in a slice and the window.
type slicePoints struct {
	collectives []collectiveSum
	samples     []index.MetricRow
}

// pointRoom has memory that nobody needs any longer.
var pointRoom = sync.Pool{New: func() any { return new(points) }}

// points adds up the collective operations and metric values of a slice. What a whole slice comes to is kept, of others the
// events themselves.
func (q *summaryQuery) points(slice uint64, lane uint32) (s *slicePoints, err error) {
	ref, ok, err := q.ref(slice, blockKey{kind: format.BlockSlice, lane: lane, number: slice})
	if err != nil || !ok {
		return &slicePoints{}, err
	}
	if slice < q.within.first || slice >= q.within.end {
		all, err := cached(q.cache, cacheKey{what: cachedPointEvents, offset: ref.Offset}, func() ([]*trace.Batch, int64, error) {
			all, err := q.pointEvents(slice, lane, ref)
			return all, batchBytes(all), err
		})
		return q.addPoints(all), err
	}
	return cached(q.cache, cacheKey{what: cachedPoints, offset: ref.Offset}, func() (*slicePoints, int64, error) {
		all, err := q.pointEvents(slice, lane, ref)
		s := q.addPoints(all)
		return s, int64(88*len(s.collectives) + 136*len(s.samples) + 100), err
	})
}

// pointEvents returns the collective operations and metric values of a slice, a batch for each location that has some. Batches have
// the indices of locations.
func (r *Reader) pointEvents(slice uint64, lane uint32, ref format.Ref) (all []*trace.Batch, err error) {
	e, free, err := r.borrow(slice, lane, ref)
	if err != nil {
		return nil, err
	}
	defer free()
	for i := range e.Runs {
		if from, to := e.Span(i); !hasPoints(e, from, to) {
			continue
		}
		b, err := e.Batch(i)
		if err != nil {
			return nil, format.At(err, r.name, -1)
		}
		some := &trace.Batch{}
		some.Reset(uint64(e.Runs[i].Location))
		for j, k := range b.Kinds {
			if isPoint(k) {
				some.Append(k, b.Times[j], b.Fields(j)...)
			}
		}
		all = append(all, some)
	}
	return all, nil
}

// batchBytes is about the memory that batches take.
func batchBytes(all []*trace.Batch) (n int64) {
	for _, b := range all {
		n += int64(14*b.Len() + 8*len(b.Words) + 300)
	}
	return 100 + n
}

// addPoints adds up what lies in the window.
func (q *summaryQuery) addPoints(all []*trace.Batch) *slicePoints {
	s := &slicePoints{}
	for _, b := range all {
		if from, to := lowerBound(b.Times, q.w.from), lowerBound(b.Times, q.w.to); from < to {
			s.add(b.Location, b, from, to)
		}
	}
	return s
}

// hasPoints reports whether there is a collective operation or a metric value among some events.
func hasPoints(e *encode.Events, from, to int) bool {
	info := e.Dictionary.Info()
	return slices.ContainsFunc(e.Leaves[from:to], func(leaf uint32) bool {
		return isPoint(info[leaf].Kind)
	})
}

// add adds the events from to to-1 of a location.
func (s *slicePoints) add(location uint64, b *trace.Batch, from, to int) {
	p := pointRoom.Get().(*points)
	defer pointRoom.Put(p)
	p.reset()
	for i := from; i < to; i++ {
		p.point(b.Kinds[i], b.Times[i], b.Fields(i))
	}
	for _, c := range p.collectives {
		c.key[0] = location
		s.collectives = append(s.collectives, c)
	}
	for _, m := range p.samples {
		m.Key[0] = location
		s.samples = append(s.samples, m)
	}
}

// collectives adds up the collective operations of a lane.
func (q *summaryQuery) collectives(lane uint32) (found lines[trace.CollectiveTotals], err error) {
	cover, err := q.cover(lane, index.Collectives)
	if err != nil {
		return found, err
	}
	sums, err := q.addCollectives(lane, cover)
	return q.collectiveTotals(sums, q.laneNumbers[lane].collectives.all()), err
}

// addCollectives returns the sums by the number of the key.
func (q *summaryQuery) addCollectives(lane uint32, cover *cover) (sums []collectiveSum, err error) {
	numbers := &q.laneNumbers[lane].collectives
	of := func(n uint32) *collectiveSum {
		for uint32(len(sums)) <= n {
			sums = append(sums, collectiveSum{})
		}
		return &sums[n]
	}
	for _, r := range cover.runs {
		for i, l := range r.table.lines {
			s := of(l.number)
			s.count += r.table.sums.Sum(i, index.SumCount, r.first, r.last)
			s.sent.Add(r.table.sums.Sum(i, index.SumSent, r.first, r.last))
			s.received.Add(r.table.sums.Sum(i, index.SumReceived, r.first, r.last))
		}
	}
	for _, slice := range cover.slices {
		p, err := q.points(slice, lane)
		if err != nil {
			return nil, err
		}
		for _, c := range p.collectives {
			s := of(numbers.of(c.key))
			s.count += c.count
			s.sent, s.received = s.sent.Plus(c.sent), s.received.Plus(c.received)
		}
	}
	return sums, nil
}

func (q *summaryQuery) collectiveTotals(sums []collectiveSum, keys []index.Key) (found lines[trace.CollectiveTotals]) {
	for i := range sums {
		sums[i].key = keys[i]
	}
	slices.SortFunc(sums, func(a, b collectiveSum) int { return a.key.Compare(&b.key) })
	for _, s := range sums {
		if s.count > 0 && q.has(s.key[0]) {
			found.add(s.key[0], trace.CollectiveTotals{
				Location: q.info.Locations[s.key[0]].ID, Operation: s.key[1], Communicator: s.key[2],
				Count: s.count, Sent: s.sent, Received: s.received,
			})
		}
	}
	return found
}

// has reports whether a location is one of the window's.
func (q *summaryQuery) has(location uint64) bool {
	return q.w.locations == nil || q.w.locations[uint32(location)]
}

// samples joins the metric values of a lane in the window, by the number of the counter.
func (q *summaryQuery) samples(lane uint32) (joined []index.Samples, err error) {
	cover, err := q.cover(lane, index.Metrics)
	if err != nil {
		return nil, err
	}
	return q.joinSamples(lane, cover)
}

func (q *summaryQuery) joinSamples(lane uint32, cover *cover) (joined []index.Samples, err error) {
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
	numbers := &q.laneNumbers[lane].counters
	of := func(n uint32) *index.Samples {
		for uint32(len(joined)) <= n {
			joined = append(joined, index.Samples{})
		}
		return &joined[n]
	}
	for _, p := range parts {
		if r := p.run; r != nil {
			for i, l := range r.table.lines {
				r.table.metrics.Join(of(l.number), i, r.first, r.last)
			}
			continue
		}
		s, err := q.points(p.slice, lane)
		if err != nil {
			return nil, err
		}
		for i := range s.samples {
			row := &s.samples[i]
			of(numbers.of(row.Key)).Join(row.Key.KeyType(), &row.Samples)
		}
	}
	return joined, nil
}

// metrics looks at the counters of a lane in the window, and at what they were before.
func (q *summaryQuery) metrics(lane uint32) (found lines[trace.MetricTotals], err error) {
	var before []index.Samples
	if q.w.from > q.info.First {
		earlier, err := newSummaryQuery(q.Reader.Window(q.info.First, q.w.from), []SummaryPart{SummaryMetrics})
		if err != nil {
			return found, err
		}
		if before, err = earlier.samples(lane); err != nil {
			return found, err
		}
	}
	in, err := q.samples(lane)
	if err != nil {
		return found, err
	}
	keys := q.laneNumbers[lane].counters.all()
	all := max(len(before), len(in))
	before, in = append(before, make([]index.Samples, all-len(before))...), append(in, make([]index.Samples, all-len(in))...)
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
func (q *summaryQuery) metricTotal(k *index.Key, before, in *index.Samples) trace.MetricTotals {
	typ := k.KeyType()
	m := trace.MetricTotals{
		Location: q.info.Locations[k[0]].ID, Metric: k[1], Member: k[2], Type: typ,
		Count: in.Count, Min: in.Min, Max: in.Max, Last: in.Value,
	}
	end := min(q.w.to, q.info.Last)
	var s index.Samples
	if before.Count > 0 {
		until := end
		if in.Count > 0 {
			until = in.First
		}
		s.Hold(typ, before.Value, clip(q.w.from, until, q.w.from, end))
	}
	s.Integral, s.Float = s.Integral.Plus(in.Integral), s.Float+in.Float
	if in.Count > 0 {
		s.Hold(typ, in.Value, clip(in.Last, end, q.w.from, end))
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
