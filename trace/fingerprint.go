package trace

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash"
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
type Fingerprint struct {
	table   *Table
	epoch   uint64
	walks   []walk // by kind
	numbers Numbers
	hashes  []locationHash // by number of a location
	buffer  []byte         // grows with need: there may be very many fingerprints, one a lane, of few events at once
}

// walk says how the fields of a kind are written.
type walk uint8

const (
	walkUnknown walk = iota
	walkWords        // all as uvarints
	walkFields       // as the specification says
)

// locationHash hashes the events of a location. The state of a hash takes 128 bytes, and most locations of a trace that has very many
// write less than a block: their bytes wait for the sum instead.
type locationHash struct {
	id     uint64
	last   uint64 // time of the latest event
	events uint64
	few    []byte    // all bytes so far, while hash is nil
	hash   hash.Hash // nil while there are at most fewBytes
}

// fewBytes are kept as they are: as many as a block of SHA-256 has.
const fewBytes = sha256.BlockSize

// write adds bytes.
func (l *locationHash) write(b []byte) {
	if l.hash == nil && len(l.few)+len(b) <= fewBytes {
		l.few = append(l.few, b...)
		return
	}
	if l.hash == nil {
		l.hash = sha256.New()
		l.hash.Write(l.few)
		l.few = nil
	}
	l.hash.Write(b)
}

// sum appends the SHA-256 of all bytes.
func (l *locationHash) sum(dst []byte) []byte {
	if l.hash == nil {
		sum := sha256.Sum256(l.few)
		return append(dst, sum[:]...)
	}
	return l.hash.Sum(dst)
}

// hashBytes is how much is hashed at once, about.
const hashBytes = 4 << 10

// NewFingerprint starts with no events. What it returns must not be used by several goroutines at once.
func NewFingerprint(meta *Meta) *Fingerprint {
	return &Fingerprint{table: meta.Table(), epoch: meta.Epoch}
}

// Add adds events from to to-1 of a batch that passed [Batch.Check]: the next ones of its location. Where a location's events are
// divided makes no difference.
func (f *Fingerprint) Add(b *Batch, from, to int) {
	if from == to {
		return
	}
	l := f.location(b.Location)
	for i := from; i < to; {
		if f.plain(b, i) {
			i = f.words(l, b, i, to)
		} else {
			f.buffer = f.event(f.buffer, b, i, l.step(uint64(b.Times[i])+f.epoch))
			i++
		}
		if i == to || len(f.buffer) >= hashBytes {
			l.write(f.buffer)
			f.buffer = f.buffer[:0]
		}
	}
	l.events += uint64(to - from)
}

// location returns the hash of a location.
func (f *Fingerprint) location(id uint64) *locationHash {
	n, ok := f.numbers.Of(id)
	if !ok {
		n = f.numbers.Add(id)
		f.hashes = append(f.hashes, locationHash{id: id})
	}
	return &f.hashes[n]
}

// step returns the time since the event before, for the next one, which is at a time.
func (l *locationHash) step(at uint64) int64 {
	step := int64(at - l.last)
	l.last = at
	return step
}

// plain reports whether all of an event are uvarints.
func (f *Fingerprint) plain(b *Batch, i int) bool {
	return f.walkOf(b.Kinds[i]) == walkWords && !b.HasAttrs(i)
}

// words appends plain events from i on, as many as there are up to `to` and have room, to the buffer, and returns the next.
func (f *Fingerprint) words(l *locationHash, b *Batch, i, to int) int {
	buffer, n, shift, last := f.buffer[:cap(f.buffer)], len(f.buffer), f.epoch, l.last
	walks, attrs := f.walks, b.AttrStarts
	for ; i < to && n < hashBytes; i++ {
		k := b.Kinds[i]
		if int(k) >= len(walks) || walks[k] != walkWords || len(attrs) > 0 && attrs[i] != attrs[i+1] {
			break
		}
		words := b.Words[b.Starts[i]:b.Starts[i+1]]
		if room := n + binary.MaxVarintLen64*(3+len(words)); room > len(buffer) {
			buffer = append(buffer[:n], make([]byte, room)...)
			buffer = buffer[:cap(buffer)]
		}
		at := uint64(b.Times[i]) + shift
		step := zigzag(int64(at - last))
		last = at
		head := uint64(k) << 2
		if len(b.Residuals) > 0 && b.Residuals[i] != 0 {
			n = storeUvarint(buffer, n, head+1)
			n = storeUvarint(buffer, n, step)
			n = storeUvarint(buffer, n, zigzag(b.Residuals[i]))
		} else {
			n = storeUvarint(buffer, n, head)
			n = storeUvarint(buffer, n, step)
		}
		for _, w := range words {
			n = storeUvarint(buffer, n, w)
		}
	}
	f.buffer, l.last = buffer[:n], last
	return i
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

// Join adds the events of another fingerprint of the same trace, which has none of the same locations.
func (f *Fingerprint) Join(o *Fingerprint) {
	for i := range o.hashes {
		f.numbers.Add(o.hashes[i].id)
	}
	f.hashes = append(f.hashes, o.hashes...)
}

// Sum returns the fingerprint of all that was added so far.
func (f *Fingerprint) Sum() (sum [sha256.Size]byte) {
	order := make([]uint32, len(f.hashes))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(f.hashes[a].id, f.hashes[b].id) })
	all := sha256.New()
	var line []byte
	for _, i := range order {
		l := &f.hashes[i]
		line = l.sum(putUvarint(putUvarint(line[:0], l.id), l.events))
		all.Write(line)
	}
	all.Sum(sum[:0])
	return sum
}

func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

// storeUvarint stores a uvarint at a position, behind which there is room for the longest, and returns the one behind it.
func storeUvarint(b []byte, at int, v uint64) int {
	if v < 0x80 {
		b[at] = byte(v)
		return at + 1
	}
	return storeLong(b, at, v)
}

// storeLong does so for more than a byte. How many there are is hard to foresee, so that up to four are made without asking.
func storeLong(b []byte, at int, v uint64) int {
	if v >= 1<<28 {
		return at + binary.PutUvarint(b[at:], v)
	}
	more := 1 // bytes that others follow
	if v >= 1<<14 {
		more = 2
	}
	if v >= 1<<21 {
		more = 3
	}
	spread := uint32(v)&0x7f | uint32(v)<<1&0x7f00 | uint32(v)<<2&0x7f0000 | uint32(v)<<3&0x7f000000
	binary.LittleEndian.PutUint32(b[at:], spread|0x808080&(1<<(8*more)-1))
	return at + more + 1
}

// putUvarint is binary.AppendUvarint, faster for the small numbers that most are.
func putUvarint(dst []byte, v uint64) []byte {
	if v < 0x80 {
		return append(dst, byte(v))
	}
	return binary.AppendUvarint(dst, v)
}
