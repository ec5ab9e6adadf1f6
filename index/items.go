package index

import (
	"errors"
	"math"
	"slices"
	"sync"

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
	// Locations is above the indices of all their locations.
	Locations uint64
}

// About returns the head.
func (h *Head) About() *Head { return h }

// Block is spanning items of one node and lane, in the order of their places. It is safe for concurrent use.
type Block[T any] struct {
	Head

	tree   Tree
	kind   *kind[T]
	period column.Period // of the clocks, 0 if times are not coded as ticks of a clock
	layout layout[T]
	model  *column.Model
	parts  []part[T]
}

// kind is a kind of items.
type kind[T any] struct {
	section string
	// remainders is the context of what ticks leave of times.
	remainders int
	slices     func(*T) (first, last uint64)
	compare    func(a, b *T) int // the order of the items of a place; no two are equal
	// together tells of two consecutive items of a place whether they are of one entry.
	together func(a, b *T) bool
}

// layout is what the items of a block have in common, and how their fields stand in the block.
type layout[T any] interface {
	// appendCounts appends what a reader must know before it walks through the structure.
	appendCounts(dst []byte) []byte
	// structure carries what the items have in common; structureCounts returns the number of its values by context.
	structure(c *carrier)
	structureCounts() []int
	// check checks the structure that was read, and that it has no more items than the limit. The other methods need that.
	check(d *format.Decoder, limit int)
	// locations returns a number above the indices of all locations.
	locations() uint64
	// entries returns the groups that items come in.
	entries() []entry
	// things returns how many things items have in common: keys, stacks, runs and the like.
	things() int
	// contexts returns the number of all contexts.
	contexts() int
	// items carries the items of places; counts returns the number of their values by context. remainders is the number of values for
	// each time that is coded in ticks.
	items(c *carrier, places []place, items []T)
	counts(places []place, remainders int) []int
}

// entry is a group of items of one place.
type entry struct {
	place uint64
	items int
}

// place is what a block has in a place of the subdivision of its node.
type place struct {
	low, middle, high uint64 // slices: low to middle-1 are the first half of the place, middle to high-1 the second
	first, last       int    // entries first to last-1
	items             int
}

// has reports whether a place is that of an item with the slices first to last. A place that cannot be divided has no first half.
func (p *place) has(first, last uint64) bool {
	return first <= last && p.low <= first && (first < p.middle || p.low == p.middle) && p.middle <= last && last < p.high
}

// part is the items that are decoded together: those of one or more places.
type part[T any] struct {
	places []place
	size   int // items
	body   []byte

	once   sync.Once
	items  []T
	damage *format.CorruptError
}

// partItems is the number of items with which a part ends.
const partItems = 128

// open reads all of a block but the parts.
func open[T any](t Tree, k *kind[T], b []byte, limit int, layout func(d *format.Decoder) layout[T]) (*Block[T], error) {
	d := format.NewDecoder(k.section, b)
	o := &Block[T]{tree: t, kind: k}
	o.Node, o.Lane, o.period = t.readNode(d), uint32(d.Int(1<<32)), readPeriod(d)
	o.layout = layout(d)
	o.readModel(d, d.Bytes())
	structure := d.Bytes()
	if d.Err() == nil {
		carrier{}.scatter(o.layout.structureCounts(), o.model, d, structure, o.layout.structure)
	}
	if d.Err() == nil {
		o.layout.check(d, limit)
	}
	if d.Err() == nil {
		o.divide(d)
	}
	if n := o.things(); format.TooDense(uint64(n), len(b)) {
		d.Fail("%d things in %d bytes", n, len(b))
	}
	for i := range o.parts {
		o.parts[i].body = d.Bytes()
	}
	return o, d.FinishFilled(format.LeastBytes(o.things()))
}

// things returns how many things a block has, items and what they have in common.
func (b *Block[T]) things() int { return b.Items + b.layout.things() }

// readNode reads which node a block belongs to. No node is higher than one that has all slices a file can have.
func (t Tree) readNode(d *format.Decoder) Node {
	n := Node{Level: d.Int(64), Index: d.Uvarint()}
	if n.Level < 1 || t.Width(n.Level-1) >= maxSlices || n.Index > (maxSlices-1)/t.Width(n.Level) {
		d.Fail("node %d of level %d", n.Index, n.Level)
		return Node{Level: 1}
	}
	return n
}

