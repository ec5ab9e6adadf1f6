package content

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// messageRow is a message with its two locations.
type messageRow struct {
	*trace.Message
	from, to *table.Place
}

var _ = table.Declare(20, func() *table.Table {
	return table.FromParts(table.Schema{
		Name:      "messages",
		Doc:       "One row for each send matched with its receive, in order of the earlier of the two. In a window, the messages that overlap it.",
		Partition: table.Partitioning{Group: "send_process", Times: []string{"send_ns", "receive_ns"}, Ends: true},
	}, slices.Concat(
		[]table.ColumnOf[messageRow]{
			table.Number("send_event", "", "number of the send, as `event` in the table of events",
				func(_ *table.Catalog, r *messageRow) int64 { return r.from.Event(r.SendOrdinal) }).As(table.Grows),
			table.Number("receive_event", "", "number of the receive",
				func(_ *table.Catalog, r *messageRow) int64 { return r.to.Event(r.ReceiveOrdinal) }).As(table.Grows),
		},
		table.PlaceColumns("send_", " that sent", func(r *messageRow) *table.Place { return r.from }),
		table.PlaceColumns("receive_", " that received", func(r *messageRow) *table.Place { return r.to }),
		table.Instant("send_", "when the message was sent, since the trace's first event", func(r *messageRow) int64 { return r.SendTime }),
		table.Instant("receive_", "when it was received", func(r *messageRow) int64 { return r.ReceiveTime }),
		table.Duration("latency_", "receive less send; negative where the clocks of the two disagree",
			func(r *messageRow) int64 { return r.ReceiveTime - r.SendTime }),
		[]table.ColumnOf[messageRow]{
			table.Number("tag", "", "message tag", func(_ *table.Catalog, r *messageRow) int64 { return int64(r.Tag) }).As(table.Repeats),
			table.NumberOrNull("communicator", "", "id of the communicator as the sender names it",
				func(_ *table.Catalog, r *messageRow) (int64, bool) { return table.Reference(r.Communicator) }).As(table.Repeats),
			table.Named("communicator_name", "its name",
				func(x *table.Catalog) *table.Names { return &x.Comms.Names }, func(x *table.Catalog, r *messageRow) int32 { return x.Comms.Of(r.Communicator) }),
			table.Number("send_bytes", "bytes", "length as the send says", func(_ *table.Catalog, r *messageRow) int64 { return int64(r.SendLength) }).As(table.Repeats),
			table.Number("receive_bytes", "bytes", "length as the receive says", func(_ *table.Catalog, r *messageRow) int64 { return int64(r.ReceiveLength) }).As(table.Repeats),
		},
	), store.PartMessages, messageRows)
})

func messageRows(x *table.Catalog, p *store.Part, rows *table.Filler[messageRow]) error {
	messages, err := p.Messages()
	for i := range messages {
		m := &messages[i]
		rows.Add(messageRow{m, x.Place(m.SendLocation), x.Place(m.ReceiveLocation)})
	}
	return err
}
