package index

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// valueSpace is memory for the values of a block, which are many for a moment.
type valueSpace struct{ values []uint64 }

var valueSpaces = sync.Pool{New: func() any { return &valueSpace{} }}

// values returns the values of the structure and of the parts.
func (b *Block[T]) values(items []T, space *valueSpace) valueBlocks {
	b.divide(format.NewDecoder(b.kind.section, nil)) // what is written is in order
	all, n := make(valueBlocks, 1+len(b.parts)), 0
	all[0].counts = b.layout.structureCounts()
	for i := range b.parts {
		all[1+i].counts = b.counts(&b.parts[i])
	}
	for i := range all {
		n += sum(all[i].counts)
	}
	space.values = slices.Grow(space.values[:0], n)[:n]
	left := all[0].take(space.values, func(room []uint64, counts []int) []uint64 {
		return carrier{values: room}.write(counts, b.layout.structure)
	})
	for i := range b.parts {
		p := &b.parts[i]
		left = all[1+i].take(left, func(room []uint64, counts []int) []uint64 { return b.part(p, items[:p.size], room, counts) })
		items = items[p.size:]
	}
	return all
}

// part returns the values of a part, in memory that has room for them.
func (b *Block[T]) part(p *part[T], items []T, room []uint64, counts []int) []uint64 {
	c := b.carrier()
	c.values = room
	return c.write(counts, func(c *carrier) { b.layout.items(c, p.places, items) })
}

// bits returns how many bits the values of the parts have in all. It has those of one part at a time.
func (b *Block[T]) bits(items []T, space *valueSpace) (n int) {
	b.divide(format.NewDecoder(b.kind.section, nil))
	for i := range b.parts {
		p := &b.parts[i]
		space.values = b.part(p, items[:p.size], space.values, b.counts(p))
		for _, v := range space.values {
			n += bits.Len64(v)
		}
		items = items[p.size:]
	}
	b.parts, b.Items = nil, 0
	return n
}

// A block of spanning items is
//
//	uvarint  level of the node
//	uvarint  index of the node in its level
//	uvarint  lane
//	uvarint  period of the clocks in units of 2^-40 ticks; 0: times are not coded as ticks of a clock
//	counts   uvarints, other ones for calls and for messages
//	bytes    model
//	bytes    structure, coded by the model
//	parts    bytes each, coded by the model: the items of one or more places
//	zeros    until there is a byte for each 8 calls or messages and other things that the counts say
//
// A part ends with the place with which it has 128 items or more, the last one with the last place.
func (b *Block[T]) bytes(all valueBlocks) []byte {
	if b.model == nil {
		b.model = all.fit(b.layout.contexts())
	}
	dst := format.AppendUvarint(nil, uint64(b.Node.Level))
	dst = format.AppendUvarint(dst, b.Node.Index)
	dst = format.AppendUvarint(dst, uint64(b.Lane))
	dst = format.AppendUvarint(dst, uint64(b.period))
	dst = b.layout.appendCounts(dst)
	dst = format.AppendBytes(dst, b.model.Append(nil))
	for _, v := range all {
		dst = format.AppendBytes(dst, b.model.Encode(nil, v.counts, v.values))
	}
	return format.Fill(dst, 0, format.LeastBytes(b.things()))
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
// layout is made of items in order, and their places. Times are coded as ticks where that makes a block smaller.
func encodePages[T any](b Block[T], items []T, layout func(places []uint64, items []T) layout[T]) (pages [][]byte) {
	places := b.sort(items)
	for len(pages) == 0 || len(items) > 0 {
		n := min(pageItems, len(items))
		for 0 < n && n < len(items) && places[n-1] == places[n] && b.kind.together(&items[n-1], &items[n]) {
			n++
		}
		l := layout(places[:n], items[:n])
		pages = append(pages, b.shorter(l, items[:n]))
		places, items = places[n:], items[n:]
	}
	return pages
}

// shorter encodes items with ticks of the period, or without: whichever has values of fewer bits. Of 180 blocks of recorded traces, these
// were not the shorter ones eight times, and longer by 0.05 %.
func (b *Block[T]) shorter(l layout[T], items []T) []byte {
	space := valueSpaces.Get().(*valueSpace)
	defer valueSpaces.Put(space)
	block := b.with(l, 0)
	if b.period > 1<<periodBits {
		if ticks := b.with(l, b.period); ticks.bits(items, space) < block.bits(items, space) {
			block = ticks
		}
	}
	return block.bytes(block.values(items, space))
}

// with returns the block with a layout and a period.
func (b *Block[T]) with(l layout[T], period column.Period) *Block[T] {
	return &Block[T]{Head: b.Head, tree: b.tree, kind: b.kind, layout: l, period: period}
}

// sort sorts items by place, and returns their places.
func (b *Block[T]) sort(items []T) []uint64 {
	all, order := make([]uint64, len(items)), make([]int32, len(items))
	for i := range items {
		first, last := b.kind.slices(&items[i])
		all[i], order[i] = uint64(b.tree.placeOf(b.Node, first, last)), int32(i)
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

// arrange puts items and their places into an order, and nothing of them elsewhere: they may be many. The order is gone then.
func arrange[T any](order []int32, places []uint64, items []T) {
	const done = -1
	for i := range order {
		if order[i] == done {
			continue
		}
		place, item, at := places[i], items[i], i
		for from := int(order[at]); from != i; from = int(order[at]) {
			places[at], items[at] = places[from], items[from]
			order[at], at = done, from
		}
		places[at], items[at], order[at] = place, item, done
	}
}
