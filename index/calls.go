package index

import (
	"cmp"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// Call is a call that crosses a border between slices.
type Call struct {
	// Location is the location's index in the trace.
	Location uint32
	// Key is the region, or the calling context if Context is true.
	Key     uint64
	Context bool
	Flags   trace.CallFlags
	// Start and End are in ticks; Exclusive is the duration less that of the direct children.
	Start, End, Exclusive int64
	Children              uint64
	// Ordinal and EndOrdinal number the two events among the location's.
	Ordinal, EndOrdinal uint64
	// StartSlice and EndSlice are the slices of the two events.
	StartSlice, EndSlice uint64
}

// Compare orders calls by location, then by ordinal.
func (c *Call) Compare(o *Call) int {
	if d := cmp.Compare(c.Location, o.Location); d != 0 {
		return d
	}
	return cmp.Compare(c.Ordinal, o.Ordinal)
}

const contextFlag = 1 << 7

// callFields are the fields of a spanning call in a block, each a uvarint. "against" is the difference, modulo 2^64 and
// zigzag-coded, to the same field of the item before.
//
//	location, against
//	flags of the call, and 128 if the key is a calling context
//	key: the region or calling context
//	start slice, against
//	end slice - start slice
//	ordinal of the enter, against
//	ordinal of the event that ended the call - ordinal of the enter
//	start, against
//	end - start
//	end - start - exclusive time
//	number of direct children
var callFields = []itemField[Call]{
	against(func(c *Call) uint64 { return uint64(c.Location) }, func(c *Call, v uint64) { c.Location = uint32(v) }),
	{
		get: func(c, _ *Call) uint64 {
			if c.Context {
				return uint64(c.Flags) | contextFlag
			}
			return uint64(c.Flags)
		},
		put: func(c, _ *Call, v uint64) { c.Flags, c.Context = trace.CallFlags(v&^contextFlag), v&contextFlag != 0 },
	},
	plain(func(c *Call) uint64 { return c.Key }, func(c *Call, v uint64) { c.Key = v }),
	against(func(c *Call) uint64 { return c.StartSlice }, func(c *Call, v uint64) { c.StartSlice = v }),
	plain(func(c *Call) uint64 { return c.EndSlice - c.StartSlice }, func(c *Call, v uint64) { c.EndSlice = c.StartSlice + v }),
	against(func(c *Call) uint64 { return c.Ordinal }, func(c *Call, v uint64) { c.Ordinal = v }),
	plain(func(c *Call) uint64 { return c.EndOrdinal - c.Ordinal }, func(c *Call, v uint64) { c.EndOrdinal = c.Ordinal + v }),
	against(func(c *Call) uint64 { return uint64(c.Start) }, func(c *Call, v uint64) { c.Start = int64(v) }),
	plain(func(c *Call) uint64 { return uint64(c.End - c.Start) }, func(c *Call, v uint64) { c.End = c.Start + int64(v) }),
	plain(func(c *Call) uint64 { return uint64(c.End - c.Start - c.Exclusive) },
		func(c *Call, v uint64) { c.Exclusive = c.End - c.Start - int64(v) }),
	plain(func(c *Call) uint64 { return c.Children }, func(c *Call, v uint64) { c.Children = v }),
}

func plain[T any](get func(*T) uint64, put func(*T, uint64)) itemField[T] {
	return itemField[T]{
		get: func(item, _ *T) uint64 { return get(item) },
		put: func(item, _ *T, v uint64) { put(item, v) },
	}
}

func against[T any](get func(*T) uint64, put func(*T, uint64)) itemField[T] {
	return itemField[T]{
		get: func(item, before *T) uint64 { return format.Zigzag(int64(get(item) - get(before))) },
		put: func(item, before *T, v uint64) { put(item, get(before)+uint64(format.Unzigzag(v))) },
	}
}

func (t Tree) callBlock() *itemBlock[Call] {
	return &itemBlock[Call]{
		section: "calls block", tree: t, fields: callFields, compare: (*Call).Compare,
		span: func(c *Call) (uint64, uint64) { return c.StartSlice, c.EndSlice },
	}
}

// AppendCalls appends a block of the spanning calls of one node and lane, all of which lie in the node. It sorts them.
func (t Tree) AppendCalls(dst []byte, n Node, lane uint32, calls []Call) []byte {
	return t.callBlock().append(dst, n, lane, calls)
}

// ReadCalls returns those calls of a block that may overlap the slices first to last, and the node and lane they belong to.
func (t Tree) ReadCalls(b []byte, first, last uint64) (Node, uint32, []Call, error) {
	return t.callBlock().read(b, first, last)
}
