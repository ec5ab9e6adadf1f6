package write

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/write/nodes"
	"github.com/pandotrace/pando/trace"
)

// matcher decides, once and for all, which send belongs to which receive.
//
// A channel is a sending process, a receiving process, a communicator and a tag. Its sends count in the order of
// their records, its receives in the order in which they were posted; the n-th belongs to the n-th. A non-blocking send
// counts unless its request is cancelled; a non-blocking receive counts from where its request was posted. Threads of a
// process share its channels. What is not decided yet holds back what comes after it, so the outcome never depends on
// when it is asked.
type matcher struct {
	w         *Writer
	running   chan struct{} // closed when the slice that was given last is done; nil if none is
	nodes     []nodes.Lane  // messages, by lane; each lane has its own calls
	processes map[pairing.ProcessID]*process
	channels  map[pairing.ChannelKey]*channel
	numbers   int          // that channels have
	sends     sendOrders   // used when a slice is sealed
	order     []*process   // in the order of their locations
	lanes     [][]*process // in this order, too

	group     []*sliceData // slices whose pairs can still be noted in their blocks
	current   uint64       // the slice taken apart last
	sums      messageSums
	unmatched unmatchedEnds
	waiting   waitingEnds
	sorted    []*endEvent
	recent    [1 << recentBits]recentChannel
	Undecided bool          // what is pending at the end stays so: events are lost
	free      []*pendingEnd // those that nothing refers to any longer
	ends      cache.Pool[[]blockEnd]
	events    cache.Pool[[]endEvent]
}

// messageEnd is one end of a message.
type messageEnd struct {
	index.End
	lane    uint32
	number  uint32 // among the ends of its block
	channel *channel
	tag     uint64
	comm    uint64
	pair    uint32 // number that it shares with its partner, if it is known; see tear
	send    bool
}

// blockEnd is an end among those of its block, of which there are very many until their slices are sealed.
type blockEnd struct {
	// with tells of the partner in the same slice: the lane of a receive's plus one; of a send, the number of the channel plus one.
	// It is 0 without partner.
	with uint32
	mate uint32 // number of a receive's partner; isSend of all sends
}

// isSend stands for the partner of sends.
const isSend = math.MaxUint32

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
}

// process holds what the locations of a process share.
type process struct {
	id        pairing.ProcessID
	locations []*Location
	postings  postings
	torn      bool // there was a tear
}

// locationMatching is what the matcher keeps of one location.
type locationMatching struct {
	process  *process   // nil until lanes are laid out; all of its locations are in the lane
	from, to uint32     // its events among those of the lane in the current slice
	talk     *messaging // nil if it has nothing of that
}

// messaging is what the matcher keeps of a location that has pending requests, hints or tears.
type messaging struct {
	requests map[uint64]request
	tears    []tear            // that the matcher has not seen
	hints    map[uint64]uint32 // by ordinal: the pair of an end of a message, see tear
}

// talking returns what is kept of a location, to be changed.
func (l *locationMatching) talking() *messaging {
	if l.talk == nil {
		l.talk = &messaging{requests: map[uint64]request{}}
	}
	return l.talk
}

// requests returns the pending requests, which must not be changed.
func (l *locationMatching) requests() map[uint64]request {
	if l.talk == nil {
		return nil
	}
	return l.talk.requests
}

// torn reports whether the location has tears that the matcher has not seen.
func (l *locationMatching) torn() bool { return l.talk != nil && len(l.talk.tears) > 0 }

// request is a pending non-blocking operation.
type request struct {
	send    *pendingEnd
	posting uint64 // number of a receive
}

// endEvent is an event that the matcher must see.
type endEvent struct {
	kind    trace.Kind
	number  uint32 // among the ends of its block
	pair    uint32 // see messageEnd
	key     rankKey
	request uint64
	length  uint64
	time    int64
	ordinal uint64
	at      *Location
}

func newMatcher(w *Writer) *matcher {
	m := &matcher{w: w, processes: map[pairing.ProcessID]*process{}, channels: map[pairing.ChannelKey]*channel{}}
	m.sums.m = m
	m.waiting = waitingEnds{m: m, most: w.options.Memory / waitingShare, spool: blockio.Spool{Dir: w.options.TempDir}}
	m.unmatched = unmatchedEnds{most: max(runPiece, int(w.options.Memory/unmatchedShare/unmatchedBytes)), spool: blockio.Spool{Dir: w.options.TempDir}}
	return m
}

// isPointToPoint reports whether the matcher must see events of a kind.
func isPointToPoint(k trace.Kind) bool {
	return k >= trace.KindMpiSend && k <= trace.KindMpiRequestCancelled
}

