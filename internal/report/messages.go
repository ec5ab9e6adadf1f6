package report

import (
	"strconv"

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
