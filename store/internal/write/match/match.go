package match

import (
	"errors"
	"math"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/write/nodes"
	"github.com/pandotrace/pando/trace"
)

// Matcher decides, once and for all, which send belongs to which receive.
//
// A channel is a sending process, a receiving process, a communicator and a tag. Its sends count in the order of
// their records, its receives in the order in which they were posted; the n-th belongs to the n-th. A non-blocking send
// counts unless its request is cancelled; a non-blocking receive counts from where its request was posted. Threads of a
// process share its channels. What is not decided yet holds back what comes after it, so the outcome never depends on
// when it is asked.
type Matcher struct {
	definitions *trace.Definitions
	totals      *index.Info // to which it adds
	tree        index.Tree
	logs        *blockio.Logs
	locations   []*Location   // by index
	running     chan struct{} // closed when the slice that was given last is done; nil if none is
	nodes       []nodes.Lane  // messages, by lane; each lane has its own calls
	processes   map[pairing.ProcessID]*process
	channels    map[pairing.ChannelKey]*channel
	numbers     int          // that channels have
	sends       sendOrders   // used when a slice is sealed
	order       []*process   // in the order of their locations
	lanes       [][]*process // in this order, too

	group     []*Slice // slices whose pairs can still be noted in their blocks
	current   uint64   // the slice taken apart last
	sums      messageSums
	unmatched unmatchedEnds
	waiting   waitingEnds
	sorted    []*endEvent
	recent    [1 << recentBits]recentChannel
	Undecided bool          // what is pending at the end stays so: events are lost
	free      []*pendingEnd // those that nothing refers to any longer
	ends      cache.Pool[[]blockEnd]
	events    cache.Pool[[]endEvent]

	roleEvents []pairing.RoleEvent // of the current slice
	open       pairing.OpenPairs
}

// messageEnd is one end of a message.
type messageEnd struct {
	index.End
	lane    uint32
	number  uint32 // among the ends of its block
	channel *channel
	tag     uint64
	comm    uint64
	pair    uint32 // number that it shares with its partner, if it is known; see gap
	send    bool
}

type endState uint8

const (
	waiting   endState = iota // it may still be cancelled, or not be completed yet
	settled                   // it counts
	cancelled                 // it does not
)

// pendingEnd is an end that is not yet known to count: a send in its channel's queue, or a receive in the order of posting
// of its process.
type pendingEnd struct {
	messageEnd
	state endState
	alone bool // it is in no queue any longer, and has no partner unless it is cancelled
}

// request is a pending non-blocking operation.
type request struct {
	send   *pendingEnd
	posted uint64 // number of a receive
}

// Config is what a [Matcher] needs to know.
type Config struct {
	Definitions *trace.Definitions // of locations, communicators and groups, to which more are added
	Totals      *index.Info        // messages and ends without a partner are counted there
	Tree        index.Tree
	Logs        *blockio.Logs // for spanning messages
	Memory      int64         // of the writer
	TempDir     string
}

// New returns a matcher.
func New(c Config) *Matcher {
	m := &Matcher{definitions: c.Definitions, totals: c.Totals, tree: c.Tree, logs: c.Logs, processes: map[pairing.ProcessID]*process{}, channels: map[pairing.ChannelKey]*channel{}}
	m.sums.m = m
	m.open.Process = func(location uint32) pairing.ProcessID { return m.locations[location].process.id }
	m.waiting = waitingEnds{m: m, most: c.Memory / waitingShare, spool: blockio.Spool{Dir: c.TempDir}}
	m.unmatched = unmatchedEnds{most: max(runPiece, int(c.Memory/unmatchedShare/unmatchedBytes)), spool: blockio.Spool{Dir: c.TempDir}}
	return m
}

// Wait waits until all slices that were given are done.
func (m *Matcher) Wait() error {
	if m.running != nil {
		<-m.running
		m.running = nil
	}
	return m.Failure()
}

// slice looks at the events of a slice.
func (m *Matcher) slice(s *Slice, q SliceEnds) {
	m.group = append(m.group, s)
	m.current = s.Number
	for number, lane := range q.lanes {
		if e := <-lane; m.Failure() == nil && e.events != nil {
			if len(e.runs) > 0 {
				m.laneEvents(number, &e)
			}
			m.events.Put(e.events[:0])
			m.roleEvents = append(m.roleEvents, e.pairs...)
		}
		q.matched <- struct{}{}
	}
	m.followPairs()
}

