package scale

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// messages are the messages of the base: when they are under way, and which delays are possible so that none
// is received before it was sent.
type messages struct {
	flights []flight
	// releases and deadlines are the bounds of receives and sends, by location.
	releases, deadlines [][]bound
}

// bound is a tick that an event must not come before, or not after.
type bound struct {
	event int
	tick  int64
}

// match pairs sends and receives: of each channel, the n-th send with the receive that was posted n-th.
func (b *Base) match() *messages {
	m := matcher{Base: b, channels: map[channel]*queue{}}
	for i, l := range b.locations {
		m.location, m.id, m.pending = i, l.id, map[uint64]request{}
		for event, kind := range l.events.Kinds {
			t := l.events.Times[event]
			m.event(kind, end{eventID{i, event}, event, t, t, false}, l.events.Fields(event))
		}
	}
	all := &messages{releases: make([][]bound, len(b.locations)), deadlines: make([][]bound, len(b.locations))}
	for _, q := range m.channels {
		q.pair(all)
	}
	return all
}

// matcher collects the ends of messages.
type matcher struct {
	*Base
	channels map[channel]*queue
	location int
	id       uint64
	pending  map[uint64]request // of the location, by request id
}

// channel is what the two ends of a message agree in.
type channel struct {
	from, to  process
	comm, tag uint64
}

type process struct {
	id      uint64
	defined bool
}

// queue holds the ends of a channel.
type queue struct{ sends, receives []end }

// end is a send, or a receive. It counts from its order on, which is the tick of the event that posted it.
type end struct {
	eventID
	posted      int
	tick, order int64
	cancelled   bool
}

// request is a pending send, or (queue is nil) a posted receive.
type request struct {
	queue  *queue
	send   int // in the queue
	posted int
	order  int64
}

func (m *matcher) event(kind trace.Kind, e end, words []uint64) {
	switch kind {
	case trace.KindMpiSend:
		m.send(e, words)
	case trace.KindMpiIsend:
		if q := m.send(e, words); q != nil {
			m.pending[words[4]] = request{queue: q, send: len(q.sends) - 1}
		}
	case trace.KindMpiIrecvRequest:
		m.pending[words[0]] = request{posted: e.event, order: e.tick}
	case trace.KindMpiRecv:
		m.receive(e, words)
	case trace.KindMpiIrecv:
		if r, ok := m.pending[words[4]]; ok && r.queue == nil {
			e.posted, e.order = r.posted, r.order
			delete(m.pending, words[4])
		}
		m.receive(e, words)
	case trace.KindMpiIsendComplete:
		if m.pending[words[0]].queue != nil {
			delete(m.pending, words[0])
		}
	case trace.KindMpiRequestCancelled:
		if r := m.pending[words[0]]; r.queue != nil {
			r.queue.sends[r.send].cancelled = true
		}
		delete(m.pending, words[0])
	}
}

func (m *matcher) send(e end, words []uint64) *queue {
	own, peer, ok := m.ends(words)
	if !ok {
		return nil
	}
	q := m.queue(channel{own, peer, words[1], words[2]})
	q.sends = append(q.sends, e)
	return q
}

func (m *matcher) receive(e end, words []uint64) {
	if own, peer, ok := m.ends(words); ok {
		q := m.queue(channel{peer, own, words[1], words[2]})
		q.receives = append(q.receives, e)
	}
}

func (m *matcher) queue(c channel) *queue {
	q := m.channels[c]
	if q == nil {
		q = &queue{}
		m.channels[c] = q
	}
	return q
}

// ends returns the processes at both ends of a message.
func (m *matcher) ends(words []uint64) (own, peer process, ok bool) {
	location, ok := m.definitions.RankLocation(words[1], words[0], m.id)
	own.id, own.defined = m.definitions.Process(m.id)
	peer.id, peer.defined = m.definitions.Process(location)
	return own, peer, ok
}

// pair pairs the ends of a channel. A message that takes its time is bound to: the send comes not after the middle, the
// receive after it.
func (q *queue) pair(m *messages) {
	sends := slices.DeleteFunc(q.sends, func(e end) bool { return e.cancelled })
	for _, list := range [][]end{sends, q.receives} {
		slices.SortFunc(list, func(a, b end) int {
			return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.location, b.location), cmp.Compare(a.posted, b.posted))
		})
	}
	for i := range min(len(sends), len(q.receives)) {
		s, r := sends[i], q.receives[i]
		m.flights = append(m.flights, flight{s.eventID, r.eventID})
		if s.tick < r.tick {
			middle := s.tick + (r.tick-s.tick-1)/2
			m.deadlines[s.location] = append(m.deadlines[s.location], bound{s.event, middle})
			m.releases[r.location] = append(m.releases[r.location], bound{r.event, middle + 1})
		}
	}
}
