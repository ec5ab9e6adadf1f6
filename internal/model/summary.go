package model

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Summary is what a window adds up to, in order of locations, then of the other fields that name a line.
type Summary struct {
	Calls       []CallTotals
	Messages    []MessageTotals
	Collectives []CollectiveTotals
	Metrics     []MetricTotals
}

// CallTotals is [trace.CallTotals] with sums of any size.
type CallTotals struct {
	Location, Region, Count    uint64
	Inclusive, Exclusive, Busy *big.Int
}

// MessageTotals is [trace.MessageTotals].
type MessageTotals struct {
	SendLocation, ReceiveLocation, Count uint64
	Bytes                                *big.Int
}

// CollectiveTotals is [trace.CollectiveTotals].
type CollectiveTotals struct {
	Location, Operation, Communicator, Count uint64
	Sent, Received                           *big.Int
}

// MetricTotals is [trace.MetricTotals].
type MetricTotals struct {
	Location, Metric, Member uint64
	Type                     trace.ValueType
	Count, Min, Max, Last    uint64
	Integral                 *big.Int
	FloatIntegral            float64
	// FloatSize is the sum of the sizes of the parts of FloatIntegral: what rounding errors are small against.
	FloatSize float64
}

// Summary adds up a window. calls and messages are all those of the trace.
func (t *Trace) Summary(w *Window, calls []trace.Call, messages []trace.Message) *Summary {
	s := &Summary{Calls: t.callTotals(w, calls), Messages: t.messageTotals(w, messages)}
	_, end, _ := t.Span()
	for i := range t.Locations {
		if l := &t.Locations[i]; passes(w.Locations, l.ID) {
			s.Collectives = append(s.Collectives, collectiveTotals(w, l)...)
			s.Metrics = append(s.Metrics, metricTotals(w, l, end)...)
		}
	}
	return s
}

// order returns the place of each location.
func (t *Trace) order() map[uint64]int {
	places := map[uint64]int{}
	for i := range t.Locations {
		places[t.Locations[i].ID] = i
	}
	return places
}

func (t *Trace) callTotals(w *Window, calls []trace.Call) []CallTotals {
	inside := map[EventID]int64{} // of each call, the time in the window that no child has
	for i := range calls {
		c := &calls[i]
		inside[EventID{c.Location, c.Ordinal}] += clipped(c, w.From, w.To)
		if c.Parent != trace.Undefined {
			inside[EventID{c.Location, c.Parent}] -= clipped(c, w.From, w.To)
		}
	}
	type name struct{ location, region uint64 }
	groups := map[name][]trace.Call{}
	for _, c := range w.Calls(calls) {
		groups[name{c.Location, c.Region}] = append(groups[name{c.Location, c.Region}], c)
	}
	var all []CallTotals
	for n, group := range groups {
		sum := CallTotals{n.location, n.region, uint64(len(group)), new(big.Int), new(big.Int), big.NewInt(covered(group, w.From, w.To))}
		for i := range group {
			sum.Inclusive.Add(sum.Inclusive, big.NewInt(clipped(&group[i], w.From, w.To)))
			sum.Exclusive.Add(sum.Exclusive, big.NewInt(inside[EventID{group[i].Location, group[i].Ordinal}]))
		}
		all = append(all, sum)
	}
	order := t.order()
	slices.SortFunc(all, func(a, b CallTotals) int {
		return cmp.Or(cmp.Compare(order[a.Location], order[b.Location]), cmp.Compare(a.Region, b.Region))
	})
	return all
}

// covered returns the time in [from, to) with at least one of the calls, which are in order of their starts.
func covered(calls []trace.Call, from, to int64) (sum int64) {
	end := from // what lies before it has been counted
	for i := range calls {
		c := &calls[i]
		sum += clipped(&trace.Call{Start: max(c.Start, end), End: c.End}, from, to)
		end = max(end, c.End)
	}
	return sum
}

