package trace

import "slices"

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

// CallBatch is calls as columns: entry i of each column is of call i, with the meaning of the field of [Call] of about the same name. A
// column that was not asked for is empty.
type CallBatch struct {
	Locations, Regions, Contexts   []uint64
	Starts, Ends, Exclusive        []int64
	Children                       []uint64
	Depths                         []uint32
	Ordinals, EndOrdinals, Parents []uint64
	Flags                          []CallFlags
	rows                           int
}

// CallColumns are columns of a [CallBatch]; they are added up with |.
type CallColumns uint16

// The columns of a [CallBatch].
const (
	CallLocations CallColumns = 1 << iota
	CallRegions
	CallContexts
	CallStarts
	CallEnds
	CallExclusive
	CallChildren
	CallDepths
	CallOrdinals
	CallEndOrdinals
	CallParents
	CallFlagBits

	// AllCallColumns are all of them.
	AllCallColumns CallColumns = 1<<iota - 1
)

// Len returns the number of calls.
func (b *CallBatch) Len() int { return b.rows }

// Call returns call i of a batch of all columns.
func (b *CallBatch) Call(i int) Call {
	return Call{
		Location: b.Locations[i], Region: b.Regions[i], Context: b.Contexts[i], Start: b.Starts[i], End: b.Ends[i],
		Exclusive: b.Exclusive[i], Children: b.Children[i], Depth: int(b.Depths[i]), Ordinal: b.Ordinals[i],
		EndOrdinal: b.EndOrdinals[i], Parent: b.Parents[i], Flags: b.Flags[i],
	}
}

// Take makes the batch some calls of a list, in a given order, with some columns. It reuses its memory.
func (b *CallBatch) Take(calls []Call, order []uint32, columns CallColumns) {
	b.resize(len(order))
	for from := 0; from < len(order); from += takenAtOnce {
		some := order[from:min(from+takenAtOnce, len(order))]
		if columns&(CallStarts|CallEnds|CallExclusive|CallChildren) != 0 {
			b.takeTimes(calls, some, from)
		}
		if columns&(CallLocations|CallRegions|CallContexts|CallDepths|CallFlagBits) != 0 {
			b.takePlaces(calls, some, from)
		}
		if columns&(CallOrdinals|CallEndOrdinals|CallParents) != 0 {
			b.takeOrdinals(calls, some, from)
		}
	}
	b.keep(columns)
}

// takenAtOnce is the number of calls that are taken column after column while they are at hand.
const takenAtOnce = 128

func (b *CallBatch) takeTimes(calls []Call, order []uint32, at int) {
	starts, ends, exclusive, children := b.Starts[at:][:len(order)], b.Ends[at:][:len(order)], b.Exclusive[at:][:len(order)], b.Children[at:][:len(order)]
	for i, row := range order {
		c := &calls[row]
		starts[i], ends[i], exclusive[i], children[i] = c.Start, c.End, c.Exclusive, c.Children
	}
}

func (b *CallBatch) takePlaces(calls []Call, order []uint32, at int) {
	locations, regions, contexts := b.Locations[at:][:len(order)], b.Regions[at:][:len(order)], b.Contexts[at:][:len(order)]
	depths, flags := b.Depths[at:][:len(order)], b.Flags[at:][:len(order)]
	for i, row := range order {
		c := &calls[row]
		locations[i], regions[i], contexts[i], depths[i], flags[i] = c.Location, c.Region, c.Context, uint32(c.Depth), c.Flags
	}
}

func (b *CallBatch) takeOrdinals(calls []Call, order []uint32, at int) {
	ordinals, ends, parents := b.Ordinals[at:][:len(order)], b.EndOrdinals[at:][:len(order)], b.Parents[at:][:len(order)]
	for i, row := range order {
		c := &calls[row]
		ordinals[i], ends[i], parents[i] = c.Ordinal, c.EndOrdinal, c.Parent
	}
}

// resize makes the number of calls n, in all columns. What they are is undefined.
func (b *CallBatch) resize(n int) {
	b.Locations, b.Regions, b.Contexts = sized(b.Locations, n), sized(b.Regions, n), sized(b.Contexts, n)
	b.Starts, b.Ends, b.Exclusive = sized(b.Starts, n), sized(b.Ends, n), sized(b.Exclusive, n)
	b.Children, b.Depths, b.Flags = sized(b.Children, n), sized(b.Depths, n), sized(b.Flags, n)
	b.Ordinals, b.EndOrdinals, b.Parents = sized(b.Ordinals, n), sized(b.EndOrdinals, n), sized(b.Parents, n)
	b.rows = n
}

func sized[T any](column []T, n int) []T { return slices.Grow(column[:0], n)[:n] }

// keep empties all but some columns.
func (b *CallBatch) keep(columns CallColumns) {
	b.Locations, b.Regions = kept(b.Locations, columns&CallLocations), kept(b.Regions, columns&CallRegions)
	b.Contexts, b.Starts = kept(b.Contexts, columns&CallContexts), kept(b.Starts, columns&CallStarts)
	b.Ends, b.Exclusive = kept(b.Ends, columns&CallEnds), kept(b.Exclusive, columns&CallExclusive)
	b.Children, b.Depths = kept(b.Children, columns&CallChildren), kept(b.Depths, columns&CallDepths)
	b.Ordinals, b.EndOrdinals = kept(b.Ordinals, columns&CallOrdinals), kept(b.EndOrdinals, columns&CallEndOrdinals)
	b.Parents, b.Flags = kept(b.Parents, columns&CallParents), kept(b.Flags, columns&CallFlagBits)
}

func kept[T any](column []T, wanted CallColumns) []T {
	if wanted == 0 {
		return column[:0]
	}
	return column
}
