package tables

import (
	"encoding/binary"
	"math"

	"github.com/pandotrace/pando/format"
)

// PackedVector is a vector in few bytes, for memory only: for each row
//
//	uvarints  words of the key, each less that of the row before if all words before are the same
//	uvarints  sums
type PackedVector []byte

// Pack packs a vector.
func (v Vector) Pack() PackedVector {
	if len(v) == 0 {
		return nil
	}
	p := rowPacker{b: make(PackedVector, 0, 12*len(v))}
	for i := range v {
		p.add(&v[i])
	}
	return p.b
}

// rowPacker appends rows in order.
type rowPacker struct {
	b      PackedVector
	before Key
}

func (p *rowPacker) add(r *Row) {
	for w, word := range r.Key {
		p.b = binary.AppendUvarint(p.b, word-p.before[w])
		if word != p.before[w] {
			p.before = Key{}
		}
	}
	p.before = r.Key
	for _, sum := range r.Sums {
		p.b = binary.AppendUvarint(p.b, sum)
	}
}

// Unpack is the inverse of Pack.
func (b PackedVector) Unpack() Vector {
	var v Vector
	for rows := (rowReader{rest: b}); rows.next(); {
		v = append(v, rows.row)
	}
	return v
}

// Rows counts the rows.
func (b PackedVector) Rows() (n int) {
	for rows := (rowReader{rest: b}); rows.next(); {
		n++
	}
	return n
}

// rowReader reads rows one by one.
type rowReader struct {
	rest PackedVector
	row  Row
	more bool
}

// next reads the next row. It returns false if there is none.
func (r *rowReader) next() bool {
	if r.more = len(r.rest) > 0; !r.more {
		return false
	}
	before := r.row.Key
	for w := range r.row.Key {
		step := r.rest.next()
		r.row.Key[w] = before[w] + step
		if step != 0 {
			before = Key{}
		}
	}
	for i := range r.row.Sums {
		r.row.Sums[i] = r.rest.next()
	}
	return true
}

// AddPacked adds up packed vectors row by row, so that only their bytes are in memory. It reports false if a sum gets too large.
func AddPacked(vectors []PackedVector) (sum PackedVector, ok bool) {
	ok = true
	for ; len(vectors) > 1 && ok; vectors = vectors[:(len(vectors)+1)/2] {
		for i := 0; i+1 < len(vectors) && ok; i += 2 {
			vectors[i/2], ok = addTwo(vectors[i], vectors[i+1])
		}
		if n := len(vectors); n%2 > 0 {
			vectors[n/2] = vectors[n-1]
		}
	}
	if len(vectors) == 0 {
		return nil, ok
	}
	return vectors[0], ok
}

// addTwo adds up two vectors.
func addTwo(x, y PackedVector) (sum PackedVector, ok bool) {
	if len(x) == 0 || len(y) == 0 {
		return append(x, y...), true
	}
	p := rowPacker{b: make(PackedVector, 0, len(x)+len(y))}
	a, b := rowReader{rest: x}, rowReader{rest: y}
	a.next()
	b.next()
	for ok = true; a.more && b.more && ok; {
		switch c := a.row.Key.Compare(&b.row.Key); {
		case c < 0:
			p.add(&a.row)
			a.next()
		case c > 0:
			p.add(&b.row)
			b.next()
		default:
			row := a.row
			ok = row.add(&b.row)
			p.add(&row)
			a.next()
			b.next()
		}
	}
	for _, r := range []*rowReader{&a, &b} {
		for ; r.more; r.next() {
			p.add(&r.row)
		}
	}
	return p.b, ok
}

func (b *PackedVector) next() uint64 {
	v, n := binary.Uvarint(*b)
	*b = (*b)[n:]
	return v
}

// Pack appends a row in few bytes, for memory only:
//
//	uvarints  words of the key, number
//	varint    time of the first value
//	uvarints  ticks to that of the last one; value; bits of the minimum and the maximum that are not the value's; words of the
//	          integral, the upper one zigzag-coded; bits of that of floats
func (r *MetricRow) Pack(dst []byte) []byte {
	for _, word := range r.Key {
		dst = binary.AppendUvarint(dst, word)
	}
	dst = binary.AppendUvarint(dst, r.Count)
	dst = format.AppendVarint(dst, r.First)
	for _, v := range [...]uint64{
		uint64(r.Last - r.First), r.Value, r.Min ^ r.Value, r.Max ^ r.Value, r.Integral.Lo, format.Zigzag(r.Integral.Hi), math.Float64bits(r.Float),
	} {
		dst = binary.AppendUvarint(dst, v)
	}
	return dst
}

// UnpackMetricRow returns the row that was packed at the beginning of some bytes, and what follows.
func UnpackMetricRow(packed []byte) (r MetricRow, rest []byte) {
	b := PackedVector(packed)
	for w := range r.Key {
		r.Key[w] = b.next()
	}
	r.Count = b.next()
	r.First = format.Unzigzag(b.next())
	r.Last = r.First + int64(b.next())
	r.Value = b.next()
	r.Min, r.Max = b.next()^r.Value, b.next()^r.Value
	r.Integral.Lo = b.next()
	r.Integral.Hi = format.Unzigzag(b.next())
	r.Float = math.Float64frombits(b.next())
	return r, b
}
