package index

import (
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// Node names a node of the tree.
type Node struct {
	Level int
	Index uint64
}

// Head is what a block of spanning items says of them before they are decoded.
type Head struct {
	// Node and Lane are what the items belong to.
	Node Node
	Lane uint32
	// Items is their number.
	Items int
	// Bytes is the length of the block's head, which is in memory with it.
	Bytes int
}

// About returns the head.
func (h *Head) About() *Head { return h }

// Block is spanning items of one node and lane, in the order of their cells. It is safe for concurrent use.
type Block[T any] struct {
	Head

	tree   Tree
	kind   *kind[T]
	period column.Period // of the clocks, 0 if times are not coded as ticks of a clock
	layout layout[T]
	model  *column.Model
	parts  []part[T]
	// locations is above the indices of all that there are.
	locations uint64

	loading sync.Mutex  // of bodies of parts; and the layout's notes of what parts have
	noted   atomic.Bool // all was noted: no need to look again
}

// kind is a kind of items.
type kind[T any] struct {
	section string
	// remainders is the context of what ticks leave of times.
	remainders int
	slices     func(*T) (first, last uint64)
	compare    func(a, b *T) int // the order of the items of a cell; no two are equal
	// together tells of two consecutive items of a cell whether they are of one entry.
	together func(a, b *T) bool
	// grouped tells that an entry may have several items.
	grouped bool
}

// layout is what the items of a block have in common, and how their fields stand in the block.
type layout[T any] interface {
	// appendCounts appends what a reader must know before it walks through the structure.
	appendCounts(dst []byte) []byte
	// structure carries what the items have in common; structureCounts returns the number of its values by context.
	structure(c *carrier)
	structureCounts() []int
	// check checks the structure that was read, whose block is of some locations. The other methods need that.
	check(d *format.Decoder, locations uint64)
	// things returns how many things items have in common: keys, stacks and the like.
	things() int
	// contexts returns the number of all contexts.
	contexts() int
	// entries returns n entries that are to be read.
	entries(n int) entries[T]
	// note notes what entries have; allNoted reports whether there is nothing that no entry has.
	note(entries[T])
	allNoted() bool
}

// entries are groups of items, in the order of their cells.
type entries[T any] interface {
	// structure carries the entries; structureCounts returns the number of its values by context.
	structure(c *carrier)
	structureCounts() []int
	// check checks the structure that was read, of some locations. The other methods need that.
	check(d *format.Decoder, locations uint64)
	len() int
	// at returns the cell of an entry, and how many items it has.
	at(i int) (cell uint64, items int)
	// from returns the entries from to to-1.
	from(from, to int) entries[T]
	// items carries the items of cells; counts returns the number of their values by context. remainders is the number of values for
	// each time that is coded in ticks.
	items(c *carrier, cells []cell, items []T)
	counts(cells []cell, remainders int) []int
}

// cell is what a part has in a cell of the node.
type cell struct {
	low, middle, high uint64 // slices: low to middle-1 are the first half of the cell, middle to high-1 the second
	far               bool
	first, last       int // entries first to last-1 of the part
	items             int
}

// has reports whether a cell is that of an item with the slices first to last. A cell that cannot be divided has no first half. One of far items
// has none that crosses its middle only.
func (c *cell) has(first, last uint64) bool {
	divided := c.low < c.middle
	return first <= last && c.low <= first && (first < c.middle || !divided) && c.middle <= last && last < c.high &&
		!(c.far && divided && last == first+1)
}

// part is the items that are decoded together: those of one or more cells.
type part[T any] struct {
	partHead
	read bool
	body []byte // if it has been read, and not been decoded

	once   sync.Once
	items  []T
	damage *format.CorruptError
}

// Source is a block's payload, of which the first bytes have been read.
type Source struct {
	// Bytes are the first bytes, or all.
	Bytes []byte
	// Size is the length of the payload.
	Size int
	// Locations is the number of locations that there are.
	Locations uint64
	// Read reads more bytes, from an offset on. It may be nil if Bytes are all.
	Read ReadAt
}

// ReadAt reads bytes of a block's payload, from an offset on.
type ReadAt func(b []byte, at int64) error

// whole is a payload all of which has been read, of any number of locations.
func whole(b []byte) Source { return Source{Bytes: b, Size: len(b), Locations: math.MaxUint32 + 1} }

// things returns how many things a block has: items, their entries, and what they have in common.
func (b *Block[T]) things() int {
	n := b.Items + b.layout.things()
	for i := range b.parts {
		if b.kind.grouped {
			n += b.parts[i].entries
		}
	}
	return n
}

// cells returns the cells of entries, which are in their order.
func (b *Block[T]) cells(d *format.Decoder, e entries[T]) (cells []cell) {
	before := uint64(0)
	for i := range e.len() {
		n, items := e.at(i)
		if len(cells) == 0 || n != before {
			low, middle, high, ok := b.tree.cell(b.Node, n)
			if !ok || n < before {
				d.Fail("cell %d after cell %d", n, before)
				return nil
			}
			cells = append(cells, cell{low: low, middle: middle, high: high, far: n > b.tree.Fanout, first: i})
			before = n
		}
		c := &cells[len(cells)-1]
		c.last = i + 1
		c.items += items
	}
	return cells
}

// Append appends the items that overlap the slices first to last, of a block that was read as a whole. It decodes no part without one
// of their cells, and keeps what it decodes.
func (b *Block[T]) Append(dst []T, first, last uint64) ([]T, error) {
	return b.AppendRead(nil, dst, first, last)
}

// AppendRead does what Append does, and reads the parts that have not been read yet.
func (b *Block[T]) AppendRead(read ReadAt, dst []T, first, last uint64) ([]T, error) {
	return b.append(read, dst, b.wanted(first, last), func(from, to uint64) bool { return from <= last && to >= first })
}

// AppendCrossing appends the items that begin before a slice, which is not the first below the node, and end in it or later. Those that begin
// in the slice stand in other cells, of which it decodes no more than it must.
func (b *Block[T]) AppendCrossing(read ReadAt, dst []T, slice uint64) ([]T, error) {
	before := b.wanted(slice-1, slice-1)
	wanted := slices.DeleteFunc(b.wanted(slice, slice), func(p *part[T]) bool { return !slices.Contains(before, p) })
	return b.append(read, dst, wanted, func(from, to uint64) bool { return from < slice && to >= slice })
}

// append appends the items of some parts whose slices are wanted.
func (b *Block[T]) append(read ReadAt, dst []T, wanted []*part[T], want func(from, to uint64) bool) ([]T, error) {
	if err := b.load(read, wanted); err != nil {
		return nil, err
	}
	for _, p := range wanted {
		p.once.Do(func() { b.decode(p) })
		if p.damage != nil {
			damage := *p.damage // others may have the same
			return nil, &damage
		}
		for j := range p.items {
			if want(b.kind.slices(&p.items[j])) {
				dst = append(dst, p.items[j])
			}
		}
	}
	if len(wanted) == len(b.parts) && !b.allNoted() {
		return nil, format.Corruptf(b.kind.section, -1, "a key, stack, location or envelope that no item has")
	}
	return dst, nil
}

// allNoted reports whether items have all that the head says they have in common. All parts are decoded.
func (b *Block[T]) allNoted() bool {
	if b.noted.Load() {
		return true
	}
	b.loading.Lock()
	defer b.loading.Unlock()
	all := b.layout.allNoted()
	b.noted.Store(all)
	return all
}

// wanted returns the parts that may have items of the slices first to last.
func (b *Block[T]) wanted(first, last uint64) (parts []*part[T]) {
	cells := b.tree.cells(b.Node, first, last)
	for i := range b.parts {
		p := &b.parts[i]
		if n, _ := slices.BinarySearch(cells, p.first); n < len(cells) && cells[n] < p.end {
			parts = append(parts, p)
		}
	}
	return parts
}

// All returns all items of a block that was read as a whole.
func (b *Block[T]) All() ([]T, error) { return b.AllRead(nil) }

// AllRead does what All does, and reads the parts that have not been read yet.
func (b *Block[T]) AllRead(read ReadAt) ([]T, error) {
	return b.AppendRead(read, make([]T, 0, b.Items), 0, math.MaxUint64)
}

// carrier returns what the walks over items need.
func (b *Block[T]) carrier() carrier {
	return carrier{period: b.period, remainders: b.kind.remainders}
}

// counts returns how many values entries have by context.
func (b *Block[T]) counts(e entries[T], cells []cell) []int {
	remainders := 0
	if b.period != 0 {
		remainders = 1
	}
	return e.counts(cells, remainders)
}

// decode decodes a part. Each item must be where it belongs, so that a reader who skips cells misses nothing.
func (b *Block[T]) decode(p *part[T]) {
	d := format.NewDecoder(b.kind.section, p.body)
	b.decodePart(d, p)
	p.body = nil
	errors.As(d.Err(), &p.damage)
}

func (b *Block[T]) decodePart(d *format.Decoder, p *part[T]) {
	if len(b.parts) > 1 && format.Checksum(p.body) != p.crc {
		d.Fail("a part has another checksum than the head says")
		return
	}
	e := b.layout.entries(p.entries)
	structure := d.Bytes()
	if d.Err() == nil {
		carrier{}.scatter(e.structureCounts(), b.model, d, structure, e.structure)
	}
	if d.Err() == nil {
		e.check(d, b.locations)
	}
	if d.Err() != nil {
		return
	}
	cells := b.cells(d, e)
	size := 0
	for i := range cells {
		size += cells[i].items
	}
	if first, _ := e.at(0); d.Err() == nil && (size != p.size || first != p.first) {
		d.Fail("a part of %d items from cell %d on, not of %d from cell %d on", size, first, p.size, p.first)
	}
	if last, _ := e.at(e.len() - 1); d.Err() == nil && last >= p.end {
		d.Fail("a part with cell %d, which the next one begins with or has behind it", last)
	}
	if d.Err() != nil {
		return
	}
	items := make([]T, p.size)
	b.carrier().scatter(b.counts(e, cells), b.model, d, d.Rest(), func(c *carrier) { e.items(c, cells, items) })
	if b.checkCells(d, cells, items); d.Err() == nil {
		p.items = items
		b.loading.Lock()
		b.layout.note(e)
		b.loading.Unlock()
	}
}

// checkCells checks that items are in order, and in the cells where they belong.
func (b *Block[T]) checkCells(d *format.Decoder, cells []cell, items []T) {
	for _, c := range cells {
		for i := range c.items {
			if !c.has(b.kind.slices(&items[i])) || i > 0 && b.kind.compare(&items[i-1], &items[i]) >= 0 {
				d.Fail("item %d does not belong into the cell of slices %d to %d", i, c.low, c.high-1)
				return
			}
		}
		items = items[c.items:]
	}
}