// laneEvents looks at the events of a lane.
func (m *Matcher) laneEvents(lane int, e *LaneEnds) {
	from := 0
	for _, r := range e.runs {
		r.location.from, r.location.to = uint32(from), uint32(r.upTo)
		from = r.upTo
	}
	for _, p := range m.lanes[lane] {
		if l := p.alone(); l != nil {
			events := e.events[l.from:l.to]
			for i := range events {
				m.event(p, &events[i])
			}
		} else {
			for _, e := range m.inOrder(p, e.events) {
				m.event(p, e)
			}
		}
		m.releasePostings(p)
	}
	for _, r := range e.runs {
		r.location.from, r.location.to = 0, 0
	}
}

func (m *Matcher) event(p *process, e *endEvent) {
	l := e.at
	switch e.kind {
	case trace.KindMpiSend, trace.KindMpiIsend:
		m.send(l, e)
	case trace.KindMpiIrecvRequest:
		m.replace(l, e.request)
		l.await(e.request, request{posted: p.posted.push(postedReceive{state: waiting})})
	case trace.KindMpiRecv:
		m.receive(p, m.resolve(e))
	case trace.KindMpiIrecv:
		if r, ok := l.requests[e.request]; ok && r.posted != 0 {
			end, posted := m.resolve(e), p.posted.at(r.posted)
			if posted.stale {
				end.pair = 0
			}
			m.hold(end.channel)
			posted.end, posted.state = m.pendingEnd(end, settled), settled
			delete(l.requests, e.request)
		} else {
			m.receive(p, m.resolve(e))
		}
	case trace.KindMpiIsendComplete:
		if l.requests[e.request].send != nil {
			m.settle(l, e.request, settled)
		}
	case trace.KindMpiRequestCancelled:
		m.settle(l, e.request, cancelled)
	case kindGap:
		m.skipGap(p, e.at)
	}
}

// send adds a send to its channel. A non-blocking one waits for what becomes of its request.
func (m *Matcher) send(l *Location, e *endEvent) {
	end := m.resolve(e)
	c := end.channel
	if e.kind == trace.KindMpiIsend {
		m.replace(l, e.request)
		s := m.pendingEnd(end, waiting)
		l.await(e.request, request{send: s})
		if c != nil {
			m.waiting.push(&c.sends, s)
			m.pair(c)
		}
		return
	}
	switch {
	case c == nil:
		m.leaveUnmatched(&end)
	case !c.outOfSync && c.sends.len() == 0 && c.receives.len() > 0:
		r := m.waiting.pop(&c.receives)
		m.match(&end, &r.messageEnd)
		m.drop(r)
	default:
		m.waiting.push(&c.sends, m.pendingEnd(end, settled))
		m.pair(c)
	}
}

// receive adds a receive to its channel, or to the process's posted receives if some of these are not decided.
func (m *Matcher) receive(p *process, end messageEnd) {
	switch {
	case p.posted.len() > 0:
		m.hold(end.channel)
		p.posted.push(postedReceive{end: m.pendingEnd(end, settled), state: settled})
	case end.channel == nil:
		m.leaveUnmatched(&end)
	default:
		m.arrive(&end)
	}
}

// arrive adds a receive to its channel.
func (m *Matcher) arrive(end *messageEnd) {
	c := end.channel
	if !c.outOfSync && c.receives.len() == 0 && c.sends.len() > 0 {
		if s := m.waiting.peek(&c.sends); s.state == settled {
			m.waiting.pop(&c.sends)
			m.match(&s.messageEnd, end)
			m.drop(s)
			return
		}
	}
	m.waiting.push(&c.receives, m.pendingEnd(*end, settled))
	m.pair(c)
}

// hold counts a receive of a channel, which may be nil, among the posted receives.
func (m *Matcher) hold(c *channel) {
	if c != nil {
		c.held++
	}
}

// replace ends a pending request whose number is that of a new one.
func (m *Matcher) replace(l *Location, id uint64) {
	if _, ok := l.requests[id]; ok {
		m.totals.OpenRequests++
		m.settle(l, id, settled)
	}
}

// settle ends a pending request. A posted receive that is not completed by now never counts.
func (m *Matcher) settle(l *Location, id uint64, state endState) {
	r, ok := l.requests[id]
	if !ok {
		return
	}
	delete(l.requests, id)
	switch {
	case r.posted != 0:
		l.process.posted.at(r.posted).state = cancelled
	case r.send != nil:
		r.send.state = state
		if state == cancelled {
			m.totals.CancelledSends++
		}
		if r.send.channel != nil && !r.send.alone {
			m.pair(r.send.channel)
		} else if state == settled {
			m.leaveUnmatched(&r.send.messageEnd)
		}
	}
}

// pendingEnd returns one to be used.
func (m *Matcher) pendingEnd(end messageEnd, state endState) *pendingEnd {
	n := len(m.free) - 1
	if n < 0 {
		return &pendingEnd{messageEnd: end, state: state}
	}
	e := m.free[n]
	m.free = m.free[:n]
	*e = pendingEnd{messageEnd: end, state: state}
	return e
}

