package shape

import (
	"fmt"
	"sync"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/trace"
)

// Dictionary holds the shapes of one lane in one epoch, each once.
//
// Source: hash-consing of call trees into an ordered DAG; Knüpfer's compressed complete call graphs (§4.3), MTF2's
// counted edges and recursions.
//
// A Dictionary is not safe for concurrent use while shapes are added; reading it is.
type Dictionary struct {
	kinds   *trace.Table
	plans   map[trace.Kind]*plan
	recent  [16]*plan // by the kind's last bits: those that were looked up last, as that is done for each event
	demoted []FieldRef

	shapes []node
	edges  []Edge // of all composites

	leaves     leaves
	layouts    layoutIndex
	leafShapes []uint32 // by leaf

	ranks  []OwnRank
	rankOf map[rankKey]int
	nearby struct { // the rank that was looked up last for an event that was added
		rankKey
		number int // from 1
	}

	columns     map[columnKey]uint32
	columnCount int
	columnInfos []ColumnInfo // of all but the shared columns
	numbers     []uint16     // by column: see LeafInfo; 0 for those that are not of time differences
	timeColumns int

	table      []uint32 // open addressing over hashes; 0 is empty, else shape number + 1
	quick      [2][]uint32
	bare       []BareCall   // by region
	arounds    []aroundCall // by shape of the event inside
	recentEnds recentEnds   // that were looked up lately
	scratch    []uint64
	slots      []Slot // of the leaf that was added last
	attrs      []trace.Attr

	pager *pager // of the pages read
	parts int    // edges, words and attributes of the shapes read from pages
	view  View
}

// NewDictionary returns an empty dictionary of events of the given kinds.
func NewDictionary(kinds *trace.Table) *Dictionary {
	d := &Dictionary{
		kinds: kinds, plans: map[trace.Kind]*plan{}, columns: map[columnKey]uint32{}, rankOf: map[rankKey]int{},
		columnCount: ResidualColumn + 1, columnInfos: []ColumnInfo{{Group: trace.ColumnOthers}}, table: make([]uint32, 256),
	}
	d.view = View{d, sync.OnceValue(d.countCalls)}
	return d
}

// Len returns the number of shapes.
func (d *Dictionary) Len() int { return len(d.shapes) }

// Columns returns the number of value columns.
func (d *Dictionary) Columns() int { return d.columnCount }

// ColumnInfos returns the kind, field and coding of all value columns but the shared ones. It stays
// valid while shapes are added.
func (d *Dictionary) ColumnInfos() []ColumnInfo { return d.columnInfos }

// quickRegions bounds the region numbers for which enters and leaves are found without hashing.
const quickRegions = 1 << 16

// Event returns the shape of an event of a location: its leaf, added if it is new. The peer of an event, of a send for one, is kept
// relative to the location's rank, if the dictionary knows that.
func (d *Dictionary) Event(location uint32, kind trace.Kind, words []uint64, attrs []trace.Attr) (uint32, error) {
	if (kind == trace.KindEnter || kind == trace.KindLeave) && len(attrs) == 0 && len(words) == 1 {
		q := &d.quick[kind-trace.KindEnter]
		if r := words[0]; r < uint64(len(*q)) {
			if s := (*q)[r]; s != 0 {
				return s - 1, nil
			}
		}
		s, err := d.event(location, kind, words, attrs)
		if err == nil && words[0] < quickRegions {
			for uint64(len(*q)) <= words[0] {
				*q = append(*q, 0)
			}
			(*q)[words[0]] = s + 1
		}
		return s, err
	}
	if c := classOf(kind); (c == Send || c == Receive) && len(words) >= 4 && len(attrs) == 0 {
		return d.end(location, kind, words)
	}
	return d.event(location, kind, words, attrs)
}

// event finds or adds a leaf.
func (d *Dictionary) event(location uint32, kind trace.Kind, words []uint64, attrs []trace.Attr) (uint32, error) {
	p, err := d.plan(kind)
	if err != nil {
		return 0, err
	}
	if !p.fits(words) {
		return 0, fmt.Errorf("%d words do not make a %s", len(words), p.spec.Name)
	}
	d.scratch = p.template(d.scratch[:0], words)
	own := (*OwnRank)(nil)
	if p.hasPeer() {
		if own = d.peersRank(location, words); own != nil {
			d.scratch[0] = own.relative(words[0])
		}
	}
	return d.leaf(p, own != nil, attrs), nil
}

