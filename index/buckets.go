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
//	items    of each place, field by field: see the item's type
type itemBlock[T any] struct {
	section string
	tree    Tree
	span    func(*T) (from, to uint64) // slices
	fields  []itemField[T]
}

// itemField is one field of an item: how to get it as an unsigned integer that tends to be small, given the item
// before, and how to put it back.
type itemField[T any] struct {
	get func(item, before *T) uint64
	put func(item, before *T, v uint64)
}

func (c *itemBlock[T]) append(dst []byte, n Node, lane uint32, items []T) []byte {
	dst = format.AppendUvarint(dst, uint64(n.Level))
	dst = format.AppendUvarint(dst, n.Index)
	dst = format.AppendUvarint(dst, uint64(lane))
	places := map[int][]T{}
	for i := range items {
		from, to := c.span(&items[i])
		p := c.tree.bucket(c.tree.Child(n.Level, n.Index, from), c.tree.Child(n.Level, n.Index, to))
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

// read returns the items that may overlap the slices first to last; it decodes only the places that do.
func (c *itemBlock[T]) read(b []byte, first, last uint64) (n Node, lane uint32, items []T, err error) {
	r := format.NewDecoder(c.section, b)
	n = Node{Level: r.Int(64), Index: r.Uvarint()}
	lane = uint32(r.Int(1 << 32))
	if n.Level < 1 {
		r.Fail("level 0")
	}
	type place struct{ number, items, bytes int }
	places := make([]place, r.Count(3, 1<<20))
	before := 0
	for i := range places {
		places[i] = place{number: before + r.Int(1<<20), items: r.Int(1 << 30), bytes: r.Int(1 << 30)}
		if places[i].number <= before {
			r.Fail("places are out of order")
		}
		before = places[i].number
	}
	for _, p := range places {
		body := r.Take(p.bytes)
		if r.Err() != nil {
			break
		}
		low, high, ok := c.tree.bucketSpan(p.number)
		if !ok || p.items == 0 || p.items > len(body) {
			r.Fail("place %d with %d items in %d bytes", p.number, p.items, len(body))
			break
		}
		width := c.tree.Width(n.Level - 1)
		base := n.Index * c.tree.Fanout
		if (base+uint64(low))*width > last || (base+uint64(high))*width <= first {
			continue
		}
		if items, err = c.readItems(body, p.items, items); err != nil {
			return n, lane, nil, err
		}
	}
	return n, lane, items, r.Finish()
}

func (c *itemBlock[T]) readItems(body []byte, count int, items []T) ([]T, error) {
	r := format.NewDecoder(c.section, body)
	at := len(items)
	items = append(items, make([]T, count)...)
	for _, f := range c.fields {
		var zero T
		before := &zero
		for i := at; i < len(items); i++ {
			f.put(&items[i], before, r.Uvarint())
			before = &items[i]
		}
	}
	return items, r.Finish()
}
