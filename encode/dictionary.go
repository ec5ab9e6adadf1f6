package encode

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/pandotrace/pando/trace"
)

// Edge is a counted reference from a shape to a child: the child, Shape, stands Count times in a row.
type Edge struct {
	Shape, Count uint32
}

// Token is an edge without a parent: what a location's part of a slice consists of.
type Token = Edge

// Dictionary holds the shapes of one lane in one epoch. A shape is a leaf, or an ordered list of counted edges to
// shapes of smaller number, so that no cycle can be written down. Each shape is held once.
//
// Source: hash-consing of call trees into an ordered DAG; Knüpfer's compressed complete call graphs (§4.3), MTF2's
// counted edges.
//
// A Dictionary is not safe for concurrent use while shapes are added; reading it is.
type Dictionary struct {
	kinds *trace.Table
	plans map[trace.Kind]*plan

	shapes []shape
	edges  []Edge
	leaves []Leaf

	ranks  []OwnRank
	rankOf map[rankKey]int

	columns     map[columnKey]uint32
	columnCount int
	numbers     map[uint32]uint16 // of the columns of time differences, see LeafInfo

	table   []uint32 // open addressing over hashes; 0 is empty, else shape number + 1
	quick   [2][]uint32
	scratch []uint64

	parts int // edges, words and attributes of the shapes read from pages

	info []LeafInfo                 // of all shapes
	flat []atomic.Pointer[[]uint32] // of all shapes: the leaves of small ones, made when first needed
}

type shape struct {
	hash   uint64
	leaf   int32 // index in leaves, -1 for a composite
	at, n  uint32
	events uint64 // number of events, saturating
	words  uint64 // number of words, attributes and times of the events, saturating
}

// LeafInfo is what the loops over events need of a leaf; all zero for shapes that are none.
type LeafInfo struct {
	Key        uint64
	TimeColumn uint32
	// Number is that of TimeColumn among the columns of time differences, from 1; 0 for all beyond 65535.
	Number uint16
	Slots  uint16
	Class  Class
}

// NewDictionary returns an empty dictionary of events of the given kinds.
func NewDictionary(kinds *trace.Table) *Dictionary {
	return &Dictionary{
		kinds: kinds, plans: map[trace.Kind]*plan{}, columns: map[columnKey]uint32{}, rankOf: map[rankKey]int{}, numbers: map[uint32]uint16{},
		columnCount: ResidualColumn + 1, table: make([]uint32, 256),
	}
}

// Len returns the number of shapes.
func (d *Dictionary) Len() int { return len(d.shapes) }

// Columns returns the number of value columns.
func (d *Dictionary) Columns() int { return d.columnCount }

// Info returns the dense table over all shapes of what loops over events need.
func (d *Dictionary) Info() []LeafInfo { return d.info }

// Leaf returns the leaf of a shape, nil if the shape is none.
func (d *Dictionary) Leaf(shape uint32) *Leaf {
	if i := d.shapes[shape].leaf; i >= 0 {
		return &d.leaves[i]
	}
	return nil
}

// Events returns the number of events of a shape.
func (d *Dictionary) Events(shape uint32) uint64 { return d.shapes[shape].events }

// EdgesOf returns the edges of a shape, nil for a leaf.
func (d *Dictionary) EdgesOf(shape uint32) []Edge {
	s := &d.shapes[shape]
	if s.leaf >= 0 {
		return nil
	}
	return d.edges[s.at : s.at+s.n]
}

// quickRegions bounds the region numbers for which enters and leaves are found without hashing.
const quickRegions = 1 << 16

// Event returns the shape of an event of a location: its leaf, added if it is new. The peer of a send or receive is kept
// relative to the location's rank, if the dictionary knows that.
func (d *Dictionary) Event(location uint32, kind trace.Kind, words []uint64, attrs []trace.Attr) (uint32, error) {
	if (kind == trace.KindEnter || kind == trace.KindLeave) && len(attrs) == 0 && len(words) == 1 {
		q := &d.quick[kind-trace.KindEnter]
		if r := words[0]; r < uint64(len(*q)) {
			if s := (*q)[r]; s != 0 {
				return s - 1, nil
			}
		}
		s, err := d.event(nil, kind, words, attrs)
		if err == nil && words[0] < quickRegions {
			for uint64(len(*q)) <= words[0] {
				*q = append(*q, 0)
			}
			(*q)[words[0]] = s + 1
		}
		return s, err
	}
	var own *OwnRank
	if c := classOf(kind); (c == Send || c == Receive) && len(words) > 1 {
		if own = d.Rank(location, words[1]); own != nil && words[0] >= own.Size {
			own = nil // the peer is no member of the communicator
		}
	}
	return d.event(own, kind, words, attrs)
}

