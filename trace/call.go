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

// Resize makes the number of calls n, in all columns, and reuses their memory. Calls that were there stay; what further ones are is undefined.
func (b *CallBatch) Resize(n int) {
	b.Locations, b.Regions, b.Contexts = sized(b.Locations, n), sized(b.Regions, n), sized(b.Contexts, n)
	b.Starts, b.Ends, b.Exclusive = sized(b.Starts, n), sized(b.Ends, n), sized(b.Exclusive, n)
	b.Children, b.Depths, b.Flags = sized(b.Children, n), sized(b.Depths, n), sized(b.Flags, n)
	b.Ordinals, b.EndOrdinals, b.Parents = sized(b.Ordinals, n), sized(b.EndOrdinals, n), sized(b.Parents, n)
	b.rows = n
}

func sized[T any](column []T, n int) []T { return slices.Grow(column, max(0, n-len(column)))[:n] }

// Set makes call i of a batch of all columns another one.
func (b *CallBatch) Set(i int, c *Call) {
	b.Locations[i], b.Regions[i], b.Contexts[i], b.Starts[i], b.Ends[i] = c.Location, c.Region, c.Context, c.Start, c.End
	b.Exclusive[i], b.Children[i], b.Depths[i], b.Ordinals[i] = c.Exclusive, c.Children, uint32(c.Depth), c.Ordinal
	b.EndOrdinals[i], b.Parents[i], b.Flags[i] = c.EndOrdinal, c.Parent, c.Flags
}

// Copy makes the calls from number `at` on those of another batch from `from` up to `to`. Both have all columns; they may be the same one.
func (b *CallBatch) Copy(at int, of *CallBatch, from, to int) {
	copy(b.Locations[at:], of.Locations[from:to])
	copy(b.Regions[at:], of.Regions[from:to])
	copy(b.Contexts[at:], of.Contexts[from:to])
	copy(b.Starts[at:], of.Starts[from:to])
	copy(b.Ends[at:], of.Ends[from:to])
	copy(b.Exclusive[at:], of.Exclusive[from:to])
	copy(b.Children[at:], of.Children[from:to])
	copy(b.Depths[at:], of.Depths[from:to])
	copy(b.Ordinals[at:], of.Ordinals[from:to])
	copy(b.EndOrdinals[at:], of.EndOrdinals[from:to])
	copy(b.Parents[at:], of.Parents[from:to])
	copy(b.Flags[at:], of.Flags[from:to])
}

// Take makes the batch some calls of another one that has all columns, in a given order, with some columns. It reuses its memory.
func (b *CallBatch) Take(of *CallBatch, order []uint32, columns CallColumns) {
	b.Locations, b.Regions = takenBoth(b.Locations, b.Regions, of.Locations, of.Regions, order, columns&(CallLocations|CallRegions))
	b.Starts, b.Ends = takenBoth(b.Starts, b.Ends, of.Starts, of.Ends, order, columns&(CallStarts|CallEnds))
	b.Ordinals, b.EndOrdinals = takenBoth(b.Ordinals, b.EndOrdinals, of.Ordinals, of.EndOrdinals, order, columns&(CallOrdinals|CallEndOrdinals))
	b.Contexts, b.Parents = takenBoth(b.Contexts, b.Parents, of.Contexts, of.Parents, order, columns&(CallContexts|CallParents))
	b.Exclusive, b.Children = takenBoth(b.Exclusive, b.Children, of.Exclusive, of.Children, order, columns&(CallExclusive|CallChildren))
	b.Depths, b.Flags = takenBoth(b.Depths, b.Flags, of.Depths, of.Flags, order, columns&(CallDepths|CallFlagBits))
	b.rows = len(order)
	b.Keep(columns)
}

// takenBoth returns some values of two columns in a given order, none if neither is wanted. Few columns are read at a time: each is as many streams as there are runs of
// calls.
func takenBoth[A, B any](toA []A, toB []B, a []A, b []B, order []uint32, wanted CallColumns) ([]A, []B) {
	if wanted == 0 {
		return toA, toB
	}
	toA, toB = slices.Grow(toA[:0], len(order))[:len(order)], slices.Grow(toB[:0], len(order))[:len(order)]
	b = b[:len(a)]
	for i, row := range order {
		toA[i], toB[i] = a[row], b[row]
	}
	return toA, toB
}

// Keep empties all but some columns.
func (b *CallBatch) Keep(columns CallColumns) {
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
