package model

import (
	"strconv"

	"github.com/pandotrace/pando/trace"
)

// MessagesAsCalls returns the trace with a call in the place of each send and each receive: one that ends as it begins, of a region that
// is named by where the peer is, as "send to +1".
func (t *Trace) MessagesAsCalls() *Trace {
	out := *t
	out.messages = map[uint64]string{}
	regions := map[string]uint64{}
	out.Locations = nil
	for _, l := range t.Locations {
		n := Location{ID: l.ID}
		for i := range l.Events {
			e := &l.Events[i]
			what, ok := endOf(e.Kind)
			if !ok {
				n.Events = append(n.Events, *e)
				continue
			}
			name := t.endName(l.ID, what, e)
			region, known := regions[name]
			if !known {
				region = firstMessage + uint64(len(regions))
				regions[name], out.messages[region] = region, name
			}
			for _, kind := range []trace.Kind{trace.KindEnter, trace.KindLeave} {
				n.Events = append(n.Events, Record{Kind: kind, Time: e.Time, Words: []uint64{region}})
			}
		}
		out.Locations = append(out.Locations, n)
	}
	return &out
}

// firstMessage is the id of the first region of messages. Traces have no such regions.
const firstMessage = 1 << 62

// endOf says which end of a message an event is; ok is false if it is none.
func endOf(kind trace.Kind) (what string, ok bool) {
	switch kind {
	case trace.KindMpiSend, trace.KindMpiIsend:
		return "send to ", true
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		return "receive from ", true
	}
	return "", false
}

// endName names an end of a message: how far away the other one is, the shorter way round the ring of ranks.
func (t *Trace) endName(location uint64, what string, e *Record) string {
	peer := e.Words[0]
	if rank, size, ok := t.Definitions.OwnRank(e.Words[1], location); ok && peer < size {
		for n := uint64(0); ; n++ {
			if (rank+n)%size == peer {
				return what + "+" + strconv.FormatUint(n, 10)
			}
			if (rank+size-n)%size == peer {
				return what + "-" + strconv.FormatUint(n, 10)
			}
		}
	}
	return what + "rank " + strconv.FormatUint(peer, 10)
}