// event finds or adds a leaf; with own, the first word is a rank to be made relative.
func (d *Dictionary) event(own *OwnRank, kind trace.Kind, words []uint64, attrs []trace.Attr) (uint32, error) {
	p, err := d.plan(kind)
	if err != nil {
		return 0, err
	}
	if !p.fits(words) {
		return 0, fmt.Errorf("%d words do not make a %s", len(words), p.spec.Name)
	}
	d.scratch = p.template(d.scratch[:0], words)
	if own != nil {
		d.scratch[0] = own.relative(words[0])
	}
	return d.leaf(p, own != nil, attrs), nil
}

// leaf finds or adds the leaf whose words stand in scratch.
func (d *Dictionary) leaf(p *plan, relative bool, attrs []trace.Attr) uint32 {
	h := hashLeaf(p.spec.ID, relative, d.scratch, attrs)
	at, found := d.find(h, func(s *shape) bool {
		return s.leaf >= 0 && d.leaves[s.leaf].equal(p.spec.ID, relative, d.scratch, attrs)
	})
	if found {
		return d.table[at] - 1
	}
	return d.addLeaf(h, p, relative, slices.Clone(d.scratch), attrs)
}

func (d *Dictionary) plan(kind trace.Kind) (*plan, error) {
	if p := d.plans[kind]; p != nil {
		return p, nil
	}
	spec := d.kinds.Spec(kind)
	if spec == nil {
		return nil, fmt.Errorf("unknown kind %d", uint16(kind))
	}
	p := newPlan(spec)
	d.plans[kind] = p
	return p, nil
}

func (l *Leaf) equal(kind trace.Kind, relative bool, words []uint64, attrs []trace.Attr) bool {
	return l.Kind == kind && l.Relative == relative && slices.Equal(l.Words, words) && slices.EqualFunc(l.Attrs, attrs, func(a, b trace.Attr) bool {
		return a.ID == b.ID && a.Type == b.Type
	})
}

func (d *Dictionary) addLeaf(h uint64, p *plan, relative bool, words []uint64, attrs []trace.Attr) uint32 {
	l := Leaf{Kind: p.spec.ID, Class: classOf(p.spec.ID), Key: p.key(words), Relative: relative, Words: words}
	l.TimeColumn = d.timeColumn(l.Kind, l.Key)
	for w := range words {
		f, elem := p.field(w, len(words))
		if p.structural[f] {
			continue
		}
		typed := valueType(p.spec, f, words, w)
		c := d.column(columnKey{kind: l.Kind, field: int16(f), typed: typed, elem: uint32(elem), key: l.Key})
		l.Slots = append(l.Slots, Slot{Word: uint32(w), Column: c, Mode: slotMode(p.spec.Fields[f].Type, typed)})
	}
	for i, a := range attrs {
		l.Attrs = append(l.Attrs, trace.Attr{ID: a.ID, Type: a.Type})
		c := d.column(columnKey{field: columnAttr, typed: a.Type, key: a.ID})
		l.Slots = append(l.Slots, Slot{Word: uint32(len(words) + i), Column: c})
	}
	d.leaves = append(d.leaves, l)
	d.info = append(d.info, LeafInfo{Key: l.Key, TimeColumn: l.TimeColumn, Number: d.numbers[l.TimeColumn], Slots: uint16(min(len(l.Slots), 1<<16-1)), Class: l.Class})
	return d.add(shape{hash: h, leaf: int32(len(d.leaves) - 1), events: 1, words: uint64(len(words) + len(attrs) + 1)})
}

// valueType returns the type of word w, which belongs to field f, if it stands in the word before.
func valueType(spec *trace.Spec, f int, words []uint64, w int) trace.ValueType {
	if f == 0 || spec.Fields[f].Type != trace.TypeValue || spec.Fields[f-1].Type != trace.TypeCode {
		return trace.ValueNone
	}
	return trace.ValueType(words[w-1])
}

