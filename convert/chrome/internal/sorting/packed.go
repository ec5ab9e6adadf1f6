package sorting

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// Records of a thread are packed one behind the other, in order:
//
//	length<<2 | flags | time | rank | bytes
//
// The length is that of all behind it. With flag whole the time is µs and fraction (8 and 4 bytes, little-endian); else it is what
// passed since the record before: nanoseconds·2, or where those do not tell it µs·2+1 and the fraction. The rank (8 bytes) is there
// with flag ranked, else it is 0. All other numbers are variable-length integers.
const (
	whole  = 1
	ranked = 2

	flagBits = 2
	// fracOfNano is a nanosecond as a fraction of a µs.
	fracOfNano = scan.FracUnit / 1000
	// mostMicros bounds differences of time that are packed in nanoseconds.
	mostMicros = 1 << 50
)

// packer packs records that come in order. The first one tells its whole time.
type packer struct {
	bytes []byte
	last  Key
	going bool
}

// begin begins again.
func (p *packer) begin() { p.going, p.bytes = false, p.bytes[:0] }

// add packs a record.
func (p *packer) add(k *Key, data []byte) {
	b, flags := append(p.bytes, 0), byte(0)
	from := len(b)
	if p.going {
		b = appendStep(b, p.last.Time, k.Time)
	} else {
		flags = whole
		b = binary.LittleEndian.AppendUint64(b, uint64(k.Time.Micros))
		b = binary.LittleEndian.AppendUint32(b, k.Time.Frac)
	}
	if k.Rank != 0 {
		flags |= ranked
		b = binary.LittleEndian.AppendUint64(b, k.Rank)
	}
	b = append(b, data...)
	if length := len(b) - from; length < 1<<(7-flagBits) {
		b[from-1] = byte(length)<<flagBits | flags
	} else {
		var room [binary.MaxVarintLen64]byte
		n := binary.PutUvarint(room[:], uint64(length)<<flagBits|uint64(flags))
		b = slices.Insert(b, from, room[1:n]...)
		b[from-1] = room[0]
	}
	p.bytes, p.last, p.going = b, *k, true
}

// appendStep appends the time that passed.
func appendStep(dst []byte, from, to scan.Instant) []byte {
	d := to.Minus(from)
	if d.Micros < mostMicros && d.Frac%fracOfNano == 0 {
		return binary.AppendUvarint(dst, 2*(1000*uint64(d.Micros)+uint64(d.Frac/fracOfNano)))
	}
	dst = binary.AppendUvarint(dst, 2*uint64(d.Micros)+1)
	return binary.AppendUvarint(dst, uint64(d.Frac))
}

// firstOf returns the key of the first of packed records of a group.
func firstOf(packed []byte, group uint64) Key {
	u := unpacker{rest: packed, key: Key{Group: group}}
	u.next()
	return u.key
}

// unpacker goes through packed records of one group, which are in memory or in a part of a file.
type unpacker struct {
	rest []byte // of what is at hand
	key  Key
	data []byte // valid until the next step
	seq  int    // of records of equal keys, those of the lowest number come first

	file     io.ReaderAt // nil if all is at hand
	at, end  int64       // what is not at hand
	buf      []byte
	failures error
	over     bool // there is no record any more
}

// next goes to the next record. It returns false behind the last one, and after a failure.
func (u *unpacker) next() bool {
	for {
		head, n := binary.Uvarint(u.rest)
		if length := head >> flagBits; n > 0 && length <= uint64(len(u.rest)-n) {
			record := u.rest[n : n+int(length)]
			u.rest = u.rest[n+int(length):]
			return u.take(record, head)
		}
		if n < 0 || u.at == u.end {
			if len(u.rest) > 0 {
				return u.fail(errDamaged)
			}
			u.over = true
			return false
		}
		if !u.fill(n, head>>flagBits) {
			return false
		}
	}
}

var errDamaged = errors.New("sorted events came back damaged")

func (u *unpacker) fail(cause error) bool {
	u.failures, u.rest, u.at, u.over = fmt.Errorf("chrome: reading back sorted events: %w", cause), nil, u.end, true
	return false
}

// fill reads on, at least as much as a record takes whose head has n bytes, if that is known.
func (u *unpacker) fill(n int, length uint64) bool {
	if length > uint64(u.end-u.at)+uint64(len(u.rest)) {
		return u.fail(errDamaged)
	}
	if need := max(n+int(length), len(u.rest)+1); need > len(u.buf) {
		u.buf = append(make([]byte, 0, need+len(u.buf)), u.buf...)[:need+len(u.buf)]
	}
	have := copy(u.buf, u.rest)
	more := int(min(int64(len(u.buf)-have), u.end-u.at))
	got, err := u.file.ReadAt(u.buf[have:have+more], u.at)
	if got < more {
		return u.fail(err)
	}
	u.at += int64(more)
	u.rest = u.buf[:have+more]
	return true
}

// take takes a record apart.
func (u *unpacker) take(b []byte, flags uint64) bool {
	if flags&whole != 0 {
		if len(b) < 12 {
			return u.fail(errDamaged)
		}
		u.key.Time = scan.Instant{Micros: int64(binary.LittleEndian.Uint64(b)), Frac: binary.LittleEndian.Uint32(b[8:])}
		b = b[12:]
	} else if b = u.step(b); b == nil {
		return u.fail(errDamaged)
	}
	u.key.Rank = 0
	if flags&ranked != 0 {
		if len(b) < 8 {
			return u.fail(errDamaged)
		}
		u.key.Rank = binary.LittleEndian.Uint64(b)
		b = b[8:]
	}
	u.data = b
	return true
}

// step goes on by the time that passed. It returns what follows, nil if that is damaged.
func (u *unpacker) step(b []byte) []byte {
	d, n := binary.Uvarint(b)
	if n <= 0 {
		return nil
	}
	b = b[n:]
	passed := scan.Instant{Micros: int64(d / 2000), Frac: uint32(d / 2 % 1000 * fracOfNano)}
	if d&1 != 0 {
		frac, n := binary.Uvarint(b)
		if n <= 0 || frac >= scan.FracUnit {
			return nil
		}
		b = b[n:]
		passed = scan.Instant{Micros: int64(d / 2), Frac: uint32(frac)}
	}
	u.key.Time = u.key.Time.Plus(passed)
	return b
}
