package summary

import (
	"slices"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// messageSum is a sum of messages.
type messageSum struct {
	count   uint64
	bytes   trace.Sum
	latency report.Spread
}

func (m *messageSum) add(o *messageSum) {
	m.count, m.bytes = m.count+o.count, m.bytes.Plus(o.bytes)
	m.latency.Join(&o.latency)
}

// messageColumns are the columns of sums of messages.
func messageColumns[R comparable](s *summed, of func(R) *messageSum) []column[R] {
	mean := func(r R) float64 { return of(r).bytes.Float() / float64(max(of(r).count, 1)) }
	columns := []column[R]{
		count("messages", "count", "number of messages that overlap the window", func(r R) uint64 { return of(r).count }),
		byteSum("bytes", "send_bytes", "their lengths as sent", func(r R) trace.Sum { return of(r).bytes }),
		{Column: Column{Name: "mean_bytes", Type: "number", Unit: "bytes", Doc: "send_bytes for each message"}, head: "per message", right: true, adds: true,
			value: func(r R) value { return floatValue(mean(r)) }, text: func(r R) string { return report.Size(uint64(mean(r))) }},
	}
	if !s.timed {
		return columns
	}
	return append(columns, with("times", spreadColumns(s.clock, "latency", "time from send to receive, negative where the clocks disagree", true, func(r R) *report.Spread { return &of(r).latency })...)...)
}

// spreadColumns are the sum, the least, the mean and the greatest of durations.
func spreadColumns[R comparable](c clock, name, doc string, shown bool, of func(R) *report.Spread) []column[R] {
	some := func(v func(*report.Spread) int64) func(R) (trace.Sum, bool) {
		return func(r R) (trace.Sum, bool) { return trace.SumOf(v(of(r))), of(r).Count > 0 }
	}
	head := func(text string) string {
		if !shown {
			return ""
		}
		return text
	}
	return slices.Concat(
		tickSum("", name, "sum of them: "+doc, c, func(r R) trace.Sum { return of(r).Sum }),
		spare(2, alone(tickSumOrNull(head("min time"), "min_"+name, "the least of them", c, some(func(s *report.Spread) int64 { return s.Least }), true)...)...),
		ticks(head("mean time"), "mean_"+name, "their mean", c, func(r R) (float64, bool) { return of(r).Mean(), of(r).Count > 0 }, true),
		spare(1, alone(tickSumOrNull(head("max time"), "max_"+name, "the greatest of them", c, some(func(s *report.Spread) int64 { return s.Greatest }), true)...)...),
	)
}

// pairSum is what the messages from a location to another add up to.
type pairSum struct {
	messageSum
	send, receive uint64
}

// pairRows adds up messages by the pair of their locations.
func pairRows(s *summed) (rows, error) {
	var found []report.PairSum
	if !s.none {
		var err error
		if found, err = report.PairSums(s.window, s.timed); err != nil {
			return nil, err
		}
	}
	list := make([]pairSum, len(found))
	for i := range found {
		p := &found[i]
		list[i] = pairSum{messageSum{p.Count, p.Bytes, p.Latency}, p.SendLocation, p.ReceiveLocation}
	}
	t := &rowsOf[*pairSum]{order: "send_bytes", rows: pointers(list), total: &pairSum{}}
	for i := range list {
		t.total.add(&list[i].messageSum)
	}
	t.columns = slices.Concat(messageColumns(s, func(r *pairSum) *messageSum { return &r.messageSum }),
		places(s, "from", "send_", " that sent", func(r *pairSum) uint64 { return r.send }),
		places(s, "to", "receive_", " that received", func(r *pairSum) uint64 { return r.receive }))
	return t, nil
}

// matrixCell is what the messages from a rank to another add up to.
type matrixCell struct {
	messageSum
	from, to *report.MatrixEnd
}

// matrixRows adds up messages by the pair of their ranks: for people as a map.
func matrixRows(s *summed) (rows, error) {
	m := &report.Matrix{}
	if !s.none {
		var err error
		if m, err = report.NewMatrix(s.trace, s.window, s.timed); err != nil {
			return nil, err
		}
	}
	t := &rowsOf[*matrixCell]{total: &matrixCell{}, shown: "send_bytes"}
	for i := range m.Cells {
		c := &m.Cells[i]
		t.rows = append(t.rows, &matrixCell{messageSum{c.Count, c.Bytes, c.Latency}, &m.Ends[c.From], &m.Ends[c.To]})
		t.total.add(&t.rows[i].messageSum)
	}
	t.columns = slices.Concat(messageColumns(s, func(r *matrixCell) *messageSum { return &r.messageSum }),
		endColumns(s, "from", "send_", " that sent", func(r *matrixCell) *report.MatrixEnd { return r.from }),
		endColumns(s, "to", "receive_", " that received", func(r *matrixCell) *report.MatrixEnd { return r.to }))
	measure := s.measure
	if measure == "" {
		measure = report.MeasureBytes
	}
	t.picture = func(p *paper) { m.WriteText(p, measure, p.width) }
	return t, nil
}

// endColumns are the columns of a rank of a matrix.
func endColumns[R comparable](s *summed, head, prefix, does string, of func(R) *report.MatrixEnd) []column[R] {
	n, first := s.names, func(r R) uint64 { return of(r).Location }
	location := id(prefix+"location", "id of the location"+does+", the first one of the rank", first)
	location.Null = false
	return []column[R]{
		location,
		named(head, prefix+"location_name", "its name", func(r R) *string { return n.Optional(trace.SpaceLocation, first(r)) }, func(r R) string { return s.placed(of(r).Label, first(r)) }),
		number(prefix+"rank", "the MPI rank, with all its threads; null for a location that has none", func(r R) (int64, bool) { return of(r).Rank, of(r).Rank >= 0 }),
		coordinateColumn(s, prefix, first),
	}
}
