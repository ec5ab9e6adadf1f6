package record

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// Kinds of events, with the numbers of the registry.
const (
	kindOnOff           = 11
	kindMissing         = 0 // of recordings only
	kindSend            = 14
	kindSendRequest     = 15
	kindReceive         = 18
	kindReceiveRequest  = 19 // when it is complete
	kindCollectiveBegin = 22
	kindCollectiveEnd   = 23
	kindMetric          = 31
	kindMarker          = 646 // with a text by its number: of recordings only
)

// AnyRoot is the root of a collective operation that has none.
const AnyRoot = -1

// Operation is a collective operation; the numbers are those of OTF2.
type Operation uint8

// Collective operations.
const (
	OpBarrier   Operation = 0
	OpBroadcast Operation = 1
	OpGather    Operation = 2
	OpScatter   Operation = 4
	OpAllgather Operation = 6
	OpAlltoall  Operation = 8
	OpAllreduce Operation = 11
	OpReduce    Operation = 12
)

// Send records that a message of some bytes was sent to a rank of a communicator.
func (l *Location) Send(comm Comm, to, tag int, bytes uint64) {
	l.event(kindSend, uint64(uint32(to)), uint64(comm), uint64(uint32(tag)), bytes)
}

// Receive records that a message from a rank of a communicator was received.
func (l *Location) Receive(comm Comm, from, tag int, bytes uint64) {
	l.event(kindReceive, uint64(uint32(from)), uint64(comm), uint64(uint32(tag)), bytes)
}

// CollectiveBegin records that the location takes part in a collective operation from now on.
func (l *Location) CollectiveBegin() { l.event(kindCollectiveBegin) }

// CollectiveEnd records the end of that: the operation, its root or AnyRoot, and the bytes that this rank sent and received.
func (l *Location) CollectiveEnd(op Operation, comm Comm, root int, sent, received uint64) {
	l.event(kindCollectiveEnd, uint64(op), uint64(comm), uint64(uint32(root)), sent, received)
}

// Metric records a value of a metric. Values of metrics are the first that are given up.
func (l *Location) Metric(metric Metric, value uint64) {
	const one, unsigned = 1, 4
	if atomic.LoadUint32(l.attention) != 0 && l.attend().paused {
		l.leftEvent()
		return
	}
	if !l.off && !l.noMetrics {
		l.add(&l.metrics, binMetrics, fullMetrics, kindMetric, uint64(metric), one, unsigned, value)
	}
}

// Event records an event of a kind of the registry (spec/v1/registry.md: its events but for those of calls, metrics and the measurement system), with one
// word for each field. Readers leave out events that do not keep to it.
func (l *Location) Event(kind uint16, words ...uint64) {
	const most = 100
	if len(words) <= most {
		l.event(kind, words...)
	}
}

// event records an event that protects the calls around it.
func (l *Location) event(kind uint16, words ...uint64) {
	if atomic.LoadUint32(l.attention) != 0 && l.attend().paused {
		l.leftEvent()
		l.missed.leaveOut(kind, words)
		return
	}
	if !l.off {
		if l.missed.any {
			l.tellMissing(kind, words)
		}
		l.protect(kind, words...)
	}
}

// protect records an event, and marks the call around it.
func (l *Location) protect(kind uint16, words ...uint64) {
	if d := l.depth; d > 0 {
		l.frame(min(d, maxDepth) - 1).flags |= eventInside
	}
	l.add(&l.events, binEvents, fullEvents, kind, words...)
}

// add writes an event that happens now.
func (l *Location) add(c *chain, kind uint32, list int, event uint16, words ...uint64) {
	l.addAt(c, l.step(l.r.now()), kind, list, event, words...)
}

// addAt writes a record of an event: tag, kind, time since the event before, words; or tag and time if the kind and the words are those of one before.
func (l *Location) addAt(c *chain, t uint64, kind uint32, list int, event uint16, words ...uint64) {
	need := recordHead + (len(words)+1)*binary.MaxVarintLen64
	if c.end-c.at < need && !l.room(c, kind, list, t, need) {
		return
	}
	at := unsafe.Add(l.mem, c.at)
	b := unsafe.Slice((*byte)(at), need)
	n, tag := l.repeat(c, b, t, event, words)
	if tag == 0 {
		binary.LittleEndian.PutUint16(b[1:], event)
		n = recordHead + binary.PutUvarint(b[recordHead:], t-c.last)
		for _, w := range words {
			n += binary.PutUvarint(b[n:], w)
		}
		tag = byte(1 + len(words))
	}
	publish(at, tag)
	c.at, c.last = c.at+n, t
}

// recordHead is the size of a tag and a kind.
const recordHead = 3

// room makes sure that a chain of events has room for some bytes of events from a time on, and reports whether it has.
func (l *Location) room(c *chain, kind uint32, list int, t uint64, need int) bool {
	if c.end-c.at >= need {
		return true
	}
	if !l.refill(c, kind, 0, list, t) {
		return false
	}
	if c == &l.events {
		l.forget()
	}
	return true
}

// repeat writes the record of an event that is like one before, and returns its length and its tag; 0 if there is none.
func (l *Location) repeat(c *chain, b []byte, t uint64, event uint16, words []uint64) (n int, tag byte) {
	if c != &l.events {
		return 0, 0
	}
	place, request, ok := l.whole.find(event, words)
	if !ok {
		return 0, 0
	}
	n = 1 + binary.PutUvarint(b[1:], t-c.last)
	if hasRequest(event, words) {
		n += binary.PutUvarint(b[n:], request)
	}
	return n, repeat | place
}

// forget begins another bin of events.
func (l *Location) forget() {
	if l.whole == nil {
		l.whole = new(wholeRecords)
	}
	l.whole.forget()
}
