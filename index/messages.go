package index

import (
	"cmp"

	"github.com/pandotrace/pando/format"
)

// End is one end of a message.
type End struct {
	// Location is the location's index in the trace.
	Location uint32
	Ordinal  uint64
	Slice    uint64
	Time     int64
	Length   uint64
}

// Message is a message whose ends lie in different slices (or were found to belong together late).
type Message struct {
	Send, Receive     End
	Communicator, Tag uint64
}

// compare orders messages by their receives: by location, then by ordinal.
func (m *Message) compare(o *Message) int {
	return cmp.Or(cmp.Compare(m.Receive.Location, o.Receive.Location), cmp.Compare(m.Receive.Ordinal, o.Receive.Ordinal))
}

// messageFields are the fields of a spanning message in a block, each a uvarint. "against" is the difference, modulo 2^64 and
// zigzag-coded, to the same field of the item before.
//
//	send location, against
//	receive location, against
//	communicator, against
//	tag, against
//	send length, against
//	zigzag of receive length - send length
//	send slice, against
//	zigzag of receive slice - send slice
//	send ordinal, against
//	receive ordinal, against
//	send time, against
//	zigzag of receive time - send time
var messageFields = []itemField[Message]{
	against(func(m *Message) uint64 { return uint64(m.Send.Location) }, func(m *Message, v uint64) { m.Send.Location = uint32(v) }),
	against(func(m *Message) uint64 { return uint64(m.Receive.Location) }, func(m *Message, v uint64) { m.Receive.Location = uint32(v) }),
	against(func(m *Message) uint64 { return m.Communicator }, func(m *Message, v uint64) { m.Communicator = v }),
	against(func(m *Message) uint64 { return m.Tag }, func(m *Message, v uint64) { m.Tag = v }),
	against(func(m *Message) uint64 { return m.Send.Length }, func(m *Message, v uint64) { m.Send.Length = v }),
	within(func(m *Message) (*uint64, uint64) { return &m.Receive.Length, m.Send.Length }),
	against(func(m *Message) uint64 { return m.Send.Slice }, func(m *Message, v uint64) { m.Send.Slice = v }),
	within(func(m *Message) (*uint64, uint64) { return &m.Receive.Slice, m.Send.Slice }),
	against(func(m *Message) uint64 { return m.Send.Ordinal }, func(m *Message, v uint64) { m.Send.Ordinal = v }),
	against(func(m *Message) uint64 { return m.Receive.Ordinal }, func(m *Message, v uint64) { m.Receive.Ordinal = v }),
	against(func(m *Message) uint64 { return uint64(m.Send.Time) }, func(m *Message, v uint64) { m.Send.Time = int64(v) }),
	plain(func(m *Message) uint64 { return format.Zigzag(m.Receive.Time - m.Send.Time) },
		func(m *Message, v uint64) { m.Receive.Time = m.Send.Time + format.Unzigzag(v) }),
}

// within is a field coded as the difference to another field of the same item.
func within(f func(*Message) (field *uint64, base uint64)) itemField[Message] {
	return plain(
		func(m *Message) uint64 { field, base := f(m); return format.Zigzag(int64(*field - base)) },
		func(m *Message, v uint64) { field, base := f(m); *field = base + uint64(format.Unzigzag(v)) },
	)
}

func (t Tree) messageBlock() *itemBlock[Message] {
	return &itemBlock[Message]{
		section: "messages block", tree: t, fields: messageFields, compare: (*Message).compare,
		span: func(m *Message) (uint64, uint64) {
			return min(m.Send.Slice, m.Receive.Slice), max(m.Send.Slice, m.Receive.Slice)
		},
	}
}

// AppendMessages appends a block of the spanning messages of one node, all of which lie in it. It sorts them.
func (t Tree) AppendMessages(dst []byte, n Node, messages []Message) []byte {
	return t.messageBlock().append(dst, n, 0, messages)
}

// ReadMessages returns those messages of a block that may overlap the slices first to last, and the node they belong to.
func (t Tree) ReadMessages(b []byte, first, last uint64) (Node, []Message, error) {
	n, _, messages, err := t.messageBlock().read(b, first, last)
	return n, messages, err
}
