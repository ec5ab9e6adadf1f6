package trace

// Call is one enter and leave of a region on a location.
type Call struct {
	// Location is the location's id.
	Location uint64
	// Region is the region's id; for a call of a calling context, the region that the context's definition names (Undefined if the
	// context is not defined).
	Region uint64
	// Context is the id of the calling context, Undefined for plain calls.
	Context uint64
	// Start and End are the times of enter and leave, in ticks. The end of an open call is the trace's last time.
	Start, End int64
	// Exclusive is the duration less that of the direct children, in ticks.
	Exclusive int64
	// Children is the number of direct children.
	Children uint64
	// Depth is the number of calls that enclose this one.
	Depth int
	// Ordinal is the number of the enter among the location's events, from 0. With Location it identifies the call.
	Ordinal uint64
	// EndOrdinal is the number of the event that ended the call; for an open call, the number of the location's events.
	EndOrdinal uint64
	// Parent is the Ordinal of the enclosing call, Undefined at depth 0.
	Parent uint64
	Flags  CallFlags
}

// CallFlags mark calls that did not end by their own leave.
type CallFlags uint8

// The numbers of flags are part of the file format.
const (
	// CallOpen marks a call that was never left: it lasts to the trace's end.
	CallOpen CallFlags = 1
	// CallCut marks a call that ended because one further out was left.
	CallCut CallFlags = 2
)

// Duration returns End-Start, in ticks.
func (c *Call) Duration() int64 { return c.End - c.Start }

// Overlaps reports whether the call is in the window [from, to): it starts before `to` and ends after `from`. Its end is no part of
// it, so that one that is left at `from` is not in the window, with two exceptions: the only time of a call without length is its own,
// and a call that was never left is still open at its end, which is the trace's last time.
func (c *Call) Overlaps(from, to int64) bool {
	return c.Start < to && (c.End > from || c.End == from && (c.Start == c.End || c.Flags&CallOpen != 0))
}

// Message is a send matched with its receive.
type Message struct {
	SendLocation, ReceiveLocation uint64
	// SendTime and ReceiveTime are in ticks. With unsynchronised clocks the receive may come before the send.
	SendTime, ReceiveTime int64
	// Communicator is the id of the communicator as the sender names it.
	Communicator uint64
	Tag          uint64
	// SendLength and ReceiveLength are the bytes sent and received; a receive longer than its send is suspicious.
	SendLength, ReceiveLength uint64
	// SendOrdinal and ReceiveOrdinal are the numbers of the two events among their location's events.
	SendOrdinal, ReceiveOrdinal uint64
}

// Span returns the message's earlier and later time.
func (m *Message) Span() (from, to int64) {
	return min(m.SendTime, m.ReceiveTime), max(m.SendTime, m.ReceiveTime)
}

// Overlaps reports whether the message is in the window [from, to), by the rule of [Call.Overlaps]: one without length has its only
// time, of others the later end is no part.
func (m *Message) Overlaps(from, to int64) bool {
	a, b := m.Span()
	return a < to && (b > from || a == b && a >= from)
}
