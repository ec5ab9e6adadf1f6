package index

import (
	"slices"

	"github.com/pandotrace/pando/format"
)

// Node names a node of the tree.
type Node struct {
	Level int
	Index uint64
}

// A block of spanning items holds those of one node and one lane:
//
//	uvarint  level
//	uvarint  index of the node in its level
//	uvarint  lane
//	uvarint  number of places of the subdivision that are not empty
//	places   uvarint number - previous number (the first: number), uvarint items, uvarint bytes
//	items    of each place, in their order, field by field: see the item's type
type itemBlock[T any] struct {
	section string
	tree    Tree
	span    func(*T) (from, to uint64) // slices
	compare func(a, b *T) int          // the order of the items of a place; no two are equal
	fields  []itemField[T]
}

// itemField is one field of an item: how to get it as an unsigned integer that tends to be small, given the item
// before, and how to put it back.
type itemField[T any] struct {
	get func(item, before *T) uint64
	put func(item, before *T, v uint64)
}

// append appends a block of items, all of which lie in the node. It sorts them.
func (c *itemBlock[T]) append(dst []byte, n Node, lane uint32, items []T) []byte {
	dst = format.AppendUvarint(dst, uint64(n.Level))
	dst = format.AppendUvarint(dst, n.Index)
	dst = format.AppendUvarint(dst, uint64(lane))
	slices.SortFunc(items, func(a, b T) int { return c.compare(&a, &b) })
	places := map[int][]T{}
	for i := range items {
		p := c.placeOf(n, &items[i])
		places[p] = append(places[p], items[i])
	}
	numbers := make([]int, 0, len(places))
	for p := range places {
		numbers = append(numbers, p)
	}
	slices.Sort(numbers)
	dst = format.AppendUvarint(dst, uint64(len(numbers)))
	var bodies []byte
	before := 0
	for _, p := range numbers {
		at := len(bodies)
		bodies = c.appendItems(bodies, places[p])
		dst = format.AppendUvarint(dst, uint64(p-before))
		dst = format.AppendUvarint(dst, uint64(len(places[p])))
		dst = format.AppendUvarint(dst, uint64(len(bodies)-at))
		before = p
	}
	return append(dst, bodies...)
}

func (c *itemBlock[T]) appendItems(dst []byte, items []T) []byte {
	for _, f := range c.fields {
		var zero T
		before := &zero
		for i := range items {
			dst = format.AppendUvarint(dst, f.get(&items[i], before))
			before = &items[i]
		}
	}
	return dst
}

// place is what a block says of a place of the subdivision.
type place struct{ number, items, bytes int }

// read returns the items that may overlap the slices first to last; it decodes only the places that do.
func (c *itemBlock[T]) read(b []byte, first, last uint64) (n Node, lane uint32, items []T, err error) {
	r := format.NewDecoder(c.section, b)
	n = c.readNode(r)
	lane = uint32(r.Int(1 << 32))
	places := readPlaces(r)
	width := c.tree.Width(n.Level - 1)
	base := n.Index * c.tree.Fanout
	for _, p := range places {
		body := r.Take(p.bytes)
		low, high, ok := c.tree.bucketSpan(p.number)
		if !ok {
			r.Fail("no place has number %d", p.number)
		}
		if r.Err() != nil {
			break
		}
		if (base+uint64(low))*width > last || (base+uint64(high))*width <= first {
			continue
		}
		if items, err = c.readItems(body, n, p, items); err != nil {
			return n, lane, nil, err
		}
	}
	return n, lane, items, r.Finish()
}

// readNode reads which node the block belongs to. No node is higher than one that has all slices a file can have.
func (c *itemBlock[T]) readNode(r *format.Decoder) Node {
	n := Node{Level: r.Int(64), Index: r.Uvarint()}
	if n.Level < 1 || c.tree.Width(n.Level-1) >= maxSlices || n.Index > (maxSlices-1)/c.tree.Width(n.Level) {
		r.Fail("node %d of level %d", n.Index, n.Level)
		return Node{Level: 1}
	}
	return n
}

func readPlaces(r *format.Decoder) []place {
	places := make([]place, r.Count(3, 1<<20))
	before := 0
	for i := range places {
		places[i] = place{number: before + r.Int(1<<20), items: r.Int(1 << 31), bytes: r.Int(1 << 31)}
		if places[i].number <= before {
			r.Fail("places are out of order")
		}
		before = places[i].number
	}
	return places
}

// readItems reads the items of a place. Each must be where it belongs, so that a reader who skips places misses nothing.
func (c *itemBlock[T]) readItems(body []byte, n Node, p place, items []T) ([]T, error) {
	r := format.NewDecoder(c.section, body)
	if p.items == 0 || p.items > len(body)/len(c.fields) {
		r.Fail("place %d with %d items in %d bytes", p.number, p.items, len(body))
		return nil, r.Err()
	}
	at := len(items)
	items = append(items, make([]T, p.items)...)
	found := items[at:]
	for _, f := range c.fields {
		var zero T
		before := &zero
		for i := range found {
			v := r.Uvarint()
			if f.put(&found[i], before, v); f.get(&found[i], before) != v {
				r.Fail("%d does not fit its field", v)
			}
			before = &found[i]
		}
	}
	for i := range found {
		if c.placeOf(n, &found[i]) != p.number || i > 0 && c.compare(&found[i-1], &found[i]) >= 0 {
			r.Fail("item %d of place %d does not belong there", i, p.number)
		}
	}
	return items, r.Finish()
}

// placeOf returns the place of an item in a node, 0 if the node does not contain it.
func (c *itemBlock[T]) placeOf(n Node, item *T) int {
	from, to := c.span(item)
	if from > to || c.tree.Ancestor(from, n.Level) != n.Index || c.tree.Ancestor(to, n.Level) != n.Index {
		return 0
	}
	return c.tree.bucket(c.tree.Child(n.Level, n.Index, from), c.tree.Child(n.Level, n.Index, to))
}
