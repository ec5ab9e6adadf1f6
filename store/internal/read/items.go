package read

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/trace"
)

// ItemBlock is an opened block of spanning items, and what reads the parts of it that have not been read yet.
type ItemBlock[T any] struct {
	*index.Block[T]
	read index.ReadAt
}

// Append appends the items that overlap the slices first to last.
func (b *ItemBlock[T]) Append(dst []T, first, last uint64) ([]T, error) {
	return b.AppendRead(b.read, dst, first, last)
}

// AppendCrossing appends the items that begin before a slice and end in it or later.
func (b *ItemBlock[T]) AppendCrossing(dst []T, slice uint64) ([]T, error) {
	return b.Block.AppendCrossing(b.read, dst, slice)
}

// All returns all items.
func (b *ItemBlock[T]) All() ([]T, error) { return b.AllRead(b.read) }

// CallBlock is an opened block of spanning calls.
type CallBlock = ItemBlock[index.Call]

// MessageBlock is an opened block of spanning messages, or of pairs of events, which are laid out alike.
type MessageBlock struct {
	ItemBlock[index.Message]
	// Receivers are the other lanes that receive spanning messages of the node from this lane.
	Receivers []uint32
}

// itemBytes is about what an item takes in memory.
const itemBytes = 128

// OpenCalls opens a block of spanning calls, and keeps it open.
func (r *File) OpenCalls(ref format.Ref) (*CallBlock, error) {
	b, err := openItems(r, cache.Calls, format.BlockCalls, ref, r.tree.CallsOf)
	if err != nil {
		return nil, err
	}
	return &CallBlock{b, r.payloadOf(ref)}, nil
}

// OpenMessages opens a block of spanning messages, and keeps it open.
func (r *File) OpenMessages(ref format.Ref) (*MessageBlock, error) {
	return r.OpenEnds(format.BlockMessages, ref)
}

// OpenPairs opens a block of spanning pairs of events, and keeps it open.
func (r *File) OpenPairs(ref format.Ref) (*MessageBlock, error) {
	return r.OpenEnds(format.BlockPairs, ref)
}

// OpenEnds opens a block of messages, or of pairs of events.
func (r *File) OpenEnds(kind format.BlockKind, ref format.Ref) (*MessageBlock, error) {
	made, open := cache.Messages, r.tree.MessagesOf
	if kind == format.BlockPairs {
		made, open = cache.Pairs, r.tree.PairsOf
	}
	b, err := openItems(r, made, kind, ref, open)
	if err != nil {
		return nil, err
	}
	return &MessageBlock{ItemBlock[index.Message]{b.Block, r.payloadOf(ref)}, b.Receivers}, nil
}

func openItems[B interface{ About() *index.Head }](
	r *File, what cache.What, kind format.BlockKind, ref format.Ref, open func(index.Source, format.Limits) (B, error),
) (B, error) {
	return cache.Get(r.cache, cache.Key{What: what, Offset: ref.Offset}, func() (o B, bytes int64, err error) {
		src, err := r.itemSource(kind, ref)
		if err != nil {
			return o, 0, format.At(err, r.name, PlaceOf(ref))
		}
		if o, err = open(src, r.limits); err != nil {
			return o, 0, format.At(err, r.name, int64(ref.Offset))
		}
		h := o.About()
		return o, int64(max(h.Bytes, len(src.Bytes)) + itemBytes*h.Items), nil
	})
}

// Of a long block of items its head is read, and then the parts that have items of the wanted slices. A file on a server takes a round for each step, so a block
// must be longer to be worth that.
const (
	nearWhole, nearHead = 2 << 10, 1 << 10    // bytes: blocks that are read as a whole, and what is read of the others first
	farWhole, farHead   = 256 << 10, 32 << 10 // the same, of a file on a server
)

// headBytes returns how many bytes of a block of items are read first.
func (r *File) headBytes(ref format.Ref) uint32 {
	whole, head := uint32(nearWhole), uint32(nearHead)
	if r.Far {
		whole, head = farWhole, farHead
	}
	if ref.Length <= whole || r.along != nil {
		return ref.Length
	}
	return head
}

// itemSource returns the first bytes of a block of items, and reads more of it where these are not all.
func (r *File) itemSource(kind format.BlockKind, ref format.Ref) (src index.Source, err error) {
	src = index.Source{Locations: r.info.Locations, Read: r.payloadOf(ref)}
	n := r.headBytes(ref)
	if n < ref.Length && !r.inTail(ref.Offset) {
		src.Bytes, src.Size, err = r.blockHead(kind, ref, n)
		if err != nil || src.Bytes != nil {
			return src, err
		}
	}
	src.Bytes, err = r.checkedBlock(kind, ref)
	src.Size = len(src.Bytes)
	return src, err
}

// blockHead returns the first bytes of a block's payload, of which n with the frame were or are read, and the payload's length. It returns none of
// a block that is compressed. That the block is the one that the directory means, the frame tells; what is read of its payload has checksums
// of its own.
func (r *File) blockHead(kind format.BlockKind, ref format.Ref, n uint32) (head []byte, size int, err error) {
	if err := r.admit(kind, ref); err != nil {
		return nil, 0, err
	}
	key := cache.Key{What: cache.Bytes, Offset: ref.Offset}
	var b []byte
	if read, ok := r.cache.Take(key); ok && len(read.([]byte)) >= int(n) {
		b = read.([]byte)
	} else {
		b = make([]byte, n)
		if err := r.readAt(b, int64(ref.Offset)); err != nil {
			return nil, 0, err
		}
	}
	f, err := checkedFrame(kind, ref, b)
	if err != nil || f.Codec != format.CodecNone {
		return nil, 0, err
	}
	return b[format.FrameSize:], int(f.Stored), nil
}

// payloadOf returns what reads bytes of a block's payload.
func (r *File) payloadOf(ref format.Ref) index.ReadAt {
	return func(b []byte, at int64) error { return r.readAt(b, int64(ref.Offset)+format.FrameSize+at) }
}

// ItemCall makes a call of an item, without its depth and parent.
func (r *File) ItemCall(d *trace.Definitions, c *index.Call) trace.Call {
	t := trace.Call{
		Location: r.LocationID(c.Location), Start: c.Start, End: c.End, Exclusive: c.Exclusive,
		Children: c.Children, Ordinal: c.Ordinal, EndOrdinal: c.EndOrdinal, Parent: trace.Undefined, Flags: c.Flags,
	}
	t.Region, t.Context = regionOf(d, callKey{c.Key, c.Context})
	return t
}

// regionOf returns the region and the calling context of a call.
func regionOf(d *trace.Definitions, k callKey) (region, context uint64) {
	if !k.context {
		return k.key, trace.Undefined
	}
	return d.ContextRegion(k.key), k.key
}