// slotMode returns how values of a type are predicted.
func slotMode(t trace.Type, typed trace.ValueType) SlotMode {
	switch {
	case t == trace.TypeTime:
		return Time
	case t.InText():
		return Text
	case typed >= trace.ValueUint8 && typed <= trace.ValueInt64:
		return Count
	}
	return Delta
}

// timeColumn returns the column of time differences; the next one is that of the tick counts.
func (d *Dictionary) timeColumn(kind trace.Kind, key uint64) uint32 {
	c := d.columnOf(columnKey{kind: kind, field: columnTime, key: key}, 2, sharedTimes)
	if _, ok := d.numbers[c]; !ok && len(d.numbers) < 1<<16-1 {
		d.numbers[c] = uint16(len(d.numbers) + 1)
	}
	return c
}

func (d *Dictionary) column(k columnKey) uint32 { return d.columnOf(k, 1, sharedValues) }

// columnOf returns the column of a key, and gives the next n columns to a new one. When there are not so many left, all
// columns count as given out.
func (d *Dictionary) columnOf(k columnKey, n int, shared uint32) uint32 {
	c, ok := d.columns[k]
	switch {
	case ok:
		return c
	case d.columnCount+n > sharedTimes:
		d.columnCount = maxContexts
		return shared
	}
	c = uint32(d.columnCount)
	d.columnCount += n
	d.columns[k] = c
	return c
}

// Composite returns the shape with the given edges, added if it is new.
func (d *Dictionary) Composite(edges []Edge) uint32 {
	h := hashEdges(edges)
	at, found := d.find(h, func(s *shape) bool {
		return s.leaf < 0 && slices.Equal(d.edges[s.at:s.at+s.n], edges)
	})
	if found {
		return d.table[at] - 1
	}
	return d.addComposite(h, edges)
}

func (d *Dictionary) addComposite(h uint64, edges []Edge) uint32 {
	s := shape{hash: h, leaf: -1, at: uint32(len(d.edges)), n: uint32(len(edges))}
	for _, e := range edges {
		child := &d.shapes[e.Shape]
		s.events = saturatingAdd(s.events, saturatingMul(child.events, uint64(e.Count)))
		s.words = saturatingAdd(s.words, saturatingMul(child.words, uint64(e.Count)))
	}
	d.edges = append(d.edges, edges...)
	d.info = append(d.info, LeafInfo{})
	return d.add(s)
}

// add appends a shape that is known to be new.
func (d *Dictionary) add(s shape) uint32 {
	d.shapes = append(d.shapes, s)
	n := uint32(len(d.shapes))
	if int(n)*2 > len(d.table) {
		d.grow()
	} else {
		at, _ := d.find(s.hash, func(*shape) bool { return false })
		d.table[at] = n
	}
	return n - 1
}

func (d *Dictionary) grow() {
	d.table = make([]uint32, 2*len(d.table))
	for i := range d.shapes {
		at, _ := d.find(d.shapes[i].hash, func(*shape) bool { return false })
		d.table[at] = uint32(i + 1)
	}
}

// find returns the place of the shape of this hash that `same` accepts, or the free place where it belongs.
func (d *Dictionary) find(h uint64, same func(*shape) bool) (at int, found bool) {
	mask := len(d.table) - 1
	for at = int(h) & mask; d.table[at] != 0; at = (at + 1) & mask {
		if s := &d.shapes[d.table[at]-1]; s.hash == h && same(s) {
			return at, true
		}
	}
	return at, false
}

func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

func hashLeaf(kind trace.Kind, relative bool, words []uint64, attrs []trace.Attr) uint64 {
	h := mix(uint64(kind)|uint64(b2u(relative))<<16, uint64(len(words)))
	for _, w := range words {
		h = mix(h, w)
	}
	for _, a := range attrs {
		h = mix(mix(h, a.ID), uint64(a.Type))
	}
	return h
}

func hashEdges(edges []Edge) uint64 {
	h := mix(1<<32, uint64(len(edges)))
	for _, e := range edges {
		h = mix(h, uint64(e.Shape)<<32|uint64(e.Count))
	}
	return h
}

func saturatingAdd(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return 1<<64 - 1
	}
	return s
}

func saturatingMul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return 1<<64 - 1
	}
	return lo
}
