package report

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// pairRows adds up messages by the pair of their locations.
func pairRows(s *summed) rows {
	type row = trace.MessageTotals
	t := &rowsOf[row]{order: "send_bytes", rows: s.Messages, total: &row{}}
	mean := func(r *row) float64 { return r.Bytes.Float() / float64(max(r.Count, 1)) }
	t.columns = []column[row]{
		count("messages", "count", "number of messages that overlap the window", func(r *row) uint64 { return r.Count }),
		byteSum("bytes", "send_bytes", "their lengths as sent", func(r *row) trace.Sum { return r.Bytes }),
		{Column: Column{Name: "mean_bytes", Type: "number", Unit: "bytes", Doc: "send_bytes for each message"}, head: "per message", right: true, adds: true,
			value: func(r *row) value { return floatValue(mean(r)) }, text: func(r *row) string { return Size(uint64(mean(r))) }},
	}
	t.columns = append(t.columns, locationColumns("from", "send_location", " that sent", s.names, func(r *row) uint64 { return r.SendLocation })...)
	t.columns = append(t.columns, locationColumns("to", "receive_location", " that received", s.names, func(r *row) uint64 { return r.ReceiveLocation })...)
	for i := range s.Messages {
		t.total.Count += s.Messages[i].Count
		t.total.Bytes = t.total.Bytes.Plus(s.Messages[i].Bytes)
	}
	return t
}

// collectiveRows adds up collective operations by their kind and communicator.
func collectiveRows(s *summed) rows {
	type key struct{ operation, communicator uint64 }
	type row = trace.CollectiveTotals
	by := newSums(0, func(k key) row { return row{Operation: k.operation, Communicator: k.communicator} })
	all := &row{}
	add := func(sum, c *row) {
		sum.Count += c.Count
		sum.Sent, sum.Received = sum.Sent.Plus(c.Sent), sum.Received.Plus(c.Received)
	}
	for i := range s.Collectives {
		c := &s.Collectives[i]
		add(by.of(key{c.Operation, c.Communicator}), c)
		add(all, c)
	}
	operation := func(r *row) string { return trace.EnumCollectiveOp.Format(r.Operation) }
	return &rowsOf[row]{order: "count", rows: by.list, total: all, columns: []column[row]{
		count("count", "count", "number of operations that end in the window, each counted on every location", func(r *row) uint64 { return r.Count }),
		byteSum("sent", "sent_bytes", "bytes that the locations say to have sent", func(r *row) trace.Sum { return r.Sent }),
		byteSum("received", "received_bytes", "bytes that they say to have received", func(r *row) trace.Sum { return r.Received }),
		{Column: Column{Name: "operation", Type: "string", Doc: "BARRIER, ALLREDUCE, ...; a number if it has no name"}, head: "operation",
			value: func(r *row) value { return textValue(operation(r)) }, text: func(r *row) string { return cell(operation(r)) }},
		id("communicator", "id of the communicator", func(r *row) uint64 { return r.Communicator }),
		named("communicator", "communicator_name", "its name", func(r *row) *string { return s.names.jsonName(trace.SpaceComm, r.Communicator) },
			func(r *row) string { return s.names.plain(trace.SpaceComm, r.Communicator) }),
	}}
}

// metricRows lists the values of counters, one counter after the other.
func metricRows(s *summed) rows {
	type row = trace.MetricTotals
	slices.SortStableFunc(s.Metrics, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Member, b.Member))
	})
	in := func(head, name, doc string, v func(*row) value) column[row] {
		return column[row]{Column: Column{Name: name, Type: "number", Unit: "as unit says", Null: true, Doc: doc}, head: head, right: true, value: v,
			text: func(r *row) string { x := v(r); return string(x.appendText(nil)) }}
	}
	some := func(word func(*row) uint64) func(*row) value {
		return func(r *row) value {
			if r.Count == 0 {
				return value{}
			}
			return metricOf(r.Type, word(r))
		}
	}
	return &rowsOf[row]{rows: s.Metrics, columns: append([]column[row]{
		count("values", "count", "number of values in the window", func(r *row) uint64 { return r.Count }),
		in("least", "min", "the least of them; null if there are none", some(func(r *row) uint64 { return r.Min })),
		in("greatest", "max", "the greatest of them", some(func(r *row) uint64 { return r.Max })),
		in("last", "last", "the value at the window's last instant", func(r *row) value { return metricOf(r.Type, r.Last) }),
		{Column: Column{Name: "integral", Type: "number", Unit: "unit times ticks", Doc: "integral of the value over the window"}, value: func(r *row) value {
			if r.Type.IsFloat() {
				return floatValue(r.FloatIntegral)
			}
			return sumValue(r.Integral)
		}},
		{Column: Column{Name: "unit", Type: "string", Doc: "unit of the values; empty if it has none"}, head: "unit", value: func(r *row) value { return textValue(s.names.unit(r)) },
			text: func(r *row) string { return cell(s.names.unit(r)) }},
		id("metric", "id of the metric class or instance", func(r *row) uint64 { return r.Metric }),
		{Column: Column{Name: "position", Type: "integer", Doc: "place of the value among those of its events, from 0"}, value: func(r *row) value { return countValue(r.Member) }},
		id("member", "id of the metric member", func(r *row) uint64 { return s.names.member(r) }),
		named("counter", "member_name", "its name", func(r *row) *string { return s.names.jsonName(trace.SpaceMetricMember, s.names.member(r)) }, s.names.counter),
	}, locationColumns("location", "location", "", s.names, func(r *row) uint64 { return r.Location })...)}
}

// member returns the id of the member of a metric that values are of, undefined if it is not known.
func (n *names) member(m *trace.MetricTotals) uint64 {
	if members := n.defs.MetricMembers(m.Metric); m.Member < uint64(len(members)) {
		return members[m.Member]
	}
	return trace.Undefined
}

// counter returns the text for a counter.
func (n *names) counter(m *trace.MetricTotals) string {
	if id := n.member(m); !undefined(id) {
		return n.plain(trace.SpaceMetricMember, id)
	}
	return n.plain(trace.SpaceMetric, m.Metric)
}

// unit returns the unit of a counter, "" if it has none.
func (n *names) unit(m *trace.MetricTotals) string {
	if id := n.member(m); !undefined(id) {
		return n.defs.Strings[n.defs.Members[id].Unit]
	}
	return ""
}
