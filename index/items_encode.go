package index

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// valueSpace is memory for the values of a block, which are many for a moment.
type valueSpace struct{ values []uint64 }

var valueSpaces = sync.Pool{New: func() any { return &valueSpace{} }}

// values returns the values of the head's structure and, of each part, those of its structure and of its items.
func (b *Block[T]) values(all entries[T], items []T, space *valueSpace) valueBlocks {
	b.divide(all)
	blocks, n := make(valueBlocks, 1+2*len(b.parts)), 0
	blocks[0].counts = b.layout.structureCounts()
	b.eachPart(all, items, func(i int, e entries[T], _ []T) {
		blocks[1+2*i].counts, blocks[2+2*i].counts = e.structureCounts(), b.counts(e, b.cells(b.inOrder(), e))
	})
	for i := range blocks {
		n += sum(blocks[i].counts)
	}
	space.values = slices.Grow(space.values[:0], n)[:n]
	left := blocks[0].take(space.values, func(room []uint64, counts []int) []uint64 {
		return carrier{values: room}.write(counts, b.layout.structure)
	})
	b.eachPart(all, items, func(i int, e entries[T], items []T) {
		left = blocks[1+2*i].take(left, func(room []uint64, counts []int) []uint64 { return carrier{values: room}.write(counts, e.structure) })
		left = blocks[2+2*i].take(left, func(room []uint64, counts []int) []uint64 { return b.itemValues(e, items, room, counts) })
	})
	return blocks
}

// eachPart goes through the parts, with the entries and items of each.
func (b *Block[T]) eachPart(all entries[T], items []T, do func(i int, e entries[T], items []T)) {
	from := 0
	for i := range b.parts {
		p := &b.parts[i]
		do(i, all.from(from, from+p.entries), items[:p.size])
		from, items = from+p.entries, items[p.size:]
	}
}

// inOrder is for walks over what is written, which is in order.
func (b *Block[T]) inOrder() *format.Decoder { return format.NewDecoder(b.kind.section, nil) }

// divide divides all entries into parts.
func (b *Block[T]) divide(e entries[T]) {
	b.parts, b.Items = nil, 0
	for _, p := range divided(e) {
		b.parts = append(b.parts, part[T]{partHead: p})
		b.Items += p.size
	}
}

// itemValues returns the values of the items of some entries, in memory that has room for them.
func (b *Block[T]) itemValues(e entries[T], items []T, room []uint64, counts []int) []uint64 {
	c := b.carrier()
	c.values = room
	return c.write(counts, func(c *carrier) { e.items(c, b.cells(b.inOrder(), e), items) })
}

// bits returns how many bits the values of all items have. It has those of one part at a time.
func (b *Block[T]) bits(all entries[T], items []T, space *valueSpace) (n int) {
	b.divide(all)
	b.eachPart(all, items, func(_ int, e entries[T], items []T) {
		space.values = b.itemValues(e, items, space.values, b.counts(e, b.cells(b.inOrder(), e)))
		for _, v := range space.values {
			n += bits.Len64(v)
		}
	})
	return n
}

// A block of spanning items is
//
//	uvarint  length of the head, this number included
//	uvarint  level of the node
//	uvarint  index of the node in its level
//	uvarint  lane
//	uvarint  period of the clocks in units of 2^-40 ticks; 0: times are not coded as ticks of a clock
//	counts   uvarints, other ones for calls and for messages
//	list     of parts
//	bytes    model
//	bytes    structure, coded by the model
//	4 bytes  checksum of the head up to here (if there are several parts)
//	parts    each: bytes structure, and the rest: values of the items, both coded by the model
//	zeros    until there is a byte for each 8 calls or messages and other things that the counts say
func (b *Block[T]) bytes(all valueBlocks) []byte {
	if b.model == nil {
		b.model = all.fit(b.layout.contexts())
	}
	encode := func(dst []byte, v *valueBlock) []byte { return b.model.Encode(dst, v.counts, v.values) }
	var parts []byte
	for i := range b.parts {
		p, from := &b.parts[i], len(parts)
		parts = format.AppendBytes(parts, encode(nil, &all[1+2*i]))
		parts = encode(parts, &all[2+2*i])
		p.length, p.crc = len(parts)-from, format.Checksum(parts[from:])
	}
	head := format.AppendUvarint(nil, uint64(b.Node.Level))
	head = format.AppendUvarint(head, b.Node.Index)
	head = format.AppendUvarint(head, uint64(b.Lane))
	head = format.AppendUvarint(head, uint64(b.period))
	head = appendParts(b.layout.appendCounts(head), b.heads(), b.kind.grouped)
	head = format.AppendBytes(head, b.model.Append(nil))
	head = format.AppendBytes(head, encode(nil, &all[0]))
	dst := append(b.appendLength(nil, len(head)), head...)
	if len(b.parts) > 1 {
		dst = binary.LittleEndian.AppendUint32(dst, format.Checksum(dst))
	}
	return format.Fill(append(dst, parts...), 0, format.LeastBytes(b.things()))
}

