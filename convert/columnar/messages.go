package columnar

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// messageRow is a message with its two locations.
type messageRow struct {
	*trace.Message
	from, to *place
}

var _ = declare(20, func() *source {
	return partTable(Table{
		Name:      "messages",
		Doc:       "One row for each send matched with its receive, in order of the earlier of the two. In a window, the messages that overlap it.",
		partition: partitioned{group: "send_process", times: []string{"send_ns", "receive_ns"}, ends: true},
	}, slices.Concat(
		[]column[messageRow]{
			number("send_event", "", "number of the send, as `event` in the table of events",
				func(_ *catalog, r *messageRow) int64 { return r.from.event(r.SendOrdinal) }).like(grows),
			number("receive_event", "", "number of the receive",
				func(_ *catalog, r *messageRow) int64 { return r.to.event(r.ReceiveOrdinal) }).like(grows),
		},
		placeColumns("send_", " that sent", func(r *messageRow) *place { return r.from }),
		placeColumns("receive_", " that received", func(r *messageRow) *place { return r.to }),
		instant("send_", "when the message was sent, since the trace's first event", func(r *messageRow) int64 { return r.SendTime }),
		instant("receive_", "when it was received", func(r *messageRow) int64 { return r.ReceiveTime }),
		duration("latency_", "receive less send; negative where the clocks of the two disagree",
			func(r *messageRow) int64 { return r.ReceiveTime - r.SendTime }),
		[]column[messageRow]{
			number("tag", "", "message tag", func(_ *catalog, r *messageRow) int64 { return int64(r.Tag) }).like(repeats),
			numberOrNull("communicator", "", "id of the communicator as the sender names it",
				func(_ *catalog, r *messageRow) (int64, bool) { return reference(r.Communicator) }).like(repeats),
			named("communicator_name", "its name",
				func(x *catalog) *names { return &x.comms.names }, func(x *catalog, r *messageRow) int32 { return x.comms.of(r.Communicator) }),
			number("send_bytes", "bytes", "length as the send says", func(_ *catalog, r *messageRow) int64 { return int64(r.SendLength) }).like(repeats),
			number("receive_bytes", "bytes", "length as the receive says", func(_ *catalog, r *messageRow) int64 { return int64(r.ReceiveLength) }).like(repeats),
		},
	), store.PartMessages, messageRows)
})

func messageRows(x *catalog, p *store.Part, rows *filler[messageRow]) error {
	messages, err := p.Messages()
	for i := range messages {
		m := &messages[i]
		rows.add(messageRow{m, x.place(m.SendLocation), x.place(m.ReceiveLocation)})
	}
	return err
}
