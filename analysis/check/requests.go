package check

import "github.com/pandotrace/pando/trace"

// request is an operation under way that does not block.
type request struct {
	code Code // what it is if it is never completed
	at   Place
}

// requestKey names a request. One of a collective operation may have the number of one of a message, by mistake: neither ends the other, since what
// becomes of messages does not depend on collective operations.
type requestKey struct {
	id         uint64
	collective bool
}

// beginRequest notes that a request is under way.
func (l *lane) beginRequest(i int, id uint64, code Code) {
	if l.requests == nil {
		l.requests = map[requestKey]request{}
	}
	key := requestKey{id, code == CollectiveNeverCompleted}
	r, used := l.requests[key]
	if used {
		l.forget(i, &r)
	} else {
		r, used = l.requests[requestKey{id, !key.collective}]
	}
	if used {
		l.ledger.add(RequestInUse, RequestInUse.Severity(), l.place(i), requestValues(id, &r)...)
	}
	l.requests[key] = request{code, l.place(i)}
}

// forget ends what nobody can complete any more, as its request is that of something else.
func (l *lane) forget(i int, r *request) {
	switch r.code {
	case SendNeverCompleted:
		l.joint.push(&jointEvent{at: l.place(i), kind: settles, lane: l, request: r.at.Ordinal})
	case ReceiveNeverCompleted:
		l.joint.push(&jointEvent{at: l.place(i), kind: cancels, lane: l, request: r.at.Ordinal})
	}
}

// complete ends a request. ok is false if it is not under way as what it is completed as.
func (l *lane) complete(i int, id uint64, code Code) (r request, ok bool) {
	key := requestKey{id, code == CollectiveNeverCompleted}
	if r, ok = l.requests[key]; ok && r.code == code {
		delete(l.requests, key)
		return r, true
	}
	l.ledger.add(UnknownRequest, unlessCut, l.place(i), Value{"request", Plain, id})
	return r, false
}

func requestValues(id uint64, r *request) []Value {
	return []Value{{"request", Plain, id}, {"begun", Instant, uint64(r.at.Time)}, {"begun_event", Plain, r.at.Ordinal}}
}

// endRequests notes what is never completed.
func (l *lane) endRequests() {
	for key, r := range l.requests {
		l.ledger.add(r.code, unlessCut, r.at, Value{"request", Plain, key.id})
	}
}

// message returns an end of a message, as far as the event tells it.
func (l *lane) message(i int, kind jointKind) *jointEvent {
	w := l.batch.Fields(i)
	return &jointEvent{at: l.place(i), kind: kind, lane: l, peer: w[0], comm: w[1], tag: w[2], length: w[3]}
}

func (l *lane) send(i int) { l.joint.push(l.message(i, sends)) }

func (l *lane) isend(i int) {
	e := l.message(i, sends)
	e.open = true
	l.beginRequest(i, l.batch.Fields(i)[4], SendNeverCompleted)
	l.joint.push(e)
}

func (l *lane) isendComplete(i int) {
	if r, ok := l.complete(i, l.batch.Fields(i)[0], SendNeverCompleted); ok {
		l.forget(i, &r)
	}
}

func (l *lane) recv(i int) { l.joint.push(l.message(i, receives)) }

func (l *lane) irecvRequest(i int) {
	l.beginRequest(i, l.batch.Fields(i)[0], ReceiveNeverCompleted)
	l.joint.push(&jointEvent{at: l.place(i), kind: posts, lane: l, request: l.ordinal(i)})
}

// irecv completes a receive. One that was not posted counts as posted now.
func (l *lane) irecv(i int) {
	e := l.message(i, receives)
	if r, ok := l.complete(i, l.batch.Fields(i)[4], ReceiveNeverCompleted); ok {
		e.kind, e.request = completes, r.at.Ordinal
	}
	l.joint.push(e)
}

// cancelled ends a request of either kind.
func (l *lane) cancelled(i int) {
	id := l.batch.Fields(i)[0]
	r, ok := l.requests[requestKey{id: id}]
	if !ok {
		l.ledger.add(UnknownRequest, unlessCut, l.place(i), Value{"request", Plain, id})
		return
	}
	delete(l.requests, requestKey{id: id})
	l.joint.push(&jointEvent{at: l.place(i), kind: cancels, lane: l, request: r.at.Ordinal})
}

func (l *lane) collectiveBegin(i int) {
	if l.inPart {
		l.ledger.add(LostCollectiveEnd, LostCollectiveEnd.Severity(), l.part)
	}
	l.part, l.inPart = l.place(i), true
}

func (l *lane) collectiveEnd(i int) {
	e := l.partOf(i, partEnds)
	if l.inPart {
		e.begin, e.begun = l.part, true
	} else {
		l.ledger.add(LostCollectiveBegin, unlessCut, l.place(i), Value{"operation", Operation, e.operation})
	}
	l.inPart = false
	l.joint.push(e)
}

func (l *lane) collectiveRequest(i int) {
	id := l.batch.Fields(i)[0]
	l.beginRequest(i, id, CollectiveNeverCompleted)
	l.joint.push(&jointEvent{at: l.place(i), kind: partBegins, lane: l, request: id})
}

func (l *lane) collectiveComplete(i int) {
	e := l.partOf(i, partCompletes)
	e.request = l.batch.Fields(i)[5]
	if r, ok := l.complete(i, e.request, CollectiveNeverCompleted); ok {
		e.begin, e.begun = r.at, true
	}
	l.joint.push(e)
}

func (l *lane) partOf(i int, kind jointKind) *jointEvent {
	w := l.batch.Fields(i)
	root := w[2]
	if root == undefinedRank {
		root = trace.Undefined
	}
	return &jointEvent{at: l.place(i), kind: kind, lane: l, operation: w[0], comm: w[1], root: root, sent: w[3], received: w[4]}
}

// undefinedRank is the rank of operations without a root, in the 32 bits of its field.
const undefinedRank = 1<<32 - 1
