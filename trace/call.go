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

// CallRowBytes is the memory that a call takes in a batch of all columns.
const CallRowBytes = 10*8 + 4 + 1

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

// Set makes c call i of a batch of all columns.
func (b *CallBatch) Set(i int, c *Call) {
	b.Locations[i], b.Regions[i], b.Contexts[i] = c.Location, c.Region, c.Context
	b.Starts[i], b.Ends[i], b.Exclusive[i] = c.Start, c.End, c.Exclusive
	b.Children[i], b.Depths[i] = c.Children, uint32(c.Depth)
	b.Ordinals[i], b.EndOrdinals[i], b.Parents[i] = c.Ordinal, c.EndOrdinal, c.Parent
	b.Flags[i] = c.Flags
}

// Resize makes the number of calls n, in all columns. Calls that were there stay; what further ones are is undefined.
func (b *CallBatch) Resize(n int) {
	for _, c := range []*[]uint64{&b.Locations, &b.Regions, &b.Contexts, &b.Children, &b.Ordinals, &b.EndOrdinals, &b.Parents} {
		*c = resized(*c, n)
	}
	b.Starts, b.Ends, b.Exclusive = resized(b.Starts, n), resized(b.Ends, n), resized(b.Exclusive, n)
	b.Depths, b.Flags = resized(b.Depths, n), resized(b.Flags, n)
	b.rows = n
}

func resized[T any](column []T, n int) []T {
	if n > cap(column) {
		column = slices.Grow(column, n-len(column))
	}
	return column[:n]
}

// Append adds a call to a batch of all columns.
func (b *CallBatch) Append(c *Call) {
	b.Resize(b.rows + 1)
	b.Set(b.rows-1, c)
}

// AppendRange adds the calls from to to-1 of another batch, both of all columns.
func (b *CallBatch) AppendRange(o *CallBatch, from, to int) {
	n := b.rows
	b.Resize(n + to - from)
	copy(b.Locations[n:], o.Locations[from:to])
	copy(b.Regions[n:], o.Regions[from:to])
	copy(b.Contexts[n:], o.Contexts[from:to])
	copy(b.Starts[n:], o.Starts[from:to])
	copy(b.Ends[n:], o.Ends[from:to])
	copy(b.Exclusive[n:], o.Exclusive[from:to])
	copy(b.Children[n:], o.Children[from:to])
	copy(b.Depths[n:], o.Depths[from:to])
	copy(b.Ordinals[n:], o.Ordinals[from:to])
	copy(b.EndOrdinals[n:], o.EndOrdinals[from:to])
	copy(b.Parents[n:], o.Parents[from:to])
	copy(b.Flags[n:], o.Flags[from:to])
}

// Gather makes the batch the calls of the given rows of another one, which has all columns, in their order, with some columns. It reuses its memory.
func (b *CallBatch) Gather(o *CallBatch, rows []uint32, columns CallColumns) {
	b.rows = len(rows)
	b.Locations = gather(b.Locations, o.Locations, rows, columns&CallLocations)
	b.Regions = gather(b.Regions, o.Regions, rows, columns&CallRegions)
	b.Contexts = gather(b.Contexts, o.Contexts, rows, columns&CallContexts)
	b.Starts = gather(b.Starts, o.Starts, rows, columns&CallStarts)
	b.Ends = gather(b.Ends, o.Ends, rows, columns&CallEnds)
	b.Exclusive = gather(b.Exclusive, o.Exclusive, rows, columns&CallExclusive)
	b.Children = gather(b.Children, o.Children, rows, columns&CallChildren)
	b.Depths = gather(b.Depths, o.Depths, rows, columns&CallDepths)
	b.Ordinals = gather(b.Ordinals, o.Ordinals, rows, columns&CallOrdinals)
	b.EndOrdinals = gather(b.EndOrdinals, o.EndOrdinals, rows, columns&CallEndOrdinals)
	b.Parents = gather(b.Parents, o.Parents, rows, columns&CallParents)
	b.Flags = gather(b.Flags, o.Flags, rows, columns&CallFlagBits)
}

func gather[T any](dst, from []T, rows []uint32, wanted CallColumns) []T {
	if wanted == 0 {
		return dst[:0]
	}
	dst = slices.Grow(dst[:0], len(rows))[:len(rows)]
	for i, row := range rows {
		dst[i] = from[row]
	}
	return dst
}
