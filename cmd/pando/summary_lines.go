package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// regionSheet is a flat profile.
func regionSheet(s *summed) *sheet {
	by := newSums[uint64, callSum]()
	var all callSum
	for i := range s.Calls {
		c := &s.Calls[i]
		by.of(knownRegion(c.Region)).add(c)
		all.add(c)
	}
	r := &sheet{order: "exclusive", columns: []sheetColumn{
		count("count", "count"), duration("inclusive", "inclusive_ticks", &s.clock), percentage("share", "inclusive_share"),
		duration("exclusive", "exclusive_ticks", &s.clock), percentage("share", "exclusive_share"),
		duration("per call", "call_ticks", &s.clock), id("busy_ticks"), id("region_id"), label("region", "region"),
	}}
	line := func(sum *callSum, region any, name string) []any {
		perCall := 0.0
		if sum.count > 0 {
			perCall = sum.inclusive.Float() / float64(sum.count)
		}
		return []any{sum.count, sum.inclusive, part(sum.inclusive, all.exclusive), sum.exclusive, part(sum.exclusive, all.exclusive), perCall, sum.busy, region, name}
	}
	for i := range by.list {
		if id := by.keys[i]; id == trace.Undefined {
			r.lines = append(r.lines, line(&by.list[i], nil, "no region"))
		} else {
			r.lines = append(r.lines, line(&by.list[i], id, s.names.plain(trace.SpaceRegion, id)))
		}
	}
	r.total = line(&all, nil, "total")
	r.total[1], r.total[2], r.total[5], r.total[6] = nil, nil, nil, nil // calls within calls would count twice
	return r
}

// placeSum is what a location or a process did.
type placeSum struct {
	calls                    callSum
	sent, received           uint64
	bytesSent, bytesReceived trace.Sum
}

func (p *placeSum) send(m *trace.MessageTotals) {
	p.sent += m.Count
	p.bytesSent = p.bytesSent.Plus(m.Bytes)
}

func (p *placeSum) receive(m *trace.MessageTotals) {
	p.received += m.Count
	p.bytesReceived = p.bytesReceived.Plus(m.Bytes)
}

// placeSheet adds up calls and messages by what `of` makes of a location.
func placeSheet[K comparable](s *summed, of func(location uint64) K, key, what string, name func(K) string, number func(K) any) *sheet {
	by := newSums[K, placeSum]()
	var all placeSum
	for _, l := range s.Info().Locations { // in their order, those of which there is nothing are left out below
		by.of(of(l.ID))
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		by.of(of(c.Location)).calls.add(c)
		all.calls.add(c)
	}
	for _, m := range s.Messages {
		if s.chosen == nil || s.chosen[m.SendLocation] {
			by.of(of(m.SendLocation)).send(&m)
			all.send(&m)
		}
		if s.chosen == nil || s.chosen[m.ReceiveLocation] {
			by.of(of(m.ReceiveLocation)).receive(&m)
			all.receive(&m)
		}
	}
	r := &sheet{columns: []sheetColumn{
		count("calls", "calls"), duration("exclusive", "exclusive_ticks", &s.clock), percentage("share", "exclusive_share"),
		count("sent", "messages_sent"), bytesOf("bytes sent", "bytes_sent"),
		count("received", "messages_received"), bytesOf("bytes received", "bytes_received"), id(key + "_id"), label(what, key),
	}}
	line := func(p *placeSum, number any, name string) []any {
		return []any{p.calls.count, p.calls.exclusive, part(p.calls.exclusive, all.calls.exclusive), p.sent, p.bytesSent, p.received, p.bytesReceived, number, name}
	}
	for i := range by.list {
		if by.list[i] != (placeSum{}) {
			r.lines = append(r.lines, line(&by.list[i], number(by.keys[i]), name(by.keys[i])))
		}
	}
	r.total = line(&all, nil, "total")
	return r
}

func locationSheet(s *summed) *sheet {
	same := func(id uint64) uint64 { return id }
	return placeSheet(s, same, "location", "location", s.names.location, func(id uint64) any { return id })
}

// processOrLocation is a process, or a location that no process is known of.
type processOrLocation struct {
	id      uint64
	process bool
}

func processSheet(s *summed) *sheet {
	of := func(location uint64) processOrLocation {
		id, ok := s.names.defs.Process(location)
		return processOrLocation{id, ok}
	}
	name := func(p processOrLocation) string {
		if !p.process {
			return s.names.location(p.id)
		}
		return s.names.plain(trace.SpaceLocationGroup, p.id)
	}
	return placeSheet(s, of, "process", "process", name, func(p processOrLocation) any { return p.id })
}

