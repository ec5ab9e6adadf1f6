package encode

import (
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// A dictionary page holds the shapes that a dictionary gained since the page before:
//
//	ranks    that the dictionary gained: see appendRanks
//	uvarint  number of the first shape
//	uvarint  number of shapes
//	shapes   each either
//	           uvarint 0, uvarint 2*kind + (1 if the first word is a relative rank), uvarint number of attributes, {uvarint id, byte type} each,
//	           uvarint number of words, words as uvarints (0 in place of values)
//	         or
//	           uvarint number of edges, {uvarint 2*(own number - child) + (count > 1), uvarint count-2 if count > 1} each
//
// A shape that an earlier one of the epoch equals is an error, so that a page has one form only. So is a single edge of
// count 1: a shape has more events than each of its children.

const pageSection = "dictionary block"

// AppendPage appends the page of the shapes from number `from` and of the ranks from number `ranks` on.
func (d *Dictionary) AppendPage(dst []byte, from, ranks int) []byte {
	dst = appendRanks(dst, d.ranks[ranks:])
	dst = format.AppendUvarint(dst, uint64(from))
	dst = format.AppendUvarint(dst, uint64(len(d.shapes)-from))
	for i := from; i < len(d.shapes); i++ {
		if l := d.Leaf(uint32(i)); l != nil {
			dst = appendLeaf(dst, l)
		} else {
			dst = appendEdges(dst, uint32(i), d.EdgesOf(uint32(i)))
		}
	}
	return dst
}

func appendLeaf(dst []byte, l *Leaf) []byte {
	dst = format.AppendUvarint(dst, 0)
	dst = format.AppendUvarint(dst, uint64(l.Kind)<<1|uint64(b2u(l.Relative)))
	dst = format.AppendUvarint(dst, uint64(len(l.Attrs)))
	for _, a := range l.Attrs {
		dst = append(format.AppendUvarint(dst, a.ID), byte(a.Type))
	}
	dst = format.AppendUvarint(dst, uint64(len(l.Words)))
	for _, w := range l.Words {
		dst = format.AppendUvarint(dst, w)
	}
	return dst
}

func appendEdges(dst []byte, self uint32, edges []Edge) []byte {
	dst = format.AppendUvarint(dst, uint64(len(edges)))
	for _, e := range edges {
		v := uint64(self-e.Shape) << 1
		if e.Count > 1 {
			dst = format.AppendUvarint(dst, v|1)
			dst = format.AppendUvarint(dst, uint64(e.Count-2))
		} else {
			dst = format.AppendUvarint(dst, v)
		}
	}
	return dst
}

// AddPage adds the shapes of a page. Pages must be added in order.
func (d *Dictionary) AddPage(b []byte, limits format.Limits) error {
	r := format.NewDecoder(pageSection, b)
	limit := limits.WithDefaults().DictionaryShapes
	d.readRanks(r, limit)
	if from := r.Uvarint(); r.Err() == nil && from != uint64(len(d.shapes)) {
		r.Fail("page begins with shape %d, should with %d", from, len(d.shapes))
	}
	n := r.Count(2, limit-len(d.shapes))
	for i := 0; i < n && r.Err() == nil; i++ {
		if edges := r.Count(1, limit-d.parts); edges > 0 {
			d.readComposite(r, edges)
		} else {
			d.readLeaf(r, limit-d.parts)
		}
	}
	return r.Finish()
}

func (d *Dictionary) readLeaf(r *format.Decoder, limit int) {
	head := r.Int(1 << 17)
	kind, relative := trace.Kind(head>>1), head&1 != 0
	attrs := make([]trace.Attr, r.Count(2, limit))
	for i := range attrs {
		attrs[i] = trace.Attr{ID: r.Uvarint(), Type: trace.ValueType(r.Byte())}
	}
	words := make([]uint64, r.Count(1, limit-len(attrs)))
	for i := range words {
		words[i] = r.Uvarint()
	}
	d.parts += len(attrs) + len(words)
	p, err := d.plan(kind)
	if r.Err() != nil {
		return
	}
	if err != nil {
		r.Fail("%v", err)
		return
	}
	if !p.fits(words) {
		r.Fail("%d words do not make a %s", len(words), p.spec.Name)
		return
	}
	if d.scratch = p.template(d.scratch[:0], words); !slices.Equal(d.scratch, words) {
		r.Fail("value field is not zero in a leaf")
		return
	}
	if c := classOf(kind); relative && c != Send && c != Receive {
		r.Fail("relative rank in a %s", p.spec.Name)
		return
	}
	if before := len(d.shapes); int(d.leaf(p, relative, attrs)) < before {
		r.Fail("shape stands twice")
	}
}

func (d *Dictionary) readComposite(r *format.Decoder, n int) {
	self := uint64(len(d.shapes))
	edges := make([]Edge, n)
	for i := range edges {
		v := r.Uvarint()
		if v>>1 == 0 || v>>1 > self {
			r.Fail("edge to a shape that is not before its parent")
			return
		}
		edges[i] = Edge{Shape: uint32(self - v>>1), Count: 1}
		if v&1 != 0 {
			edges[i].Count = uint32(r.Int(1<<32-2)) + 2
		}
	}
	d.parts += n
	if n == 1 && edges[0].Count == 1 {
		r.Fail("shape is nothing but another one")
	}
	if r.Err() != nil {
		return
	}
	if d.Composite(edges) != uint32(self) {
		r.Fail("shape stands twice")
	}
}
