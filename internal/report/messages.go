package report

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/pandotrace/pando/internal/report/jsonline"
	"github.com/pandotrace/pando/trace"
)

const (
	bytesWidth = 10
	tagWidth   = 6
)

func (p *itemPrinter) messageHeader() string {
	return padLeft("SENT [s]", p.trace.clock.width) + "  " + padLeft("TOOK", durationWidth) + "  " +
		padRight("FROM", p.places.width) + "  " + padRight("TO", p.places.width) + padLeft("BYTES", bytesWidth) + padLeft("TAG", tagWidth) +
		"  COMMUNICATOR"
}

// message appends the line of a message.
func (p *itemPrinter) message(dst []byte, m *trace.Message) []byte {
	if p.json != nil {
		return p.json.message(dst, m)
	}
	return p.messageText(dst, m)
}

func (p *itemPrinter) messageText(dst []byte, m *trace.Message) []byte {
	c := &p.trace.clock
	dst = append(c.padded(dst, m.SendTime), "  "...)
	dst = alignRight(appendDuration(dst, c.Seconds(m.ReceiveTime-m.SendTime)), len(dst), durationWidth)
	dst = append(append(dst, "  "...), p.places.label(m.SendLocation)...)
	dst = append(append(dst, "  "...), p.places.label(m.ReceiveLocation)...)
	dst = alignRight(append(dst, Grouped(m.SendLength)...), len(dst), bytesWidth)
	dst = alignRight(strconv.AppendUint(dst, m.Tag, 10), len(dst), tagWidth)
	dst = append(append(dst, "  "...), p.trace.names.shown.get(trace.SpaceComm, m.Communicator)...)
	if m.ReceiveLength != m.SendLength {
		dst = append(append(append(dst, "  ("...), Grouped(m.ReceiveLength)...), " received)"...)
	}
	return append(dst, '\n')
}

// message appends a message as JSON.
func (l *jsonLines) message(dst []byte, m *trace.Message) []byte {
	number := func(key string, v int64) {
		dst = strconv.AppendInt(append(append(append(dst, `,"`...), key...), `":`...), v, 10)
	}
	dst = l.place(append(dst, `{"type":"message",`...), "send_", m.SendLocation)
	dst = l.place(append(dst, ','), "receive_", m.ReceiveLocation)
	dst = l.times(dst, "send_", m.SendTime-l.clock.First())
	dst = l.times(dst, "receive_", m.ReceiveTime-l.clock.First())
	dst = l.times(dst, "latency_", m.ReceiveTime-m.SendTime)
	dst = l.reference(dst, "communicator", trace.SpaceComm, m.Communicator)
	dst = strconv.AppendUint(append(dst, `,"tag":`...), m.Tag, 10)
	dst = strconv.AppendUint(append(dst, `,"send_bytes":`...), m.SendLength, 10)
	dst = strconv.AppendUint(append(dst, `,"receive_bytes":`...), m.ReceiveLength, 10)
	number("send_ordinal", int64(m.SendOrdinal))
	number("receive_ordinal", int64(m.ReceiveOrdinal))
	return append(dst, "}\n"...)
}

// Pairs writes a section of pairs of events of a family.
func (l *Listing) Pairs(family trace.PairFamily, pairs iter.Seq2[trace.EventPair, error]) error {
	p := newItemPrinter(l.trace, l.lines())
	start := func(m *trace.EventPair) int64 { return m.Open.Time }
	return list(l, section{"pairs of " + family.String(), p.pairHeader(), pairMembers}, pairs, start, p.pair)
}

func pairMembers() []string { return jsonline.Names(sample().pair(nil, &trace.EventPair{})) }

// kindWidth is the width of the column of kinds.
const kindWidth = 24

func (p *itemPrinter) pairHeader() string {
	return padLeft("OPENED [s]", p.trace.clock.width) + "  " + padLeft("TOOK", durationWidth) + "  " + padRight("BY", kindWidth) + "  " +
		padRight("ON", p.places.width) + "  " + padRight("CLOSED BY", kindWidth) + "  ON"
}

// pair appends the line of a pair of events.
func (p *itemPrinter) pair(dst []byte, m *trace.EventPair) []byte {
	if p.json != nil {
		return p.json.pair(dst, m)
	}
	c, table := &p.trace.clock, p.trace.Meta().Table()
	dst = append(c.padded(dst, m.Open.Time), "  "...)
	dst = alignRight(appendDuration(dst, c.Seconds(m.Close.Time-m.Open.Time)), len(dst), durationWidth)
	dst = append(append(dst, "  "...), padRight(kindName(table, m.Open.Kind), kindWidth)...)
	dst = append(append(dst, "  "...), p.places.label(m.Open.Location)...)
	if m.IsOpen() {
		return append(dst, "  never closed\n"...)
	}
	dst = append(append(dst, "  "...), padRight(kindName(table, m.Close.Kind), kindWidth)...)
	dst = append(append(dst, "  "...), bytes.TrimRight([]byte(p.places.label(m.Close.Location)), " ")...)
	return append(dst, '\n')
}

// kindName returns the name of a kind, or its number if the table does not have it.
func kindName(table *trace.Table, k trace.Kind) string {
	if spec := table.Spec(k); spec != nil {
		return spec.Name
	}
	return strconv.Itoa(int(k))
}

// pair appends a pair of events as JSON. What is never closed has null for the kind and the ordinal of the event that closes it.
func (l *jsonLines) pair(dst []byte, m *trace.EventPair) []byte {
	dst = append(append(append(dst, `{"type":"pair","family":"`...), m.Family.String()...), `",`...)
	dst = l.place(dst, "open_", m.Open.Location)
	dst = l.place(append(dst, ','), "close_", m.Close.Location)
	dst = l.times(dst, "open_", m.Open.Time-l.clock.First())
	dst = l.times(dst, "close_", m.Close.Time-l.clock.First())
	dst = l.times(dst, "duration_", m.Close.Time-m.Open.Time)
	dst = l.pairEnd(dst, "open", &m.Open, true)
	return append(l.pairEnd(dst, "close", &m.Close, !m.IsOpen()), "}\n"...)
}

func (l *jsonLines) pairEnd(dst []byte, name string, e *trace.PairEnd, there bool) []byte {
	dst = append(append(append(dst, `,"`...), name...), `_kind":`...)
	if there {
		dst = append(dst, jsonString(kindName(l.layouts.table, e.Kind))...)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(append(append(dst, `,"`...), name...), `_ordinal":`...)
	if !there {
		return append(dst, "null"...)
	}
	return strconv.AppendUint(dst, e.Ordinal, 10)
}