// endpoint notes an event of point-to-point communication for the matcher, and reserves its place among the
// ends of the block.
func (r *runBuilder) endpoint(class shape.Class, i int, t int64, ordinal uint64) {
	l := r.location
	words := r.batch.Fields(i)
	e := endEvent{kind: r.batch.Kinds[i], time: t, ordinal: ordinal, at: l}
	switch class {
	case shape.Send, shape.Receive:
		e.key = rankKey{rank: words[0], communicator: words[1], tag: words[2], send: class == shape.Send}
		e.length, e.number = words[3], uint32(len(r.out.ends))
		if m := l.matching.talk; m != nil && len(m.hints) > 0 {
			e.pair = m.takeHint(ordinal)
		}
		var end blockEnd
		if e.key.send {
			end.mate = isSend
		}
		r.out.ends = append(r.out.ends, end)
		if len(words) > 4 {
			e.request = words[4]
		}
	default:
		e.request = words[0]
	}
	r.ends.events = append(r.ends.events, e)
}

// laneEnds are the events of a lane's part of a slice that the matcher must see.
type laneEnds struct {
	events []endEvent
	runs   []runEnds
}

// runEnds are those of one location: from where those of the run before end.
type runEnds struct {
	location *Location
	upTo     int
}

// sliceEnds are on the way from what takes a slice apart to the matcher.
type sliceEnds struct {
	before  <-chan struct{} // closed when the slice before is done; nil if there is none
	lanes   []chan laneEnds // by lane, each for one
	matched chan struct{}   // for each lane that is done
}

// start begins to look at the lanes of a slice in their order, as they are taken apart. Each lane must be sent.
func (m *matcher) start(s *sliceData) sliceEnds {
	q := sliceEnds{before: m.running, lanes: make([]chan laneEnds, len(s.lanes)), matched: make(chan struct{}, len(s.lanes))}
	for i := range q.lanes {
		q.lanes[i] = make(chan laneEnds, 1)
	}
	running := make(chan struct{})
	m.running = running
	go func() {
		defer close(running)
		q.begin()
		m.slice(s, q)
	}()
	return q
}

// begin waits until the slice before is done.
func (q *sliceEnds) begin() {
	if q.before != nil {
		<-q.before
	}
}

// wait waits until all slices that were given are done.
func (m *matcher) wait() error {
	if m.running != nil {
		<-m.running
		m.running = nil
	}
	return m.failure()
}

// slice looks at the events of a slice.
func (m *matcher) slice(s *sliceData, q sliceEnds) {
	m.group = append(m.group, s)
	m.current = s.number
	for number, lane := range q.lanes {
		if e := <-lane; m.failure() == nil && e.events != nil {
			if len(e.runs) > 0 {
				m.laneEvents(number, &e)
			}
			m.events.Put(e.events[:0])
		}
		q.matched <- struct{}{}
	}
}

