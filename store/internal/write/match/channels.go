package match

import (
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// channel holds the ends that wait for their partners; one of the two queues is blocked or empty.
type channel struct {
	sends    endQueue
	receives endQueue

	from, to  pairing.ProcessID
	number    uint32 // among all channels
	outOfSync bool   // ends are missing: nothing is matched until a pair is known
	held      int    // receives of this channel that still wait in the order of posting
}

// queue is first in, first out.
type queue[T any] struct {
	items []T
	head  int
}

func (q *queue[T]) len() int { return len(q.items) - q.head }
func (q *queue[T]) push(v T) { q.items = append(q.items, v) }
func (q *queue[T]) peek() *T { return &q.items[q.head] }

func (q *queue[T]) last() *T { return &q.items[len(q.items)-1] }

func (q *queue[T]) pop() T {
	v := q.items[q.head]
	var zero T
	q.items[q.head] = zero
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	} else if q.head >= 8 && q.head*2 >= len(q.items) {
		q.items = q.items[:copy(q.items, q.items[q.head:])]
		q.head = 0
	}
	return v
}

type rankKey struct {
	rank, communicator, tag uint64
	send                    bool
}

// resolve makes an end of an event, with its channel.
func (m *Matcher) resolve(e *endEvent) messageEnd {
	return messageEnd{
		End:  index.End{Location: e.at.Index, Ordinal: e.ordinal, Slice: m.current, Time: e.time, Length: e.length},
		lane: uint32(e.at.Lane), number: e.number, channel: m.find(e), tag: e.key.tag, comm: e.key.communicator, pair: e.pair, send: e.key.send,
	}
}

// find returns the channel of an end; nil if its rank is not known.
func (m *Matcher) find(e *endEvent) *channel {
	r := &m.recent[e.key.hash(e.at.Index)]
	if r.channel != nil && r.key == e.key && r.location == e.at.Index {
		return r.channel
	}
	c := m.channelOf(e.at, e)
	*r = recentChannel{e.key, e.at.Index, c}
	return c
}

// recentChannel is a channel that was found of late: most ends are of few.
type recentChannel struct {
	key      rankKey
	location uint32
	channel  *channel
}

// recentBits is the logarithm of their number.
const recentBits = 9

func (k *rankKey) hash(location uint32) uint64 {
	const a, b, c = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93, 0xa0761d6478bd642f
	return ((k.rank<<1+uint64(pairing.B2i(k.send)))*a ^ k.tag*b ^ (k.communicator<<32+uint64(location))*c) >> (64 - recentBits)
}

func (m *Matcher) channelOf(l *Location, e *endEvent) *channel {
	d := m.definitions
	peer, ok := d.RankLocation(e.key.communicator, e.key.rank, e.at.ID)
	if !ok {
		return nil
	}
	k := pairing.ChannelKey{From: l.process.id, To: pairing.ProcessOf(d, peer), Communicator: e.key.communicator, Tag: e.key.tag}
	if !e.key.send {
		k.From, k.To = k.To, k.From
	}
	c := m.channels[k]
	if c == nil {
		c = &channel{from: k.From, to: k.To, outOfSync: m.hasGap(k.From) || m.hasGap(k.To)}
		m.channels[k] = c
		m.number(c)
	}
	return c
}

// number gives a channel its number.
func (m *Matcher) number(c *channel) {
	c.number = uint32(m.numbers)
	m.numbers++
}
