package check

import "slices"

// matching finds out which send belongs to which receive: of each channel, the n-th send to the receive that was posted n-th.
type matching struct {
	*checker
	processes map[process]*postings
	channels  map[channel]*ends
	open      map[postKey]*ends // channels of sends that may still be cancelled
	waiting   int               // receives that wait for others that were posted before
	ended     bool
}

// process is a location group, or a location without one.
type process struct {
	id    uint64
	group bool
}

// channel is what the two ends of a message agree in.
type channel struct {
	from, to  process
	comm, tag uint64
}

// ends are those of a channel that have no partner yet. Unless the first send may still be cancelled, either list is empty.
type ends struct {
	channel
	sends, receives []messageEnd
}

type messageEnd struct {
	at     Place
	length uint64
	peer   uint64
	open   bool // may still be cancelled
}

// postings are the receives of a process in the order in which they were posted. The first one is under way.
type postings struct {
	list  []posting
	first uint64             // number of the list's first posting
	of    map[postKey]uint64 // numbers of those under way
}

type postKey struct{ location, ordinal uint64 }

type posting struct {
	known   bool // completed
	dropped bool // cancelled, or given up
	event   jointEvent
}

func newMatching(c *checker) *matching {
	return &matching{checker: c, processes: map[process]*postings{}, channels: map[channel]*ends{}, open: map[postKey]*ends{}}
}

// processOf returns the process of a location.
func (c *checker) processOf(location uint64) process {
	id, group := c.defs.Process(location)
	return process{id, group}
}

func (m *matching) add(e *jointEvent) {
	switch e.kind {
	case sends:
		m.send(e)
		return
	case settles:
		m.settleSend(e, false)
		return
	}
	p := m.postings(m.processOf(e.at.Location))
	key := postKey{e.at.Location, e.request}
	n, posted := p.of[key]
	switch {
	case e.kind == posts:
		p.of[key] = p.first + uint64(len(p.list))
		p.list = append(p.list, posting{})
	case e.kind == cancels && posted:
		p.list[n-p.first].dropped = true
		delete(p.of, key)
	case e.kind == cancels:
		m.settleSend(e, true)
	case e.kind == completes && posted:
		p.list[n-p.first] = posting{known: true, event: *e}
		delete(p.of, key)
		m.waiting++
	case len(p.list) == 0:
		m.receive(e) // nothing was posted before it
	default:
		p.list = append(p.list, posting{known: true, event: *e})
		m.waiting++
	}
	m.drain(p)
}

// postings returns those of a process.
func (m *matching) postings(of process) *postings {
	p := m.processes[of]
	if p == nil {
		p = &postings{of: map[postKey]uint64{}}
		m.processes[of] = p
	}
	return p
}

// drain gives the receives on before which none is under way. If too many wait, the one that holds them up is given up.
func (m *matching) drain(p *postings) {
	for len(p.list) > 0 {
		first := &p.list[0]
		if !first.known && !first.dropped {
			if m.waiting <= m.opt.Waiting {
				return
			}
			m.giveUp(p)
		}
		if first.known {
			m.waiting--
			m.receive(&first.event)
		}
		p.list = p.list[1:]
		p.first++
	}
}

// giveUp forgets the posting that holds up all others. When it is completed it counts as posted then.
func (m *matching) giveUp(p *postings) {
	for key, n := range p.of {
		if n == p.first {
			delete(p.of, key)
		}
	}
	p.list[0].dropped = true
}

// ends returns the ends of the channel of a message that was seen at one end.
func (m *matching) ends(e *jointEvent, sent bool) *ends {
	peer, ok := m.defs.RankLocation(e.comm, e.peer, e.at.Location)
	if !ok {
		m.ledger.add(UnknownPeer, UnknownPeer.Severity(), e.at, Value{"communicator", Communicator, e.comm}, Value{"peer", Rank, e.peer})
		return nil
	}
	c := channel{m.processOf(e.at.Location), m.processOf(peer), e.comm, e.tag}
	if !sent {
		c.from, c.to = c.to, c.from
	}
	list := m.channels[c]
	if list == nil {
		list = &ends{channel: c}
		m.channels[c] = list
	}
	return list
}

func (m *matching) send(e *jointEvent) {
	if list := m.ends(e, true); list != nil {
		list.sends = append(list.sends, messageEnd{e.at, e.length, e.peer, e.open})
		if e.open {
			m.open[postKey{e.at.Location, e.at.Ordinal}] = list
		}
		m.match(list)
	}
}

func (m *matching) receive(e *jointEvent) {
	if list := m.ends(e, false); list != nil {
		list.receives = append(list.receives, messageEnd{at: e.at, length: e.length, peer: e.peer})
		m.match(list)
	}
}

// settleSend takes up that a send was completed, or cancelled: then it takes no part.
func (m *matching) settleSend(e *jointEvent, cancelled bool) {
	key := postKey{e.at.Location, e.request}
	list := m.open[key]
	if list == nil {
		return
	}
	delete(m.open, key)
	i := slices.IndexFunc(list.sends, func(s messageEnd) bool { return s.at.Location == key.location && s.at.Ordinal == key.ordinal })
	if list.sends[i].open = false; cancelled {
		list.sends = slices.Delete(list.sends, i, i+1)
	}
	m.match(list)
}

// match pairs the first ends of a channel.
func (m *matching) match(list *ends) {
	for len(list.sends) > 0 && len(list.receives) > 0 && (m.ended || !list.sends[0].open) {
		m.pair(&list.channel, &list.sends[0], &list.receives[0])
		list.sends, list.receives = list.sends[1:], list.receives[1:]
	}
}

// pair checks a message.
func (m *matching) pair(c *channel, s, r *messageEnd) {
	if r.length > s.length {
		m.ledger.add(LongerThanSent, LongerThanSent.Severity(), r.at, values(c, r, s, Value{"sent", Bytes, s.length}, Value{"received", Bytes, r.length})...)
	}
	if early := s.at.Time + m.opt.MinLatency - r.at.Time; early > 0 {
		m.ledger.add(ReceivedBeforeSent, ReceivedBeforeSent.Severity(), r.at, values(c, r, s, Value{"early", Duration, uint64(early)})...)
	}
}

// values say what a message is, of which one end is the finding's event.
func values(c *channel, own, other *messageEnd, more ...Value) []Value {
	return append([]Value{{"communicator", Communicator, c.comm}, {"peer", Rank, own.peer}, {"tag", Plain, c.tag}, {"other_location", Location, other.at.Location},
		{"other_event", Plain, other.at.Ordinal}, {"other_time", Instant, uint64(other.at.Time)}}, more...)
}

// end notes what has no partner.
func (m *matching) end() {
	m.ended = true
	for _, p := range m.processes {
		for i := range p.list {
			if p.list[i].known {
				m.receive(&p.list[i].event)
			}
		}
	}
	for c, list := range m.channels {
		m.match(list)
		for i := range list.sends {
			m.unmatched(UnmatchedSend, c, &list.sends[i])
		}
		for i := range list.receives {
			m.unmatched(UnmatchedReceive, c, &list.receives[i])
		}
	}
}

// unmatched notes an end without a partner. If the trace has no events of the other process, there is none to be found.
func (m *matching) unmatched(code Code, c channel, e *messageEnd) {
	s := unlessCut
	if !m.recorded[c.from] || !m.recorded[c.to] {
		s = Note
	}
	m.ledger.add(code, s, e.at, Value{"communicator", Communicator, c.comm}, Value{"peer", Rank, e.peer}, Value{"tag", Plain, c.tag}, Value{"bytes", Bytes, e.length})
}