// laneEvents looks at the events of a lane.
func (m *matcher) laneEvents(lane int, e *laneEnds) {
	from := 0
	for _, r := range e.runs {
		r.location.matching.from, r.location.matching.to = uint32(from), uint32(r.upTo)
		from = r.upTo
	}
	for _, p := range m.lanes[lane] {
		if l := p.alone(); l != nil {
			events := e.events[l.matching.from:l.matching.to]
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
		r.location.matching.from, r.location.matching.to = 0, 0
	}
}

// join gives a location, which has its lane now, its process. No slice is under way.
func (m *matcher) join(l *Location, of pairing.ProcessID) {
	p := m.processes[of]
	if p == nil {
		p = &process{id: of}
		m.processes[of] = p
		m.order = append(m.order, p)
		for len(m.lanes) <= int(l.lane) {
			m.lanes = append(m.lanes, nil)
		}
		m.lanes[l.lane] = append(m.lanes[l.lane], p)
	}
	p.locations = append(p.locations, l)
	l.matching.process = p
}

// alone returns the only location of a process that has events, nil if there are several or none.
func (p *process) alone() (busy *Location) {
	for _, l := range p.locations {
		if l.matching.from == l.matching.to {
			continue
		}
		if busy != nil {
			return nil
		}
		busy = l
	}
	return busy
}

// inOrder returns a process's events in merged order: by time, location, ordinal.
func (m *matcher) inOrder(p *process, events []endEvent) []*endEvent {
	m.sorted = m.sorted[:0]
	for _, l := range p.locations {
		for i := l.matching.from; i < l.matching.to; i++ {
			m.sorted = append(m.sorted, &events[i])
		}
	}
	slices.SortStableFunc(m.sorted, func(a, b *endEvent) int { return cmp.Compare(a.time, b.time) })
	return m.sorted
}

func (m *matcher) event(p *process, e *endEvent) {
	l := &e.at.matching
	switch e.kind {
	case trace.KindMpiSend, trace.KindMpiIsend:
		m.send(l, e)
	case trace.KindMpiIrecvRequest:
		m.settle(l, e.request, settled)
		l.talking().requests[e.request] = request{posting: p.postings.push(posting{state: waiting})}
	case trace.KindMpiRecv:
		m.receive(p, m.resolve(e))
	case trace.KindMpiIrecv:
		if r, ok := l.requests()[e.request]; ok && r.posting != 0 {
			end, posted := m.resolve(e), p.postings.at(r.posting)
			if posted.stale {
				end.pair = 0
			}
			m.hold(end.channel)
			posted.end, posted.state = m.pendingEnd(end, settled), settled
			delete(l.requests(), e.request)
		} else {
			m.receive(p, m.resolve(e))
		}
	case trace.KindMpiIsendComplete:
		if l.requests()[e.request].send != nil {
			m.settle(l, e.request, settled)
		}
	case trace.KindMpiRequestCancelled:
		m.settle(l, e.request, cancelled)
	case kindTear:
		m.tear(p, e.at)
	}
}

// send adds a send to its channel. A non-blocking one waits for what becomes of its request.
func (m *matcher) send(l *locationMatching, e *endEvent) {
	end := m.resolve(e)
	c := end.channel
	if e.kind == trace.KindMpiIsend {
		m.settle(l, e.request, settled)
		s := m.pendingEnd(end, waiting)
		l.talking().requests[e.request] = request{send: s}
		if c != nil {
			m.waiting.push(&c.sends, s)
			m.pair(c)
		}
		return
	}
	switch {
	case c == nil:
		m.leaveUnmatched(&end)
	case !c.torn && c.sends.len() == 0 && c.receives.len() > 0:
		r := m.waiting.pop(&c.receives)
		m.match(&end, &r.messageEnd)
		m.drop(r)
	default:
		m.waiting.push(&c.sends, m.pendingEnd(end, settled))
		m.pair(c)
	}
}

// receive adds a receive to its channel, or to the process's postings if some of these are not decided.
func (m *matcher) receive(p *process, end messageEnd) {
	switch {
	case p.postings.len() > 0:
		m.hold(end.channel)
		p.postings.push(posting{end: m.pendingEnd(end, settled), state: settled})
	case end.channel == nil:
		m.leaveUnmatched(&end)
	default:
		m.arrive(&end)
	}
}

// arrive adds a receive to its channel.
func (m *matcher) arrive(end *messageEnd) {
	c := end.channel
	if !c.torn && c.receives.len() == 0 && c.sends.len() > 0 {
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

// hold counts a receive of a channel, which may be nil, among the postings.
func (m *matcher) hold(c *channel) {
	if c != nil {
		c.held++
	}
}

// settle ends a pending request. A posted receive that is not completed by now never counts.
func (m *matcher) settle(l *locationMatching, id uint64, state endState) {
	r, ok := l.requests()[id]
	if !ok {
		return
	}
	delete(l.requests(), id)
	switch {
	case r.posting != 0:
		l.process.postings.at(r.posting).state = cancelled
	case r.send != nil:
		r.send.state = state
		if state == cancelled {
			m.w.totals.CancelledSends++
		}
		if r.send.channel != nil {
			m.pair(r.send.channel)
		} else if state == settled {
			m.leaveUnmatched(&r.send.messageEnd)
		}
	}
}

// pendingEnd returns one to be used.
func (m *matcher) pendingEnd(end messageEnd, state endState) *pendingEnd {
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
func (m *matcher) drop(e *pendingEnd) {
	const most = 1 << 12
	if len(m.free) < most {
		m.free = append(m.free, e)
	}
}

// releasePostings passes the receives of a process on to their channels, as far as their order is decided.
func (m *matcher) releasePostings(p *process) {
	for p.postings.len() > 0 && p.postings.peek().state != waiting {
		r := p.postings.pop()
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
func (m *matcher) pair(c *channel) {
	if c.torn && !m.mend(c) {
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
func (m *matcher) match(s, r *messageEnd) {
	t := &m.w.totals
	t.Messages++
	if sum := t.MessageBytes + s.Length; sum >= s.Length {
		t.MessageBytes = sum
	} else {
		t.MessageBytes = math.MaxUint64
	}
	if r.Length > s.Length {
		t.SuspiciousMessages++
	}
	if s.Slice == r.Slice && len(m.group) > 0 && s.Slice >= m.group[0].number {
		lanes := m.group[s.Slice-m.group[0].number].lanes
		a, b := &lanes[s.lane].ends[s.number], &lanes[r.lane].ends[r.number]
		a.with = s.channel.number + 1
		b.with, b.mate = s.lane+1, s.number
		m.sums.add(s, r, s.Slice)
		return
	}
	m.sums.add(s, r, m.current)
	message := index.Message{Send: s.End, Receive: r.End, Communicator: s.comm, Tag: s.tag}
	m.addMessage(&message, s.lane, r.lane)
}

func (m *matcher) leaveUnmatched(e *messageEnd) {
	m.unmatched.add(layout.UnmatchedEnd{End: e.End, Send: e.send})
	if e.send {
		m.w.totals.UnmatchedSends++
	} else {
		m.w.totals.UnmatchedReceives++
	}
}

// finish decides what was left open: sends whose requests were never completed count, receives never completed do not.
func (m *matcher) finish() {
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
func (m *matcher) settleAll() {
	for _, p := range m.order {
		for _, l := range p.locations {
			for id := range l.matching.requests() {
				m.settle(&l.matching, id, settled)
			}
		}
		m.releasePostings(p)
	}
}

// failure returns what went wrong with temporary files.
func (m *matcher) failure() error { return errors.Join(m.waiting.err, m.unmatched.err) }

// close removes temporary files.
func (m *matcher) close() error {
	return errors.Join(m.waiting.spool.Close(), m.unmatched.spool.Close())
}
