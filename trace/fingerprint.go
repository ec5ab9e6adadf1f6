package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"
)

// Fingerprint is the SHA-256 of the canonical event stream of a trace: the same for the same events, whatever holds them. Each
// location's events are written as follows, from the first to the last one, and hashed:
//
//	uvarint  4 × kind + 2 if the event has attributes + 1 if it has a residual
//	varint   its time less that of the event before, 0 before the first one; times are those of the source, the epoch included
//	varint   the residual, if it has one
//	fields   Text and Bytes as bytes; Time as a varint, less the event's time; all others as uvarints
//	attributes, if it has any: uvarint their number, each uvarint id, byte type, uvarint value
//
// The fingerprint is the SHA-256 of
//
//	each     uvarint id, uvarint number of events, 32 bytes SHA-256
//
// of the locations that have events, in order of their ids. Definitions count only in so far as events name them by their ids.
//
// A Fingerprint is not safe for concurrent use.
type Fingerprint struct {
	table     *Table
	epoch     uint64
	walks     []walk // by kind
	locations map[uint64]*locationHash
	buffer    []byte
}

// walk says how the fields of a kind are written.
type walk uint8

const (
	walkUnknown walk = iota
	walkWords        // all as uvarints
	walkFields       // as the specification says
)

type locationHash struct {
	hash   hash.Hash
	last   uint64
	events uint64
}

// hashBytes is how much is hashed at once, about.
const hashBytes = 4 << 10

// NewFingerprint starts with no events.
func NewFingerprint(meta *Meta) *Fingerprint {
	return &Fingerprint{table: meta.Table(), epoch: meta.Epoch, locations: map[uint64]*locationHash{}, buffer: make([]byte, 0, 2*hashBytes)}
}

// Add adds events from to to-1 of a batch that passed [Batch.Check]: the next ones of its location. Where a location's events are
// divided makes no difference.
func (f *Fingerprint) Add(b *Batch, from, to int) {
	if from == to {
		return
	}
	l := f.locations[b.Location]
	if l == nil {
		l = &locationHash{hash: sha256.New()}
		f.locations[b.Location] = l
	}
	plain := len(b.Residuals) == 0 && len(b.AttrStarts) == 0
	buffer := f.buffer[:0]
	for i := from; i < to; i++ {
		at := uint64(b.Times[i]) + f.epoch
		step := int64(at - l.last)
		l.last = at
		if k := b.Kinds[i]; plain && f.walkOf(k) == walkWords {
			buffer = putUvarint(buffer, uint64(k)<<2)
			buffer = putUvarint(buffer, zigzag(step))
			for _, w := range b.Words[b.Starts[i]:b.Starts[i+1]] {
				buffer = putUvarint(buffer, w)
			}
		} else {
			buffer = f.event(buffer, b, i, step)
		}
		if len(buffer) >= hashBytes {
			l.hash.Write(buffer)
			buffer = buffer[:0]
		}
	}
	l.hash.Write(buffer)
	l.events += uint64(to - from)
	f.buffer = buffer
}

// walkOf says how the fields of a kind are written.
func (f *Fingerprint) walkOf(k Kind) walk {
	if int(k) < len(f.walks) && f.walks[k] != walkUnknown {
		return f.walks[k]
	}
	for len(f.walks) <= int(k) {
		f.walks = append(f.walks, walkUnknown)
	}
	f.walks[k] = walkWords
	for _, field := range f.table.Spec(k).Fields {
		if field.Type.InText() || field.Type == TypeTime {
			f.walks[k] = walkFields
		}
	}
	return f.walks[k]
}

// event appends any event.
func (f *Fingerprint) event(dst []byte, b *Batch, i int, step int64) []byte {
	k, attrs, residual := b.Kinds[i], b.AttrsOf(i), b.Residual(i)
	head := uint64(k) << 2
	if len(attrs) > 0 {
		head |= 2
	}
	if residual != 0 {
		head |= 1
	}
	dst = putUvarint(dst, head)
	dst = putUvarint(dst, zigzag(step))
	if residual != 0 {
		dst = putUvarint(dst, zigzag(residual))
	}
	dst = f.fields(dst, b, i)
	if len(attrs) > 0 {
		dst = putUvarint(dst, uint64(len(attrs)))
	}
	for _, a := range attrs {
		dst = append(putUvarint(dst, a.ID), byte(a.Type))
		dst = putUvarint(dst, a.Value)
	}
	return dst
}

func (f *Fingerprint) fields(dst []byte, b *Batch, i int) []byte {
	f.table.Spec(b.Kinds[i]).Walk(b.Fields(i), func(_ int, field *Field, word uint64) {
		switch {
		case field.Type.InText():
			text := b.TextOf(word)
			dst = append(putUvarint(dst, uint64(len(text))), text...)
		case field.Type == TypeTime:
			dst = putUvarint(dst, zigzag(int64(word-uint64(b.Times[i]))))
		default:
			dst = putUvarint(dst, word)
		}
	})
	return dst
}

// Sum returns the fingerprint of all that was added so far.
func (f *Fingerprint) Sum() (sum [sha256.Size]byte) {
	all := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(f.locations)) {
		l := f.locations[id]
		head := putUvarint(putUvarint(nil, id), l.events)
		all.Write(l.hash.Sum(head))
	}
	all.Sum(sum[:0])
	return sum
}

func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

// putUvarint is binary.AppendUvarint, faster for the small numbers that most are.
func putUvarint(dst []byte, v uint64) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	return binary.AppendUvarint(dst, v)
}
