package index

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
	b := make([]byte, 0, 12*len(v))
	var before Key
	for i := range v {
		for w, word := range v[i].Key {
			b = binary.AppendUvarint(b, word-before[w])
			if word != before[w] {
				before = Key{}
			}
		}
		before = v[i].Key
		for _, sum := range v[i].Sums {
			b = binary.AppendUvarint(b, sum)
		}
	}
	return b
}

// Unpack is the inverse of Pack.
func (b PackedVector) Unpack() Vector {
	var v Vector
	var before Key
	for len(b) > 0 {
		var r Row
		for w := range r.Key {
			step := b.next()
			r.Key[w] = before[w] + step
			if step != 0 {
				before = Key{}
			}
		}
		before = r.Key
		for i := range r.Sums {
			r.Sums[i] = b.next()
		}
		v = append(v, r)
	}
	return v
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
