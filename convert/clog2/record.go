package clog2

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// Types of records, and their sizes in bytes with the header.
const (
	typeEndLog    = 0
	typeEndBlock  = 1
	typeStateDef  = 2
	typeEventDef  = 3
	typeConstDef  = 4
	typeBare      = 5
	typeCargo     = 6
	typeMessage   = 7
	typeColl      = 8
	typeComm      = 9
	typeSource    = 10
	typeTimeShift = 11

	headerBytes = 24
	leastRecord = 32 // of those that are no marks
)

var recordSizes = [16]uint8{24, 24, 136, 128, 64, 32, 64, 48, 40, 72, 72, 32, headerBytes + endBytes, headerBytes + endBytes}

// types is the number of types that files have.
const types = typeTimeShift + 1

// Sends and receives within a communicator, as most messages are, are kept as types of their own, with as much of their payload as
// then tells something: rank, tag and size.
const (
	typeSend    = 12
	typeReceive = 13

	endBytes = 12
	endAt    = 8 // in a message's payload
)

// Event ids of messages.
const (
	eventSend    = -101
	eventReceive = -102
)

// Operations of records about communicators.
const (
	commWorld       = 0
	commSelf        = 1
	commFree        = 10
	commIntra       = 100
	commInterLocal  = 101
	commInterRemote = 102
	commInter       = 1000
)

// unfilled is the communicator of a message in a file of one process, to be filled in, and the one that a record names which tells that one was freed.
const unfilled = -999999999

// byteOrder is that of a file.
type byteOrder struct{ big bool }

func (o byteOrder) uint32(b []byte) uint32 {
	v := binary.BigEndian.Uint32(b)
	if !o.big {
		v = bits.ReverseBytes32(v)
	}
	return v
}

func (o byteOrder) int32(b []byte) int32 { return int32(o.uint32(b)) }

func (o byteOrder) float64(b []byte) float64 {
	v := binary.BigEndian.Uint64(b)
	if !o.big {
		v = bits.ReverseBytes64(v)
	}
	return math.Float64frombits(v)
}

func (o byteOrder) putFloat64(b []byte, f float64) {
	v := math.Float64bits(f)
	if !o.big {
		v = bits.ReverseBytes64(v)
	}
	binary.BigEndian.PutUint64(b, v)
}

// text returns the string that b begins with, up to a zero byte or to the end.
func text(b []byte) []byte {
	if n := bytes.IndexByte(b, 0); n >= 0 {
		return b[:n]
	}
	return b
}

// lineKey is who logged a record: a thread of the process of a rank in a communicator.
type lineKey struct{ comm, rank, thread int32 }

func (o byteOrder) line(record []byte) lineKey {
	return lineKey{o.int32(record[8:]), o.int32(record[12:]), o.int32(record[16:])}
}
