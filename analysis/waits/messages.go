package waits

import "github.com/pandotrace/pando/trace"

// message is a message of which something is to come.
type message struct {
	send, posted    origin // calls that sent it and that posted its receive, as far as they are known
	sent, received  bool
	sender          int32 // waiter: the call that sends it, or that completes the send; -1 if it does not wait
	receiver        int32 // waiter: the call that receives it, -1 if there is none
	hard            bool  // the sender cannot be left before the receive is posted
	requested       bool  // the completion of the send is to come
	sentAt, arrived mark
}

// announce makes ends of messages known to their locations.
func (f *flow) announce(list []trace.Message) error {
	for i := range list {
		m := &list[i]
		from, to := f.place(m.SendLocation), f.place(m.ReceiveLocation)
		n := f.messages.add(message{sender: -1, receiver: -1})
		if m.SendTime >= f.from {
			from.ends, from.unready = append(from.ends, end{m.SendOrdinal, m.SendTime, n, false}), true
		}
		if m.ReceiveTime >= f.from {
			to.ends, to.unready = append(to.ends, end{m.ReceiveOrdinal, m.ReceiveTime, n, true}), true
		}
		f.counts.Messages++
		if d := m.SendTime - m.ReceiveTime; d > 0 {
			f.counts.Backward++
			f.counts.WorstBackward = max(f.counts.WorstBackward, d)
		}
		if min(m.SendTime, m.ReceiveTime) < f.from {
			if err := f.begun(n, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// unmatched counts an end of a message that has no other end.
func (f *flow) unmatched(a *act, count *uint64) {
	if f.from <= a.time && a.time < f.to {
		*count++
	}
}

// send meets the send of a message.
func (f *flow) send(p *place, a *act) {
	if a.kind == trace.KindMpiIsend {
		f.forget(p, a.a) // the number of the request is used again
	}
	n, ok := p.take(a.ordinal, false)
	if !ok {
		f.unmatched(a, &f.counts.UnmatchedSends)
		return
	}
	m, call := &f.messages.list[n], p.communicating()
	m.sent, m.sentAt = true, mark{a.time, p.index, a.ordinal}
	if call != nil {
		m.send = call.origin
	} else {
		f.unmatched(a, &f.counts.Bare)
	}
	switch {
	case a.kind == trace.KindMpiIsend:
		p.sends[a.a], m.requested = n, true
	case call != nil && call.role&buffered == 0:
		m.hard = call.role&synchronous != 0
		m.sender = f.waiting(call)
	}
	f.meet(n)
}

// post meets the posting of a receive that does not block.
func (f *flow) post(p *place, a *act) {
	var o origin
	if call := p.communicating(); call != nil {
		o = call.origin
	}
	p.posted[a.a] = o
}

// receive meets the receive of a message.
func (f *flow) receive(p *place, a *act) {
	var posted origin
	if a.kind == trace.KindMpiIrecv {
		posted = p.posted[a.a]
		delete(p.posted, a.a)
	}
	n, ok := p.take(a.ordinal, true)
	if !ok {
		f.unmatched(a, &f.counts.UnmatchedReceives)
		return
	}
	m, call := &f.messages.list[n], p.communicating()
	m.received, m.arrived = true, mark{a.time, p.index, a.ordinal}
	if call == nil {
		f.unmatched(a, &f.counts.Bare)
	} else {
		if a.kind == trace.KindMpiRecv && call.role&completing == 0 {
			posted = call.origin
		}
		m.receiver = f.waiting(call)
	}
	m.posted = posted
	f.meet(n)
}

// complete meets the completion of a send that did not block.
func (f *flow) complete(p *place, a *act) {
	n, ok := p.sends[a.a]
	if !ok {
		return
	}
	delete(p.sends, a.a)
	m := &f.messages.list[n]
	m.requested = false
	if call := p.communicating(); call != nil {
		m.sender = f.waiting(call)
	}
	f.meet(n)
}

// forget ends the wait for the completion of a send, which never comes.
func (f *flow) forget(p *place, request uint64) {
	if n, ok := p.sends[request]; ok {
		delete(p.sends, request)
		f.messages.list[n].requested = false
		f.meet(n)
	}
}

// meet works out a message of which both ends are known.
func (f *flow) meet(n int32) {
	m := &f.messages.list[n]
	if !m.sent || !m.received {
		return
	}
	if m.receiver >= 0 {
		f.blame(m.receiver, candidate{origin: m.send, kind: LateSender, hard: true}, m.sentAt)
		m.receiver = -1
	}
	if m.sender >= 0 {
		f.blame(m.sender, candidate{origin: m.posted, kind: LateReceiver, hard: m.hard}, m.arrived)
		m.sender = -1
	}
	if !m.requested {
		f.messages.drop(n)
	}
}

// blame tells a waiter something that it may have waited for, known since some event.
func (f *flow) blame(n int32, c candidate, since mark) {
	w := &f.waiters.list[n]
	w.pending--
	w.known = later(w.known, since)
	if c.known && c.at > w.at {
		c.next = w.first
		w.first = f.candidates.add(c)
	}
	f.settle(n)
}