// heads returns what the head says of the parts.
func (b *Block[T]) heads() []partHead {
	heads := make([]partHead, len(b.parts))
	for i := range b.parts {
		heads[i] = b.parts[i].partHead
	}
	return heads
}

// appendLength appends the length of a head whose other parts have n bytes, the checksum not counted.
func (b *Block[T]) appendLength(dst []byte, n int) []byte {
	if len(b.parts) > 1 {
		n += 4
	}
	for own := 1; ; own++ {
		if dst = format.AppendUvarint(dst[:0], uint64(n+own)); len(dst) <= own {
			return dst
		}
	}
}

// valueBlocks are blocks of values that share a model.
type valueBlocks []valueBlock

type valueBlock struct {
	counts []int
	values []uint64
}

// take sets the values, which are written to the first of some memory, and returns the rest of that.
func (v *valueBlock) take(room []uint64, write func(room []uint64, counts []int) []uint64) (rest []uint64) {
	n := sum(v.counts)
	v.values = write(room[:0:n], v.counts)
	return room[n:]
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func (v valueBlocks) fit(contexts int) *column.Model {
	b := column.NewBuilder(contexts)
	for i := range v {
		b.Take(v[i].counts, v[i].values)
	}
	return b.Build()
}

// pageItems is the number of items from which on a page ends.
const pageItems = 1 << 16

// encodePages returns the blocks of items of a node and lane, which are those of b: one, or several if the items are many. The
// layout is made of items in order, and their cells. Times are coded as ticks where that makes a block smaller.
func encodePages[T any](b *Block[T], items []T, layout func(cells []uint64, items []T) (layout[T], entries[T])) (pages [][]byte) {
	cells := b.sort(items)
	for len(pages) == 0 || len(items) > 0 {
		n := min(pageItems, len(items))
		for 0 < n && n < len(items) && cells[n-1] == cells[n] && b.kind.together(&items[n-1], &items[n]) {
			n++
		}
		l, e := layout(cells[:n], items[:n])
		pages = append(pages, b.shorter(l, e, items[:n]))
		cells, items = cells[n:], items[n:]
	}
	return pages
}

// shorter encodes items with ticks of the period, or without: whichever has values of fewer bits. Of 180 blocks of recorded traces, these
// were not the shorter ones eight times, and longer by 0.05 %.
func (b *Block[T]) shorter(l layout[T], e entries[T], items []T) []byte {
	space := valueSpaces.Get().(*valueSpace)
	defer valueSpaces.Put(space)
	block := b.with(l, 0)
	if b.period > 1<<periodBits {
		if ticks := b.with(l, b.period); ticks.bits(e, items, space) < block.bits(e, items, space) {
			block = ticks
		}
	}
	return block.bytes(block.values(e, items, space))
}

// with returns the block with a layout and a period.
func (b *Block[T]) with(l layout[T], period column.Period) *Block[T] {
	return &Block[T]{Head: b.Head, tree: b.tree, kind: b.kind, layout: l, period: period}
}

// sort sorts items by cell, and returns their cells.
func (b *Block[T]) sort(items []T) []uint64 {
	all, order := make([]uint64, len(items)), make([]int32, len(items))
	for i := range items {
		first, last := b.kind.slices(&items[i])
		all[i], order[i] = b.tree.cellOf(b.Node, first, last), int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		if d := cmp.Compare(all[x], all[y]); d != 0 {
			return d
		}
		return b.kind.compare(&items[x], &items[y])
	})
	arrange(order, all, items)
	return all
}

// arrange puts items and their cells into an order, and nothing of them elsewhere: they may be many. The order is gone then.
func arrange[T any](order []int32, cells []uint64, items []T) {
	const done = -1
	for i := range order {
		if order[i] == done {
			continue
		}
		cell, item, at := cells[i], items[i], i
		for from := int(order[at]); from != i; from = int(order[at]) {
			cells[at], items[at] = cells[from], items[from]
			order[at], at = done, from
		}
		cells[at], items[at], order[at] = cell, item, done
	}
}