// maxPeriod is the greatest period.
const maxPeriod = 1 << 60

func readPeriod(d *format.Decoder) column.Period {
	p := d.Int(maxPeriod + 1)
	if p != 0 && p <= 1<<periodBits {
		d.Fail("a period of %d", p)
	}
	return column.Period(p)
}

func (b *Block[T]) readModel(d *format.Decoder, model []byte) {
	if d.Err() != nil {
		return
	}
	var err error
	if b.model, err = column.ParseModel(model); err != nil {
		d.Fail("%v", err)
	}
}

// divide finds the places that the entries stand in, and divides them into parts.
func (b *Block[T]) divide(d *format.Decoder) {
	if b.model != nil && b.model.Contexts() != b.layout.contexts() {
		d.Fail("a model of %d contexts, not %d", b.model.Contexts(), b.layout.contexts())
	}
	b.Locations = b.layout.locations()
	places := b.places(d)
	size, from := 0, 0
	for i := range places {
		if size += places[i].items; size >= partItems || i == len(places)-1 {
			b.parts = append(b.parts, part[T]{places: places[from : i+1], size: size})
			b.Items += size
			size, from = 0, i+1
		}
	}
}

// places returns the places of the entries, which are in their order.
func (b *Block[T]) places(d *format.Decoder) (places []place) {
	before := uint64(0)
	for i, e := range b.layout.entries() {
		if len(places) == 0 || e.place != before {
			low, high, ok := b.tree.bucketSpan(e.place)
			if !ok || e.place < before {
				d.Fail("place %d after place %d", e.place, before)
				return nil
			}
			width := b.tree.Width(b.Node.Level - 1)
			slice := func(child int) uint64 { return (b.Node.Index*b.tree.Fanout + uint64(child)) * width }
			places = append(places, place{low: slice(low), middle: slice((low + high) / 2), high: slice(high), first: i})
			before = e.place
		}
		p := &places[len(places)-1]
		p.last = i + 1
		p.items += e.items
	}
	return places
}

// Append appends the items that overlap the slices first to last. It decodes no part without one of their places, and keeps
// what it decodes.
func (b *Block[T]) Append(dst []T, first, last uint64) ([]T, error) {
	for i := range b.parts {
		p := &b.parts[i]
		if !slices.ContainsFunc(p.places, func(p place) bool { return p.low <= last && first < p.high }) {
			continue
		}
		p.once.Do(func() { b.decode(p) })
		if p.damage != nil {
			damage := *p.damage // others may have the same
			return nil, &damage
		}
		for j := range p.items {
			if from, to := b.kind.slices(&p.items[j]); from <= last && to >= first {
				dst = append(dst, p.items[j])
			}
		}
	}
	return dst, nil
}

// All returns all items.
func (b *Block[T]) All() ([]T, error) {
	return b.Append(make([]T, 0, b.Items), 0, math.MaxUint64)
}

// carrier returns what the walks over items need.
func (b *Block[T]) carrier() carrier {
	return carrier{period: b.period, remainders: b.kind.remainders}
}

// counts returns how many values a part has by context.
func (b *Block[T]) counts(p *part[T]) []int {
	remainders := 0
	if b.period != 0 {
		remainders = 1
	}
	return b.layout.counts(p.places, remainders)
}

// decode decodes a part. Each item must be where it belongs, so that a reader who skips places misses nothing.
func (b *Block[T]) decode(p *part[T]) {
	d := format.NewDecoder(b.kind.section, nil)
	p.items = make([]T, p.size)
	b.carrier().scatter(b.counts(p), b.model, d, p.body, func(c *carrier) { b.layout.items(c, p.places, p.items) })
	p.body = nil
	items := p.items
	for _, q := range p.places {
		for i := range q.items {
			if !q.has(b.kind.slices(&items[i])) || i > 0 && b.kind.compare(&items[i-1], &items[i]) >= 0 {
				d.Fail("item %d does not belong into the place of slices %d to %d", i, q.low, q.high-1)
			}
		}
		items = items[q.items:]
	}
	errors.As(d.Err(), &p.damage)
}
