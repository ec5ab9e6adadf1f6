package shape

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// leaves are those of a dictionary, by number, which is the order of their shapes. There are very many, so what they are made of stands
// one behind the other, in lists without pointers.
type leaves struct {
	info  []LeafInfo
	ends  []leafEnds // ends[i+1] is where the parts of leaf i end, ends[0] is zero
	words []uint64
	attrs []trace.Attr
	slots []Slot
}

// leafEnds are places in the lists of parts.
type leafEnds struct{ words, attrs, slots uint32 }

// LeafInfo is what the loops over events need of a leaf.
type LeafInfo struct {
	Key        uint64
	TimeColumn uint32
	// Number is the number of TimeColumn among the columns of time differences, from 1; 0 for all beyond 65535.
	Number uint16
	Slots  uint16
	// Kind is the leaf's kind. Single says that it has one word, which is Key, no other values and no attributes.
	Kind   trace.Kind
	Class  Class
	Single bool
	// Relative says that the leaf's peer is relative; Attrs, that the leaf has attributes.
	Relative, Attrs bool
}

func infoOf(l *Leaf, number uint16) LeafInfo {
	return LeafInfo{
		Key: l.Key, TimeColumn: l.TimeColumn, Number: number, Slots: uint16(min(len(l.Slots), 1<<16-1)), Class: l.Class, Kind: l.Kind,
		Relative: l.Relative, Attrs: len(l.Attrs) > 0,
		Single: len(l.Words) == 1 && l.Words[0] == l.Key && len(l.Slots)+len(l.Attrs) == 0 && !l.Relative,
	}
}

func (l *leaves) len() int { return len(l.info) }

// add copies a leaf. number is the number of its time column.
func (l *leaves) add(leaf *Leaf, number uint16) {
	if len(l.ends) == 0 {
		l.ends = append(l.ends, leafEnds{})
	}
	l.info = append(l.info, infoOf(leaf, number))
	l.words, l.attrs, l.slots = append(l.words, leaf.Words...), append(l.attrs, leaf.Attrs...), append(l.slots, leaf.Slots...)
	l.ends = append(l.ends, leafEnds{uint32(len(l.words)), uint32(len(l.attrs)), uint32(len(l.slots))})
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
	ends := l.ends[number:][:2]
	return l.words[ends[0].words:ends[1].words:ends[1].words]
}

func (l *leaves) attrsOf(number uint32) []trace.Attr {
	ends := l.ends[number:][:2]
	return l.attrs[ends[0].attrs:ends[1].attrs:ends[1].attrs]
}

func (l *leaves) SlotsOf(number uint32) []Slot {
	ends := l.ends[number:][:2]
	return l.slots[ends[0].slots:ends[1].slots:ends[1].slots]
}

// is reports whether a leaf is made of certain parts.
func (l *leaves) is(number uint32, kind trace.Kind, relative bool, words []uint64, attrs []trace.Attr) bool {
	i := &l.info[number]
	return i.Kind == kind && i.Relative == relative && slices.Equal(l.wordsOf(number), words) &&
		slices.EqualFunc(l.attrsOf(number), attrs, func(a, b trace.Attr) bool { return a.ID == b.ID && a.Type == b.Type })
}

// clip gives back the room for more leaves.
func (l *leaves) clip() {
	l.info, l.ends, l.words, l.attrs, l.slots = exact(l.info), exact(l.ends), exact(l.words), exact(l.attrs), exact(l.slots)
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

// Slots returns the values of the leaf of a number that vary, other than its time.
func (d *Dictionary) Slots(leaf uint32) []Slot { return d.leaves.SlotsOf(leaf) }
