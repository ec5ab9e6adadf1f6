package shape

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// leaves are those of a dictionary, by number, which is the order of their shapes. There are very many, so what they are made of stands
// one behind the other, in lists without pointers.
type leaves struct {
	info  []LeafInfo
	parts []leafEnds // parts[i+1] is where those of leaf i end, parts[0] is zero
	words []uint64
	attrs []trace.Attr
	layouts
}

// leafEnds are places in the lists of parts.
type leafEnds struct{ words, attrs uint32 }

// LeafInfo is what the loops over events need of a leaf.
type LeafInfo struct {
	Key        uint64
	TimeColumn uint32
	// Layout is the number of the list of the leaf's slots, 0 if it has none.
	Layout uint32
	// Number is the number of TimeColumn among the columns of time differences, from 1; 0 for all beyond 65535.
	Number uint16
	// Kind is the leaf's kind. Single says that it has one word, which is Key, no other values and no attributes.
	Kind   trace.Kind
	Class  Class
	Single bool
	// Relative says that the leaf's peer is relative; Attrs, that the leaf has attributes.
	Relative, Attrs bool
}

func infoOf(l *Leaf, layout uint32, number uint16) LeafInfo {
	return LeafInfo{
		Key: l.Key, TimeColumn: l.TimeColumn, Layout: layout, Number: number, Class: l.Class, Kind: l.Kind,
		Relative: l.Relative, Attrs: len(l.Attrs) > 0,
		Single: len(l.Words) == 1 && l.Words[0] == l.Key && len(l.Slots)+len(l.Attrs) == 0 && !l.Relative,
	}
}

func (l *leaves) len() int { return len(l.info) }

// add copies a leaf. number is the number of its time column.
func (l *leaves) add(leaf *Leaf, layout uint32, number uint16) {
	if len(l.parts) == 0 {
		l.parts = append(l.parts, leafEnds{})
	}
	l.info = append(l.info, infoOf(leaf, layout, number))
	l.words, l.attrs = append(l.words, leaf.Words...), append(l.attrs, leaf.Attrs...)
	l.parts = append(l.parts, leafEnds{uint32(len(l.words)), uint32(len(l.attrs))})
}

// leaf returns a leaf as a whole.
func (l *leaves) leaf(number uint32) Leaf {
	i := &l.info[number]
	return Leaf{
		Kind: i.Kind, Class: i.Class, Key: i.Key, Relative: i.Relative, TimeColumn: i.TimeColumn,
		Words: l.wordsOf(number), Attrs: l.attrsOf(number), Slots: l.SlotsOf(number),
	}
}

func (l *leaves) wordsOf(number uint32) []uint64 {
	ends := l.parts[number:][:2]
	return l.words[ends[0].words:ends[1].words:ends[1].words]
}

func (l *leaves) attrsOf(number uint32) []trace.Attr {
	ends := l.parts[number:][:2]
	return l.attrs[ends[0].attrs:ends[1].attrs:ends[1].attrs]
}

func (l *leaves) SlotsOf(number uint32) []Slot { return l.layouts.of(l.info[number].Layout) }

// is reports whether a leaf is made of certain parts.
func (l *leaves) is(number uint32, kind trace.Kind, relative bool, words []uint64, attrs []trace.Attr) bool {
	i := &l.info[number]
	return i.Kind == kind && i.Relative == relative && slices.Equal(l.wordsOf(number), words) &&
		slices.EqualFunc(l.attrsOf(number), attrs, func(a, b trace.Attr) bool { return a.ID == b.ID && a.Type == b.Type })
}

// clip gives back the room for more leaves.
func (l *leaves) clip() {
	l.info, l.parts, l.words, l.attrs, l.slots, l.ends = exact(l.info), exact(l.parts), exact(l.words), exact(l.attrs), exact(l.slots), exact(l.ends)
}

// exact returns a list in about as much memory as it needs.
func exact[T any](s []T) []T {
	if cap(s)-len(s) < len(s)/8 {
		return s
	}
	return append(make([]T, 0, len(s)), s...)
}

// LeafTable is a snapshot of the leaves of a dictionary. It does not change while shapes are added.
type LeafTable struct{ leaves }

// LeafTable returns the table of all leaves so far.
func (d *Dictionary) LeafTable() LeafTable { return LeafTable{d.leaves} }

// Info returns what loops over events need of all leaves.
func (d *Dictionary) Info() []LeafInfo { return d.leaves.info }

// Info returns what loops over events need of the table's leaves.
func (t *LeafTable) Info() []LeafInfo { return t.info }

// Leaf returns the leaf of a shape, nil if the shape is none.
func (d *Dictionary) Leaf(shape uint32) *Leaf {
	s := &d.shapes[shape]
	if !s.isLeaf() {
		return nil
	}
	l := d.leaves.leaf(s.at)
	return &l
}

// LeafNumber returns the number among the leaves of a shape that is one.
func (d *Dictionary) LeafNumber(shape uint32) uint32 { return d.shapes[shape].at }

// Words returns the words of the leaf of a number.
func (d *Dictionary) Words(leaf uint32) []uint64 { return d.leaves.wordsOf(leaf) }

// Attrs returns the attributes of the leaf of a number, without their values.
func (d *Dictionary) Attrs(leaf uint32) []trace.Attr { return d.leaves.attrsOf(leaf) }

// AsLeaf returns the number of a shape among the leaves; ok is false if the shape is none.
func (d *Dictionary) AsLeaf(shape uint32) (number uint32, ok bool) {
	s := &d.shapes[shape]
	return s.at, s.isLeaf()
}

// Layouts returns the number of lists of slots that leaves have, with the empty one.
func (d *Dictionary) Layouts() int { return max(len(d.leaves.ends), 1) }

// Layout returns the slots of a layout.
func (d *Dictionary) Layout(number uint32) []Slot { return d.leaves.layouts.of(number) }

// Home returns the only layout that a column has one value in, ManyLayouts if it has more of them, 0 if it has none.
func (d *Dictionary) Home(column uint32) uint32 {
	if int(column) >= len(d.layouts.homes) {
		return 0
	}
	return d.layouts.homes[column]
}

// Slots returns the values of the leaf of a number that vary, other than its time.
func (d *Dictionary) Slots(leaf uint32) []Slot { return d.leaves.SlotsOf(leaf) }
