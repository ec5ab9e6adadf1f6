package model

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Matching says what became of all sends and receives.
type Matching struct {
	// Messages are ordered by their earlier end, those of equal times by their send in merged order.
	Messages []trace.Message
	// UnmatchedSends are in merged order, UnmatchedReceives in order of posting.
	UnmatchedSends, UnmatchedReceives []EventID
	// CancelledSends take no part in the matching.
	CancelledSends []EventID
}

// Suspicious returns the number of messages whose receive is longer than the send.
func (m *Matching) Suspicious() (n uint64) {
	for _, message := range m.Messages {
		if message.ReceiveLength > message.SendLength {
			n++
		}
	}
	return n
}

// Match pairs sends and receives: of each channel, the n-th send with the receive that was posted n-th.
func (t *Trace) Match() *Matching {
	sends, receives := t.endpoints()
	m := &Matching{}
	queues := map[channel][]*endpoint{}
	for _, r := range receives {
		if r.resolved {
			queues[r.channel] = append(queues[r.channel], r)
		}
	}
	matched := map[EventID]bool{}
	for _, s := range sends {
		switch queue := queues[s.channel]; {
		case s.cancelled:
			m.CancelledSends = append(m.CancelledSends, s.id)
		case !s.resolved || len(queue) == 0:
			m.UnmatchedSends = append(m.UnmatchedSends, s.id)
		default:
			m.Messages = append(m.Messages, message(s, queue[0]))
			matched[queue[0].id] = true
			queues[s.channel] = queue[1:]
		}
	}
	for _, r := range receives {
		if !matched[r.id] {
			m.UnmatchedReceives = append(m.UnmatchedReceives, r.id)
		}
	}
	slices.SortStableFunc(m.Messages, func(a, b trace.Message) int {
		first, _ := a.Span()
		second, _ := b.Span()
		return compare(first, second)
	})
	return m
}

func message(s, r *endpoint) trace.Message {
	return trace.Message{
		SendLocation: s.id.Location, SendOrdinal: s.id.Ordinal, SendTime: s.time, SendLength: s.length,
		ReceiveLocation: r.id.Location, ReceiveOrdinal: r.id.Ordinal, ReceiveTime: r.time, ReceiveLength: r.length,
		Communicator: s.channel.communicator, Tag: s.channel.tag,
	}
}

// channel is what the two ends of a message agree in.
type channel struct {
	from, to          process
	communicator, tag uint64
}

// process is a location group, or a location that is not defined.
type process struct {
	id    uint64
	group bool
}

// endpoint is a send or a receive.
type endpoint struct {
	id        EventID
	time      int64
	length    uint64
	channel   channel
	resolved  bool // the channel is known
	cancelled bool
	place     int // of its event in merged order; of a non-blocking receive, that of its request
}

// endpoints returns all sends in merged order and all receives in order of posting.
func (t *Trace) endpoints() (sends, receives []*endpoint) {
	pending := map[requestID]*request{}
	for place, e := range t.Events() {
		w := e.Words
		switch e.Kind {
		case trace.KindMpiSend:
			sends = append(sends, t.send(e, place))
		case trace.KindMpiIsend:
			s := t.send(e, place)
			sends = append(sends, s)
			pending[requestID{e.Location, w[4]}] = &request{send: s}
		case trace.KindMpiIsendComplete:
			if id := (requestID{e.Location, w[0]}); pending[id].isSend() {
				delete(pending, id)
			}
		case trace.KindMpiIrecvRequest:
			pending[requestID{e.Location, w[0]}] = &request{place: place}
		case trace.KindMpiRecv:
			receives = append(receives, t.receive(e, place))
		case trace.KindMpiIrecv:
			posted := place
			if id := (requestID{e.Location, w[4]}); pending[id].isReceive() {
				posted = pending[id].place
				delete(pending, id)
			}
			receives = append(receives, t.receive(e, posted))
		case trace.KindMpiRequestCancelled:
			id := requestID{e.Location, w[0]}
			if pending[id].isSend() {
				pending[id].send.cancelled = true
			}
			delete(pending, id)
		}
	}
	slices.SortStableFunc(receives, func(a, b *endpoint) int { return a.place - b.place })
	return sends, receives
}

type requestID struct{ location, id uint64 }

// request is a pending non-blocking send, or a receive (send is nil) that was posted at a place.
type request struct {
	send  *endpoint
	place int
}

func (r *request) isSend() bool    { return r != nil && r.send != nil }
func (r *request) isReceive() bool { return r != nil && r.send == nil }

func (t *Trace) send(e Event, place int) *endpoint {
	p, peer, ok := t.ends(e)
	return t.endpoint(e, place, channel{p, peer, e.Words[1], e.Words[2]}, ok)
}

func (t *Trace) receive(e Event, place int) *endpoint {
	p, peer, ok := t.ends(e)
	return t.endpoint(e, place, channel{peer, p, e.Words[1], e.Words[2]}, ok)
}

func (t *Trace) endpoint(e Event, place int, c channel, resolved bool) *endpoint {
	return &endpoint{id: e.ID(), time: e.Time, length: e.Words[3], channel: c, resolved: resolved, place: place}
}

// ends returns the process of an endpoint's location and that of its peer; ok is false if the rank means nothing.
func (t *Trace) ends(e Event) (own, peer process, ok bool) {
	location, ok := t.Definitions.RankLocation(e.Words[1], e.Words[0], e.Location)
	return t.process(e.Location), t.process(location), ok
}

func (t *Trace) process(location uint64) process {
	id, defined := t.Definitions.Process(location)
	return process{id, defined}
}
