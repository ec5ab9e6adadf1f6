package format

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// AppendUvarint appends an unsigned integer in LEB128: seven bits a byte, low ones first, the eighth bit set in all
// bytes but the last, no more bytes than needed.
func AppendUvarint(dst []byte, v uint64) []byte { return binary.AppendUvarint(dst, v) }

// UvarintLen returns the number of bytes that [AppendUvarint] appends.
func UvarintLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// AppendVarint appends a signed integer, zigzag-coded: 0, -1, 1, -2 … become 0, 1, 2, 3 …
func AppendVarint(dst []byte, v int64) []byte { return binary.AppendUvarint(dst, Zigzag(v)) }

// Zigzag maps signed integers of small size to small unsigned ones.
func Zigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// Unzigzag is the inverse of Zigzag.
func Unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// AppendBytes appends a length and the bytes.
func AppendBytes[B ~[]byte | ~string](dst []byte, b B) []byte {
	dst = AppendUvarint(dst, uint64(len(b)))
	return append(dst, b...)
}

// Decoder reads what the Append functions wrote. The first error sticks: later reads return zero, so that a
// caller checks once, at the end. It accepts only the shortest form of each integer, so that what parses is canonical.
type Decoder struct {
	section string
	data    []byte
	pos     int
	err     error
}

// NewDecoder reads from b; errors name the section.
func NewDecoder(section string, b []byte) *Decoder { return &Decoder{section: section, data: b} }

// Err returns the first error.
func (d *Decoder) Err() error { return d.err }

// Len returns the number of bytes left.
func (d *Decoder) Len() int { return len(d.data) - d.pos }

// Fail makes the decoder fail with a CorruptError, unless it failed before.
func (d *Decoder) Fail(msg string, args ...any) {
	if d.err == nil {
		d.err = Corruptf(d.section, -1, "byte %d: "+msg, append([]any{d.pos}, args...)...)
		d.pos = len(d.data)
	}
}

// FailLimit is Fail for what a limit of the reader refuses.
func (d *Decoder) FailLimit(msg string, args ...any) {
	if d.err == nil {
		d.Fail(msg, args...)
		d.err.(*CorruptError).Kind = ErrLimit
	}
}

// Finish returns the first error; bytes left over are one.
func (d *Decoder) Finish() error {
	if d.err == nil && d.Len() > 0 {
		d.Fail("%d bytes too many", d.Len())
	}
	return d.err
}

// Uvarint reads an unsigned integer.
func (d *Decoder) Uvarint() uint64 {
	if d.pos < len(d.data) && d.data[d.pos] < 0x80 {
		d.pos++
		return uint64(d.data[d.pos-1])
	}
	v, n := binary.Uvarint(d.data[d.pos:])
	if n <= 0 || n != (bits.Len64(v|1)+6)/7 {
		d.Fail("bad integer")
		return 0
	}
	d.pos += n
	return v
}

// Varint reads a signed integer.
func (d *Decoder) Varint() int64 { return Unzigzag(d.Uvarint()) }

// Count reads the number of elements of which each takes at least `each` bytes of what follows: a count that cannot be
// true fails before anyone allocates for it. each may be 0; then limit alone bounds the count.
func (d *Decoder) Count(each, limit int) int {
	v := d.Uvarint()
	if v > uint64(max(limit, 0)) || each > 0 && v > uint64(d.Len()/each) {
		d.Fail("count %d is too large", v)
		return 0
	}
	return int(v)
}

// LimitedCount is Count where the limit is one of the reader.
func (d *Decoder) LimitedCount(each, limit int) int {
	n := d.Count(each, math.MaxInt)
	if n > limit {
		d.FailLimit("count %d is too large", n)
		return 0
	}
	return n
}

// Int reads an unsigned integer that must be below limit.
func (d *Decoder) Int(limit int) int {
	v := d.Uvarint()
	if d.err == nil && (limit < 0 || v >= uint64(limit)) {
		d.Fail("%d is out of range (limit %d)", v, limit)
		return 0
	}
	return int(v)
}

// Rest returns the bytes that are left. It reads none of them.
func (d *Decoder) Rest() []byte { return d.data[d.pos:] }

// Take reads n bytes. The result aliases the decoder's data.
func (d *Decoder) Take(n int) []byte {
	if n < 0 || n > d.Len() {
		d.Fail("%d bytes wanted, %d left", n, d.Len())
		return nil
	}
	d.pos += n
	return d.data[d.pos-n : d.pos]
}

// Bytes reads a length and that many bytes. The result aliases the decoder's data.
func (d *Decoder) Bytes() []byte { return d.Take(d.Count(1, 1<<31)) }

// Byte reads one byte.
func (d *Decoder) Byte() byte {
	b := d.Take(1)
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

// Uint32 reads four bytes.
func (d *Decoder) Uint32() uint32 {
	b := d.Take(4)
	if len(b) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}
