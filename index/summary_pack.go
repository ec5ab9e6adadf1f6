package index

import "encoding/binary"

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