func (t *Trace) messageTotals(w *Window, messages []trace.Message) []MessageTotals {
	type pair struct{ send, receive uint64 }
	sums := map[pair]MessageTotals{}
	for _, m := range w.Messages(messages) {
		p := pair{m.SendLocation, m.ReceiveLocation}
		sum, ok := sums[p]
		if !ok {
			sum = MessageTotals{p.send, p.receive, 0, new(big.Int)}
		}
		sum.Count++
		sum.Bytes.Add(sum.Bytes, unsigned(m.SendLength))
		sums[p] = sum
	}
	var all []MessageTotals
	for _, sum := range sums {
		all = append(all, sum)
	}
	order := t.order()
	slices.SortFunc(all, func(a, b MessageTotals) int {
		return cmp.Or(cmp.Compare(order[a.SendLocation], order[b.SendLocation]), cmp.Compare(order[a.ReceiveLocation], order[b.ReceiveLocation]))
	})
	return all
}

func unsigned(v uint64) *big.Int { return new(big.Int).SetUint64(v) }

func collectiveTotals(w *Window, l *Location) []CollectiveTotals {
	var all []CollectiveTotals
	for _, e := range l.Events {
		if e.Kind != trace.KindMpiCollectiveEnd && e.Kind != trace.KindNonBlockingCollectiveComplete || e.Time < w.From || e.Time >= w.To {
			continue
		}
		i := slices.IndexFunc(all, func(c CollectiveTotals) bool { return c.Operation == e.Words[0] && c.Communicator == e.Words[1] })
		if i < 0 {
			i = len(all)
			all = append(all, CollectiveTotals{l.ID, e.Words[0], e.Words[1], 0, new(big.Int), new(big.Int)})
		}
		all[i].Count++
		all[i].Sent.Add(all[i].Sent, unsigned(e.Words[3]))
		all[i].Received.Add(all[i].Received, unsigned(e.Words[4]))
	}
	slices.SortFunc(all, func(a, b CollectiveTotals) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Communicator, b.Communicator))
	})
	return all
}

// counter names the values of one counter of a location.
type counter struct {
	metric, member uint64
	typ            trace.ValueType
}

// sample is a value from its time on.
type sample struct {
	from  int64
	value uint64
}

// metricTotals looks at the counters of a location; end is that of the trace.
func metricTotals(w *Window, l *Location, end int64) []MetricTotals {
	samples := map[counter][]sample{}
	for _, e := range l.Events {
		if e.Kind != trace.KindMetric {
			continue
		}
		for i := range e.Words[1] {
			c := counter{e.Words[0], i, trace.ValueType(e.Words[2+2*i])}
			samples[c] = append(samples[c], sample{e.Time, e.Words[3+2*i]})
		}
	}
	var all []MetricTotals
	for c, list := range samples {
		if list[0].from < w.To {
			all = append(all, metricTotal(w, l.ID, c, list, end))
		}
	}
	slices.SortFunc(all, func(a, b MetricTotals) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Member, b.Member), cmp.Compare(a.Type, b.Type))
	})
	return all
}

// metricTotal looks at the values of one counter, the first of which is before the window's end. The last one holds until the
// trace's end.
func metricTotal(w *Window, location uint64, c counter, list []sample, end int64) MetricTotals {
	m := MetricTotals{Location: location, Metric: c.metric, Member: c.member, Type: c.typ, Integral: new(big.Int)}
	for i, s := range list {
		if s.from >= w.To {
			break
		}
		m.Last = s.value
		if s.from >= w.From {
			if m.Count == 0 || c.typ.Compare(s.value, m.Min) < 0 {
				m.Min = s.value
			}
			if m.Count == 0 || c.typ.Compare(s.value, m.Max) > 0 {
				m.Max = s.value
			}
			m.Count++
		}
		until := end
		if i+1 < len(list) {
			until = list[i+1].from
		}
		m.hold(s.value, clipped(&trace.Call{Start: s.from, End: until}, w.From, w.To))
	}
	return m
}

// hold adds a value's part of the integral.
func (m *MetricTotals) hold(value uint64, ticks int64) {
	v := unsigned(value)
	switch {
	case ticks == 0:
		return
	case m.Type.IsFloat():
		m.FloatIntegral += m.Type.Float(value) * float64(ticks)
		m.FloatSize += math.Abs(m.Type.Float(value) * float64(ticks))
		return
	case m.Type.IsSigned():
		v = big.NewInt(int64(value))
	}
	m.Integral.Add(m.Integral, v.Mul(v, big.NewInt(ticks)))
}
