package waits

import "github.com/pandotrace/pando/trace"

// What begins before the window may end in it, and what begins in it may end behind it. Calls are opened when the window begins, and of messages
// that are under way at its begin or end the other end is looked up.

// sendID names a send.
type sendID struct{ location, ordinal uint64 }

// early is a send that does not block, before the window.
type early struct {
	request uint64
	open    bool // its completion is to come
}

// request names a request of a location.
type request struct{ location, id uint64 }

// lookBack finds the requests of sends of messages that are under way when the window begins. It reads from the first one of them on.
func (f *flow) lookBack() error {
	if f.from <= f.info.First || !f.info.Has(trace.KindMpiIsend) {
		return nil
	}
	sends, from := map[sendID]bool{}, f.from
	for m, err := range f.window.Within(f.from-1, f.from).Messages() {
		if err != nil {
			return err
		}
		if m.SendTime < f.from {
			sends[sendID{m.SendLocation, m.SendOrdinal}] = true
			from = min(from, m.SendTime)
		}
	}
	if len(sends) == 0 {
		return nil
	}
	open := map[request]*early{}
	f.early = map[sendID]*early{}
	kinds := []trace.Kind{trace.KindMpiIsend, trace.KindMpiIsendComplete, trace.KindMpiRequestCancelled}
	for e, err := range f.window.Within(from, f.from).WithKinds(kinds...).Events() {
		if err != nil {
			return err
		}
		location, words := e.Batch.Location, e.Batch.Fields(e.Index)
		isend := e.Batch.Kinds[e.Index] == trace.KindMpiIsend
		r := request{location, words[0]}
		if isend {
			r.id = words[4]
		}
		if o := open[r]; o != nil {
			o.open = false
			delete(open, r)
		}
		if id := (sendID{location, e.Ordinal}); isend && sends[id] {
			open[r] = &early{r.id, true}
			f.early[id] = open[r]
		}
	}
	return nil
}

// begun gives a message the ends that lie before the window.
func (f *flow) begun(n int32, t *trace.Message) error {
	m := &f.messages.list[n]
	if t.SendTime < f.from {
		p := f.place(t.SendLocation)
		m.sent = true
		if e := f.early[sendID{t.SendLocation, t.SendOrdinal}]; e != nil {
			if e.open {
				p.sends[e.request], m.requested = n, true
			}
		} else if call, err := f.around(p, t.SendOrdinal, t.SendTime); err != nil {
			return err
		} else if call != nil && call.role&buffered == 0 {
			m.hard = call.role&synchronous != 0
			m.sender = f.waiting(call)
		}
	}
	if t.ReceiveTime < f.from {
		m.received = true
		if call, err := f.around(f.place(t.ReceiveLocation), t.ReceiveOrdinal, t.ReceiveTime); err != nil {
			return err
		} else if call != nil {
			m.receiver = f.waiting(call)
		}
	}
	f.meet(n)
	return nil
}

// around returns the open call of communication around an event before the window, nil if that was left.
func (f *flow) around(p *place, ordinal uint64, at int64) (*frame, error) {
	call := p.communicating()
	if call == nil || call.ordinal >= ordinal {
		return nil, nil
	}
	for c, err := range f.window.Within(at-1, at+1).WithLocations(p.id).Calls() {
		if err != nil {
			return nil, err
		}
		if call.ordinal < c.Ordinal && c.Ordinal < ordinal && ordinal < c.EndOrdinal && f.roles.role(c.Region)&communicates != 0 {
			return nil, nil
		}
	}
	return call, nil
}

// ending meets the ends of messages that lie behind what was read, as far as a call waits for them.
func (f *flow) ending() error {
	for _, p := range f.places {
		for _, e := range p.ends {
			m := &f.messages.list[e.message]
			if e.receive && m.sender < 0 || !e.receive && m.receiver < 0 {
				continue
			}
			call, request, err := f.lookUp(p, &e)
			if err != nil {
				return err
			}
			at := mark{e.time, p.index, e.ordinal}
			if e.receive {
				if m.received, m.arrived, m.posted = true, at, call; request != noRequest {
					if m.posted, err = f.posting(p, &e, request); err != nil {
						return err
					}
				}
			} else {
				m.sent, m.sentAt, m.send = true, at, call
			}
			f.meet(e.message)
		}
		p.ends = nil
	}
	return nil
}

// noRequest stands for an end of a message without a request.
const noRequest = ^uint64(0)

// posting returns the call that posted a receive that does not block, which lies behind what was read. The posting may lie there, too.
func (f *flow) posting(p *place, e *end, request uint64) (call origin, err error) {
	_, to := f.window.Bounds()
	kinds := []trace.Kind{trace.KindMpiIrecvRequest, trace.KindMpiIrecv, trace.KindMpiRequestCancelled}
	for x, err := range f.window.Within(to, e.time+1).WithLocations(p.id).WithKinds(kinds...).EventsBackward() {
		if err != nil {
			return call, err
		}
		a := actOf(x.Batch, x.Index, x.Ordinal-uint64(x.Index))
		switch {
		case a.ordinal >= e.ordinal || a.a != request:
		case a.kind == trace.KindMpiIrecvRequest:
			call, _, err = f.callAround(p, a.time, a.ordinal)
			return call, err
		default:
			return origin{}, nil
		}
	}
	call = p.posted[request]
	delete(p.posted, request)
	return call, nil
}

// callAround returns the innermost call of communication around an event, and its role.
func (f *flow) callAround(p *place, at int64, ordinal uint64) (call origin, of role, err error) {
	path := Outside
	for c, err := range f.window.Within(at-1, at+1).WithLocations(p.id).Calls() {
		if err != nil {
			return call, of, err
		}
		if c.Ordinal > ordinal || c.EndOrdinal < ordinal {
			continue
		}
		path = f.paths.child(path, f.paths.name(c.Region))
		if r := f.roles.role(c.Region); r&communicates != 0 {
			call, of = origin{known: true, place: p.index, path: path, at: c.Start, ordinal: c.Ordinal}, r
		}
	}
	return call, of, nil
}

// lookUp returns the innermost call of communication around an end of a message, and of a receive that does not block its request.
func (f *flow) lookUp(p *place, e *end) (call origin, request uint64, err error) {
	call, of, err := f.callAround(p, e.time, e.ordinal)
	if err != nil {
		return call, 0, err
	}
	call.known = call.known && (!e.receive || of&completing == 0)
	request = noRequest
	for x, err := range f.window.Within(e.time-1, e.time+1).WithLocations(p.id).WithKinds(trace.KindMpiIrecv).Events() {
		if err != nil {
			return call, 0, err
		}
		if x.Ordinal == e.ordinal {
			request = x.Batch.Fields(x.Index)[4]
		}
	}
	return call, request, nil
}
