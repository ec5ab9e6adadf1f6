package read

import (
	"encoding/binary"
	"errors"

	"github.com/pandotrace/pando/trace"
)

// A record is what the sorter keeps of an event:
//
//	op | its place, with flag Placed | what belongs to op | number of attributes | attributes: id | type | value, or length and bytes
//
// in variable-length integers. The place is that in the order of the file: twice the number of calls up to this one; of what is no call, and one more. Where
// there are no slices before, the order of sorted records tells it, too.
type op byte

const (
	// opBegin and opEnd are begin and end of a call: region + 1, or 0 where an end does not say what it ends.
	opBegin op = 1 + iota
	opEnd
	// OpSlice is a whole call: region, microseconds and fraction of its duration.
	OpSlice
	// opEvent is any event: kind, number of words, words.
	opEvent

	// Placed is a flag of an op.
	Placed op = 0x80
)

// bytesType marks attributes that are bytes.
const bytesType trace.ValueType = 255

// attribute is an attribute of an event.
type attribute struct {
	id    uint64
	typ   trace.ValueType
	value uint64
	bytes []byte // for bytesType
}

func appendAttributes(dst []byte, list []attribute) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for i := range list {
		a := &list[i]
		dst = append(binary.AppendUvarint(dst, a.id), byte(a.typ))
		if a.typ == bytesType {
			dst = append(binary.AppendUvarint(dst, uint64(len(a.bytes))), a.bytes...)
			continue
		}
		dst = binary.AppendUvarint(dst, a.value)
	}
	return dst
}

// unplaced begins the record of an event that is not sorted by its place in the file.
func unplaced(dst []byte) []byte { return append(dst[:0], byte(opEvent)) }

func appendEvent(dst []byte, kind trace.Kind, words ...uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(kind))
	dst = binary.AppendUvarint(dst, uint64(len(words)))
	for _, w := range words {
		dst = binary.AppendUvarint(dst, w)
	}
	return dst
}

// unpacker takes records apart. They are our own, yet they come back from a disk.
type unpacker struct {
	b   []byte
	bad bool
}

var errUnpack = errors.New("chrome: sorted events came back damaged")

func (u *unpacker) byte() byte {
	if len(u.b) == 0 {
		u.bad = true
		return 0
	}
	c := u.b[0]
	u.b = u.b[1:]
	return c
}

// op reads the op, and passes over the place.
func (u *unpacker) op() op {
	o := op(u.byte())
	if o&Placed != 0 {
		u.uvarint()
	}
	return o &^ Placed
}

func (u *unpacker) uvarint() uint64 {
	if len(u.b) > 0 && u.b[0] < 0x80 {
		v := u.b[0]
		u.b = u.b[1:]
		return uint64(v)
	}
	return u.longUvarint()
}

func (u *unpacker) longUvarint() uint64 {
	v, n := binary.Uvarint(u.b)
	if n <= 0 {
		u.bad, u.b = true, nil
		return 0
	}
	u.b = u.b[n:]
	return v
}

// count reads the number of things of one byte or more each.
func (u *unpacker) count() int {
	n := u.uvarint()
	if n > uint64(len(u.b)) {
		u.bad = true
		return 0
	}
	return int(n)
}

func (u *unpacker) take(n int) []byte {
	b := u.b[:n]
	u.b = u.b[n:]
	return b
}

// attributes appends the list at the end of a record.
func (u *unpacker) attributes(list []attribute) []attribute {
	for range u.count() {
		a := attribute{id: u.uvarint(), typ: trace.ValueType(u.byte())}
		if a.typ == bytesType {
			a.bytes = u.take(u.count())
		} else {
			a.value = u.uvarint()
		}
		list = append(list, a)
	}
	return list
}

// PlaceInFile returns the place of a record in the file; ok is false if it has none.
func PlaceInFile(data []byte) (place uint64, ok bool) {
	u := unpacker{b: data}
	if op(u.byte())&Placed != 0 {
		return u.uvarint(), true
	}
	return 0, false
}
