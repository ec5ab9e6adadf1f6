package tracegen

import (
	"math"

	"github.com/pandotrace/pando/trace"
)

// requestIDs are few, so that they are used again, also while they are pending.
var requestIDs = []uint64{0, 1, 2, 3, 4, 1 << 40, trace.Undefined}

// communicate writes the next thing there is to do about messages.
func (a *actor) communicate() {
	switch a.IntN(6) {
	case 0, 1:
		a.send()
	case 2:
		a.receive()
	case 3:
		a.post()
	case 4:
		a.complete()
	case 5:
		a.completeSend()
	}
}

func (a *actor) send() {
	if len(a.sends) == 0 {
		return
	}
	words := a.sends[0].words()
	a.sends = a.sends[1:]
	if a.chance(0.5) {
		a.put(trace.KindMpiSend, words...)
		return
	}
	id := choose(a.dice, requestIDs)
	a.sent = append(a.sent, id)
	a.put(trace.KindMpiIsend, append(words, id)...)
}

// completeSend completes or cancels a non-blocking send that is pending or was before.
func (a *actor) completeSend() {
	if len(a.sent) == 0 {
		return
	}
	if id := choose(a.dice, a.sent); a.chance(0.7) {
		a.put(trace.KindMpiIsendComplete, id)
	} else {
		a.put(trace.KindMpiRequestCancelled, id)
	}
}

func (a *actor) receive() {
	if len(a.receives) == 0 {
		return
	}
	l := a.receives[0]
	a.receives = a.receives[1:]
	a.put(trace.KindMpiRecv, l.words()...)
}

func (a *actor) post() {
	if len(a.receives) == 0 {
		return
	}
	r := request{a.receives[0], choose(a.dice, requestIDs)}
	a.receives = a.receives[1:]
	a.posted = append(a.posted, r)
	a.put(trace.KindMpiIrecvRequest, r.id)
}

// complete completes any of the posted receives, or cancels it, or completes it without end.
func (a *actor) complete() {
	if len(a.posted) == 0 {
		return
	}
	i := a.IntN(len(a.posted))
	r := a.posted[i]
	if a.chance(0.9) {
		a.posted = append(a.posted[:i:i], a.posted[i+1:]...)
	}
	if a.chance(0.1) {
		a.put(trace.KindMpiRequestCancelled, r.id)
	} else {
		a.put(trace.KindMpiIrecv, append(r.words(), r.id)...)
	}
}

// motif draws a balanced sequence of calls that all locations share, events between them.
func (p *program) motif() *trace.Batch {
	m := &trace.Batch{}
	var calls func(depth int)
	calls = func(depth int) {
		for range 1 + p.IntN(3) {
			region := choose(p.dice, p.regions)
			m.Append(trace.KindEnter, 0, region)
			if depth < 3 && p.chance(0.5) {
				calls(depth + 1)
			} else if p.chance(0.3) {
				p.event(m, 0, choose(p.dice, p.events))
			}
			m.Append(trace.KindLeave, 0, region)
		}
	}
	calls(0)
	return m
}

func doubleBits(x float64) uint64 { return math.Float64bits(x) }