func pairSheet(s *summed) *sheet {
	r := &sheet{order: "bytes", columns: []sheetColumn{
		count("messages", "count"), bytesOf("bytes", "bytes"), {head: "per message", key: "message_bytes", right: true, show: func(v any) string { return size(uint64(v.(float64))) }},
		id("from_id"), label("from", "from"), id("to_id"), label("to", "to"),
	}}
	line := func(n uint64, bytes trace.Sum, from, to any, fromName, toName string) []any {
		return []any{n, bytes, bytes.Float() / float64(max(n, 1)), from, fromName, to, toName}
	}
	var n uint64
	var bytes trace.Sum
	for _, m := range s.Messages {
		r.lines = append(r.lines, line(m.Count, m.Bytes, m.SendLocation, m.ReceiveLocation, s.names.location(m.SendLocation), s.names.location(m.ReceiveLocation)))
		n, bytes = n+m.Count, bytes.Plus(m.Bytes)
	}
	r.total = line(n, bytes, nil, nil, "total", "")
	return r
}

func collectiveSheet(s *summed) *sheet {
	type key struct{ operation, communicator uint64 }
	by := newSums[key, trace.CollectiveTotals]()
	var all trace.CollectiveTotals
	add := func(sum, c *trace.CollectiveTotals) {
		sum.Count += c.Count
		sum.Sent, sum.Received = sum.Sent.Plus(c.Sent), sum.Received.Plus(c.Received)
	}
	for i := range s.Collectives {
		c := &s.Collectives[i]
		add(by.of(key{c.Operation, c.Communicator}), c)
		add(&all, c)
	}
	r := &sheet{order: "count", columns: []sheetColumn{
		count("count", "count"), bytesOf("sent", "bytes_sent"), bytesOf("received", "bytes_received"),
		label("operation", "operation"), id("communicator_id"), label("communicator", "communicator"),
	}}
	for i := range by.list {
		k, sum := by.keys[i], &by.list[i]
		r.lines = append(r.lines, []any{sum.Count, sum.Sent, sum.Received, trace.EnumCollectiveOp.Format(k.operation),
			k.communicator, s.names.plain(trace.SpaceComm, k.communicator)})
	}
	r.total = []any{all.Count, all.Sent, all.Received, "total", nil, nil}
	return r
}

func metricSheet(s *summed) *sheet {
	value := func(head, key string) sheetColumn {
		return sheetColumn{head: head, key: key, right: true, show: func(v any) string { return v.(metricValue).String() }}
	}
	r := &sheet{columns: []sheetColumn{
		count("values", "count"), value("least", "min"), value("greatest", "max"), value("last", "last"), id("integral"),
		label("unit", "unit"), id("metric_id"), id("member"), label("counter", "counter"), id("location_id"), label("location", "location"),
	}}
	for i := range s.Metrics {
		m := &s.Metrics[i]
		name, unit := s.names.counter(m.Metric, m.Member)
		line := []any{m.Count, nil, nil, metricValue{m.Type, m.Last}, m.Integral, unit, m.Metric, m.Member, name, m.Location, s.names.location(m.Location)}
		if m.Count > 0 {
			line[1], line[2] = metricValue{m.Type, m.Min}, metricValue{m.Type, m.Max}
		}
		if m.Type.IsFloat() {
			line[4] = m.FloatIntegral
		}
		r.lines = append(r.lines, line)
	}
	slices.SortStableFunc(r.lines, func(a, b []any) int { // one counter after the other
		return cmp.Or(cmp.Compare(a[6].(uint64), b[6].(uint64)), cmp.Compare(a[7].(uint64), b[7].(uint64)))
	})
	return r
}

// metricValue is a value of a counter.
type metricValue struct {
	typ   trace.ValueType
	value uint64
}

// String returns the value as a number.
func (v metricValue) String() string { return v.typ.Format(v.value) }

// MarshalJSON returns the value as a number; JSON has none for infinity, and for what is no number.
func (v metricValue) MarshalJSON() ([]byte, error) {
	if f := v.typ.Float(v.value); math.IsInf(f, 0) || math.IsNaN(f) {
		return []byte("null"), nil
	}
	return []byte(v.String()), nil
}

// counter returns the name and the unit of a counter of a metric.
func (n *names) counter(metric, member uint64) (name, unit string) {
	members := n.defs.MetricMembers(metric)
	if member >= uint64(len(members)) {
		return n.plain(trace.SpaceMetric, metric), ""
	}
	return n.plain(trace.SpaceMetricMember, members[member]), n.defs.Strings[n.defs.Members[members[member]].Unit]
}