// drop takes back one that is in no queue and of no request.
func (m *Matcher) drop(e *pendingEnd) {
	const most = 1 << 12
	if len(m.free) < most {
		m.free = append(m.free, e)
	}
}

// releasePostings passes the receives of a process on to their channels, as far as their order is decided.
func (m *Matcher) releasePostings(p *process) {
	for p.posted.len() > 0 && p.posted.peek().state != waiting {
		r := p.posted.pop()
		if r.state == cancelled {
			continue
		}
		if c := r.end.channel; c == nil {
			m.leaveUnmatched(&r.end.messageEnd)
		} else {
			c.held--
			m.arrive(&r.end.messageEnd)
		}
		m.drop(r.end)
	}
}

// pair matches the ends of a channel as far as they are decided.
func (m *Matcher) pair(c *channel) {
	if c.outOfSync && !m.resync(c) {
		return
	}
	for c.sends.len() > 0 {
		switch s := m.waiting.peek(&c.sends); {
		case s.state == cancelled:
			m.drop(m.waiting.pop(&c.sends))
		case s.state == waiting || c.receives.len() == 0:
			return
		default:
			m.waiting.pop(&c.sends)
			r := m.waiting.pop(&c.receives)
			m.match(&s.messageEnd, &r.messageEnd)
			m.drop(s)
			m.drop(r)
		}
	}
}

// match notes a pair: in the blocks of its slice if both ends are in one that is not sealed, else as a message of the tree.
func (m *Matcher) match(s, r *messageEnd) {
	t := m.totals
	t.Messages++
	if sum := t.MessageBytes + s.Length; sum >= s.Length {
		t.MessageBytes = sum
	} else {
		t.MessageBytes = math.MaxUint64
	}
	if r.Length > s.Length {
		t.SuspiciousMessages++
	}
	if r.Time < s.Time {
		t.BackwardMessages++
	}
	if s.Slice == r.Slice && len(m.group) > 0 && s.Slice >= m.group[0].Number {
		blocks := m.group[s.Slice-m.group[0].Number].Blocks
		a, b := &blocks[s.lane].ends[s.number], &blocks[r.lane].ends[r.number]
		a.partner = s.channel.number + 1
		b.partner, b.mate = s.lane+1, s.number
		m.sums.add(s, r, s.Slice)
		return
	}
	m.sums.add(s, r, m.current)
	message := index.Message{Send: s.End, Receive: r.End, Communicator: s.comm, Tag: s.tag}
	m.add(nodes.Messages, &message, s.lane, r.lane)
}

func (m *Matcher) leaveUnmatched(e *messageEnd) {
	m.unmatched.add(m.unmatchedEnd(e))
	if e.send {
		m.totals.UnmatchedSends++
	} else {
		m.totals.UnmatchedReceives++
	}
}

func (m *Matcher) unmatchedEnd(e *messageEnd) pairing.Unmatched {
	return pairing.Unmatched{Side: m.sideOf(e), Location: e.Location, Ordinal: e.Ordinal, Slice: e.Slice, Length: e.Length}
}

// sideOf returns the side of the channel that an end is on.
func (m *Matcher) sideOf(e *messageEnd) pairing.Side {
	s := pairing.Side{Own: m.locations[e.Location].process.id, Send: e.send, Communicator: e.comm, Tag: e.tag}
	switch c := e.channel; {
	case c == nil:
		s.PeerUnknown = true
	case e.send:
		s.Peer = c.to
	default:
		s.Peer = c.from
	}
	return s
}

// Finish decides what was left open: sends whose requests were never completed count, receives never completed do not.
func (m *Matcher) Finish() {
	if m.Undecided {
		m.leaveUndecided()
	} else {
		m.settleAll()
	}
	for _, c := range m.channels {
		for _, q := range []*endQueue{&c.sends, &c.receives} {
			for q.len() > 0 {
				e := m.waiting.pop(q)
				if e.state != cancelled {
					m.leaveUnmatched(&e.messageEnd)
				}
				m.drop(e)
			}
		}
	}
}

// settleAll decides all pending requests.
func (m *Matcher) settleAll() {
	for _, p := range m.order {
		for _, l := range p.locations {
			m.totals.OpenRequests += uint64(len(l.requests))
			for _, id := range l.underWay() {
				m.settle(l, id, settled)
			}
		}
		m.releasePostings(p)
	}
}

// Failure returns what went wrong with temporary files.
func (m *Matcher) Failure() error { return errors.Join(m.waiting.err, m.unmatched.err) }

// Close removes temporary files.
func (m *Matcher) Close() error {
	return errors.Join(m.waiting.spool.Close(), m.unmatched.spool.Close())
}
