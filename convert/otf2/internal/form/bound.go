package form

import (
	"math/bits"

	"github.com/pandotrace/pando/trace"
)

// Bound returns the largest size of a record's payload, in bytes, as the OTF2 library computes it: repeated numbers outside of thumbnails
// have their own size, all others the largest one.
func (l *Layout) Bound(words []uint64) int {
	if l.Kind == trace.KindMappingTable {
		return mappingTableBound(words)
	}
	n := l.fixedBound
	for i := range len(words) - l.scalars {
		s := &l.Group[i%len(l.Group)]
		if s.Code == CodeCompressed && l.Kind < trace.KindThumbHeader {
			n += 1 + BytesIn(words[l.before+i])
		} else {
			n += s.bound()
		}
	}
	for _, i := range l.texts {
		n += int(words[i]&0xffffffff) + 1
	}
	return n
}

// bound returns the largest size of a field, in bytes. Texts count as 0.
func (s *Step) bound() int {
	switch s.Code {
	case CodeByte:
		return 1
	case CodeText, CodeNothing:
		return 0
	case CodeFixed:
		return 8
	case CodeValue:
		return 9
	}
	return 1 + int(s.Width)
}

// mappingTableBound is the size of the payload of a MappingTable, in bytes.
func mappingTableBound(words []uint64) int {
	n := 1 + compressedSize(words[2]) + 1
	for i := 3; i < len(words); i += 2 {
		if words[1] == MapSparse {
			n += compressedSize(words[i])
		}
		n += compressedSize(words[i+1])
	}
	return n
}

// compressedSize returns the size of a compressed number of at most 8 bytes: a byte with its length and the number itself, or one byte
// for the greatest number.
func compressedSize(v uint64) int {
	if v == ^uint64(0) {
		return 1
	}
	return 1 + BytesIn(v)
}

// BytesIn returns the number of bytes of an integer without its leading zeros.
func BytesIn(v uint64) int { return (bits.Len64(v) + 7) / 8 }
