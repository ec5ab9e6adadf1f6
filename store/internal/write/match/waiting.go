package match

import (
	"encoding/binary"
	"fmt"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
)

// Ends of messages wait until they find a partner, and some never do. A queue with many of them has most in few bytes, and when there
// are very many in all, they go into a file.

// endQueue is a queue of ends: first in, first out.
type endQueue struct {
	front  queue[*pendingEnd]
	behind *endsBehind // nil if there are none
}

// endsBehind are the ends behind the first ones: those in the middle are packed.
type endsBehind struct {
	packed queue[packedEnds]
	middle int        // ends that are packed
	latest messageEnd // of these
	back   []*pendingEnd
}

func (q *endQueue) len() int {
	n := q.front.len()
	if q.behind != nil {
		n += q.behind.middle + len(q.behind.back)
	}
	return n
}

// Of the memory that a writer may have, ends that wait take so large a part, and ends without a partner.
const (
	waitingShare   = 16
	unmatchedShare = 32
)

// Numbers of ends.
const (
	looseEnds  = 1 << 12 // in all queues together; beyond it, some are packed:
	frontEnds  = 16      // the first ones of a queue, which stay unpacked
	backEnds   = 16      // the number that is packed at a time
	packedMost = 128     // in a packet
	looseBytes = 256     // of memory for an end that is not packed
)

// packedEnds are ends, one after the other:
//
//	varint   location - location before
//	varint   ordinal - ordinal before
//	varint   slice - slice before
//	varint   time - time before
//	uvarint  length
//	uvarint  number among the ends of its block
type packedEnds struct {
	b     []byte // nil in the spool
	piece blockio.Piece
	n     int
}

// waitingEnds keeps the ends of all queues.
type waitingEnds struct {
	m     *Matcher
	loose int   // ends that are not packed
	held  int64 // bytes packed in memory
	most  int64
	spool blockio.Spool
	err   error
}

func (w *waitingEnds) push(q *endQueue, e *pendingEnd) {
	if q.behind == nil {
		if w.loose < min(looseEnds, int(w.most/looseBytes)) || q.front.len() < frontEnds || e.channel.outOfSync {
			w.loose++
			q.front.push(e)
			return
		}
		q.behind = &endsBehind{}
	}
	if q.behind.back = append(q.behind.back, e); len(q.behind.back)%backEnds == 0 {
		w.pack(q.behind)
	}
}

// pack packs the last ends of a queue, as far as it is decided what they are.
func (w *waitingEnds) pack(q *endsBehind) {
	n := 0
	for n < len(q.back) && q.back[n].state != waiting {
		n++
	}
	if n < backEnds {
		return
	}
	for _, e := range q.back[:n] {
		if e.state != cancelled {
			w.append(q, e)
		}
		w.m.drop(e)
	}
	left := copy(q.back, q.back[n:])
	clear(q.back[left:])
	q.back = q.back[:left]
}

func (w *waitingEnds) append(q *endsBehind, e *pendingEnd) {
	if q.packed.len() == 0 || q.packed.last().n == packedMost {
		q.packed.push(packedEnds{})
		q.latest.End = index.End{}
	}
	p, latest := q.packed.last(), &q.latest
	before := len(p.b)
	p.b = binary.AppendVarint(p.b, int64(e.Location)-int64(latest.Location))
	p.b = binary.AppendVarint(p.b, int64(e.Ordinal-latest.Ordinal))
	p.b = binary.AppendVarint(p.b, int64(e.Slice-latest.Slice))
	p.b = binary.AppendVarint(p.b, e.Time-latest.Time)
	p.b = binary.AppendUvarint(p.b, e.Length)
	p.b = binary.AppendUvarint(p.b, uint64(e.number))
	*latest = e.messageEnd
	p.n++
	q.middle++
	w.held += int64(len(p.b) - before)
	if p.n == packedMost && w.held > w.most {
		w.spill(p)
	}
}

// spill moves a packet into the file.
func (w *waitingEnds) spill(p *packedEnds) {
	piece, err := w.spool.Put(p.b)
	if err != nil {
		w.err = fmt.Errorf("store: ends of messages: %w", err)
		return
	}
	w.held -= int64(len(p.b))
	p.b, p.piece = nil, piece
}

// peek returns the first end.
func (w *waitingEnds) peek(q *endQueue) *pendingEnd {
	w.ready(q)
	return *q.front.peek()
}

// pop takes the first end.
func (w *waitingEnds) pop(q *endQueue) *pendingEnd {
	w.ready(q)
	w.loose--
	return q.front.pop()
}

// ready makes sure that the first end of a queue is not packed.
func (w *waitingEnds) ready(q *endQueue) {
	if q.front.len() == 0 {
		w.advance(q)
	}
}

// advance moves the next of the ends behind to the front.
func (w *waitingEnds) advance(q *endQueue) {
	if q.behind.packed.len() > 0 {
		w.unpack(q, q.behind.packed.pop())
		return
	}
	for _, e := range q.behind.back {
		q.front.push(e)
	}
	w.loose += len(q.behind.back)
	q.behind = nil
}

// whole puts all ends of a queue to the front, and returns them.
func (w *waitingEnds) whole(q *endQueue) []*pendingEnd {
	for q.behind != nil {
		w.advance(q)
	}
	return q.front.items[q.front.head:]
}

// unpack puts the ends of a packet to the front.
func (w *waitingEnds) unpack(q *endQueue, p packedEnds) {
	b := p.b
	if b != nil {
		w.held -= int64(len(b))
	} else {
		var err error
		if b, err = w.spool.Get(nil, p.piece); err != nil {
			w.err, b = fmt.Errorf("store: ends of messages: %w", err), nil
		}
		w.spool.Drop(p.piece)
	}
	e := q.behind.latest // they have more in common than they differ in
	e.End = index.End{}
	signed := func() int64 { v, n := binary.Varint(b); b = b[n:]; return v }
	unsigned := func() uint64 { v, n := binary.Uvarint(b); b = b[n:]; return v }
	q.behind.middle -= p.n
	w.loose += p.n
	for range p.n {
		e.Location = uint32(int64(e.Location) + signed())
		e.Ordinal += uint64(signed())
		e.Slice += uint64(signed())
		e.Time += signed()
		e.Length, e.number = unsigned(), uint32(unsigned())
		e.lane = uint32(w.m.locations[e.Location].Lane)
		q.front.push(w.m.pendingEnd(e, settled))
	}
}