// leaf finds or adds the leaf whose words stand in scratch.
func (d *Dictionary) leaf(p *plan, relative bool, attrs []trace.Attr) uint32 {
	h := hashLeaf(p.spec.ID, relative, d.scratch, attrs)
	at, found := d.find(h, func(s *node) bool {
		return s.isLeaf() && d.leaves.is(s.at, p.spec.ID, relative, d.scratch, attrs)
	})
	if found {
		return d.table[at] - 1
	}
	return d.addLeaf(h, p, relative, d.scratch, attrs)
}

func (d *Dictionary) plan(kind trace.Kind) (*plan, error) {
	recent := &d.recent[kind%trace.Kind(len(d.recent))]
	if p := *recent; p != nil && p.spec.ID == kind {
		return p, nil
	}
	if p := d.plans[kind]; p != nil {
		*recent = p
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

func (d *Dictionary) addLeaf(h uint32, p *plan, relative bool, words []uint64, attrs []trace.Attr) uint32 {
	l := Leaf{Kind: p.spec.ID, Class: classOf(p.spec.ID), Key: p.key(words), Relative: relative, Words: words, Slots: d.slots[:0], Attrs: d.attrs[:0]}
	l.TimeColumn = d.timeColumn(l.Kind, l.Key)
	for w := range words {
		f, elem := p.field(w, len(words))
		if p.structural[f] {
			continue
		}
		typed, field := valueType(p.spec, f, words, w), &p.spec.Fields[f]
		k := columnKey{kind: l.Kind, field: int16(f), typed: typed, elem: uint32(elem), key: l.Key}
		info := ColumnInfo{Name: field.Name, Mode: slotMode(field.Type), Double: field.Type == trace.TypeDouble || typed == trace.ValueDouble, Group: p.values}
		if info.Mode == Text {
			info.Group = trace.ColumnOthers
		}
		l.Slots = append(l.Slots, Slot{Word: uint32(w), Column: d.column(k, info), Mode: info.Mode})
	}
	for i, a := range attrs {
		l.Attrs = append(l.Attrs, trace.Attr{ID: a.ID, Type: a.Type})
		c := d.column(columnKey{field: attrField, typed: a.Type, key: a.ID}, ColumnInfo{Double: a.Type == trace.ValueDouble, Group: trace.ColumnOthers})
		l.Slots = append(l.Slots, Slot{Word: uint32(len(words) + i), Column: c})
	}
	d.slots, d.attrs = l.Slots, l.Attrs
	d.leafShapes = append(d.leafShapes, uint32(len(d.shapes)))
	d.leaves.add(&l, d.layouts.add(&d.leaves.layouts, l.Slots), d.numbers[l.TimeColumn])
	return d.add(node{hash: h, at: uint32(d.leaves.len() - 1), n: isLeaf, events: 1, words: uint64(len(words) + len(attrs) + 1)})
}

// valueType returns the type of word w, which belongs to field f, if it stands in the word before.
func valueType(spec *trace.Spec, f int, words []uint64, w int) trace.ValueType {
	if f == 0 || spec.Fields[f].Type != trace.TypeValue || spec.Fields[f-1].Type != trace.TypeCode {
		return trace.ValueNone
	}
	return trace.ValueType(words[w-1])
}

// slotMode returns how values of a type are coded.
func slotMode(t trace.Type) SlotMode {
	switch {
	case t == trace.TypeTime:
		return Time
	case t.InText():
		return Text
	}
	return Predicted
}

// timeColumn returns the column of time differences; the next one is that of the tick counts.
func (d *Dictionary) timeColumn(kind trace.Kind, key uint64) uint32 {
	c := d.columnOf(columnKey{kind: kind, field: TimeField, key: key}, 2, SharedTimes, ColumnInfo{Mode: Time, Group: trace.ColumnTimes})
	for len(d.numbers) <= int(c) {
		d.numbers = append(d.numbers, 0)
	}
	if d.numbers[c] == 0 && d.timeColumns < 1<<16-1 {
		d.timeColumns++
		d.numbers[c] = uint16(d.timeColumns)
	}
	return c
}

func (d *Dictionary) column(k columnKey, info ColumnInfo) uint32 {
	return d.columnOf(k, 1, SharedValues, info)
}

// columnOf returns the column of a key, and gives the next n columns to a new one. When fewer are left, all
// columns count as given out.
func (d *Dictionary) columnOf(k columnKey, n int, shared uint32, info ColumnInfo) uint32 {
	c, ok := d.columns[k]
	switch {
	case ok:
		return c
	case d.columnCount+n > SharedTimes:
		d.columnCount = column.MaxContexts
		return shared
	}
	c = uint32(d.columnCount)
	d.columnCount += n
	d.columns[k] = c
	info.Kind, info.Field, info.Key = k.kind, int(k.field), k.key
	for range n {
		d.columnInfos = append(d.columnInfos, info)
	}
	return c
}
