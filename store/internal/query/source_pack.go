package query

import (
	"encoding/binary"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// Where a file has many lanes, all of them are in the middle of a slice while it is read from begin to end. Their events are packed
// until their streams ask for them: then one takes about 8 bytes instead of 50. That is not part of any file:
//
//	uvarint   kind
//	uvarint   time - time before (the first: 0), modulo 2^64
//	uvarint   number of words
//	uvarints  words

// PlainLanes is the largest number of lanes of which the events are kept as they are.
const PlainLanes = 16

// packedRun has events of a location in a slice, in order; to take some is to move on.
type packedRun struct {
	rest   []byte
	events int
	time   int64 // of the event before
	last   int64 // time of the last one
}

// appendPacked packs all events of a batch, which [packs].
func appendPacked(dst []byte, b *trace.Batch) []byte {
	before := int64(0)
	for i, t := range b.Times {
		words := b.Fields(i)
		dst = binary.AppendUvarint(dst, uint64(b.Kinds[i]))
		dst = binary.AppendUvarint(dst, uint64(t-before))
		dst = binary.AppendUvarint(dst, uint64(len(words)))
		for _, w := range words {
			dst = binary.AppendUvarint(dst, w)
		}
		before = t
	}
	return dst
}

// packs reports whether the events of a batch are nothing but kinds, times and words.
func packs(b *trace.Batch) bool { return len(b.Text)+len(b.AttrStarts)+len(b.Residuals) == 0 }

// take appends the next n events. At least n must be left.
func (p *packedRun) take(b *trace.Batch, n int) {
	for range n {
		kind := trace.Kind(p.next())
		p.time += int64(p.next())
		b.Begin(kind, p.time)
		for range p.next() {
			b.Words = append(b.Words, p.next())
		}
		b.End()
	}
	p.events -= n
}

// drop passes over the next n events. At least n must be left.
func (p *packedRun) drop(n int) {
	for range n {
		p.next()
		p.time += int64(p.next())
		p.words()
	}
	p.events -= n
}

// before returns how many events are before an instant.
func (p packedRun) before(t int64) int {
	if t > p.last {
		return p.events
	}
	for i := range p.events {
		p.next()
		if p.time += int64(p.next()); p.time >= t {
			return i
		}
		p.words()
	}
	return p.events
}

// words passes over the words of an event.
func (p *packedRun) words() {
	for range p.next() {
		p.next()
	}
}

func (p *packedRun) next() (word uint64) {
	word, p.rest = layout.NextWord(p.rest)
	return word
}

// packRoom has memory that runs are packed in before anybody knows how much they take.
var packRoom = sync.Pool{New: func() any { return new([]byte) }}

// packedRuns returns the events of a lane in a slice, packed as far as that can be, and their size in bytes.
func packedRuns(e *slice.Events, table *trace.Table) (runs []locationRun, size int64, err error) {
	room := packRoom.Get().(*[]byte)
	defer packRoom.Put(room)
	all := (*room)[:0]
	runs = make([]locationRun, len(e.Runs))
	for i := range runs {
		b, err := e.Batch(i)
		if err != nil {
			return nil, 0, err
		}
		if b.Len() > 0 && packs(b) {
			from := len(all)
			all = appendPacked(all, b)
			runs[i].packed = packedRun{rest: all[from:], events: b.Len(), last: b.Times[b.Len()-1]}
			continue
		}
		runs[i].batch = new(trace.Batch)
		runs[i].batch.AppendRange(b, 0, b.Len(), table)
		size += runs[i].batch.Memory()
	}
	*room = all
	all = slices.Clone(all)
	for i := range runs {
		p := &runs[i].packed
		n := len(p.rest)
		p.rest, all = all[:n:n], all[n:]
	}
	return runs, size + int64(len(*room)), nil
}
