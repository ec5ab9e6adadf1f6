package edit

import (
	"math"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// exchange is a message with the requests of its ends, or a request without a message.
type exchange struct {
	events []model.Event
	end    int64 // when the id of a request that was not completed was used again, or the end of all time
}

// underWay reports whether a part of it was before a time, and a part not.
func (x *exchange) underWay(t int64) bool {
	earlier := slices.ContainsFunc(x.events, func(e model.Event) bool { return e.Time < t })
	return earlier && (x.end >= t || slices.ContainsFunc(x.events, func(e model.Event) bool { return e.Time >= t }))
}

// exchangesOf returns the exchanges of some locations, nil for all: events are put together that a request or a message connects.
func exchangesOf(m *model.Trace, locations []uint64) (list []*exchange) {
	kept := func(l uint64) bool { return locations == nil || slices.Contains(locations, l) }
	of := map[eventID]*exchange{}
	join := func(a, b eventID) {
		if x, y := of[a], of[b]; x != nil && y != nil && x != y {
			x.events, x.end = append(x.events, y.events...), max(x.end, y.end)
			for _, e := range y.events {
				of[eventID{e.Location, e.Ordinal}] = x
			}
			y.events = nil
		}
	}
	var all []*exchange
	for _, l := range m.Locations {
		if !kept(l.ID) {
			continue
		}
		pending := map[uint64]eventID{}
		sends := map[uint64]bool{}
		for i, r := range l.Events {
			self, x := eventID{l.ID, uint64(i)}, &exchange{[]model.Event{{Location: l.ID, Ordinal: uint64(i), Record: r}}, math.MinInt64}
			of[self] = x
			all = append(all, x)
			finish := func(id uint64, may bool) {
				if post, ok := pending[id]; ok && may {
					join(post, self)
					delete(pending, id)
				}
			}
			post := func(id uint64, isSend bool) {
				if earlier, ok := pending[id]; ok {
					of[earlier].end = max(of[earlier].end, r.Time)
				}
				pending[id], sends[id] = self, isSend
			}
			switch r.Kind {
			case trace.KindMpiIsend:
				post(r.Words[4], true)
			case trace.KindMpiIrecvRequest:
				post(r.Words[0], false)
			case trace.KindMpiIsendComplete:
				finish(r.Words[0], sends[r.Words[0]])
			case trace.KindMpiIrecv:
				finish(r.Words[4], !sends[r.Words[4]])
			case trace.KindMpiRequestCancelled:
				finish(r.Words[0], true)
			}
		}
		for _, open := range pending {
			of[open].end = math.MaxInt64
		}
	}
	for _, x := range m.Match().Messages {
		if kept(x.SendLocation) && kept(x.ReceiveLocation) {
			join(eventID{x.SendLocation, x.SendOrdinal}, eventID{x.ReceiveLocation, x.ReceiveOrdinal})
		}
	}
	for _, x := range all {
		if len(x.events) > 0 {
			list = append(list, x)
		}
	}
	return list
}

// wantWhole checks that each exchange of a trace has n events.
func wantWhole(t *testing.T, m *model.Trace, n int) {
	t.Helper()
	for _, x := range exchangesOf(m, nil) {
		switch x.events[0].Kind {
		case trace.KindMpiSend, trace.KindMpiRecv, trace.KindMpiIsend, trace.KindMpiIsendComplete, trace.KindMpiIrecv, trace.KindMpiIrecvRequest:
			if len(x.events) != n {
				t.Errorf("%d of %d events: %+v", len(x.events), n, x.events)
			}
		}
	}
}

// randomTalk is a trace of processes of one thread that send and receive, whatever becomes of their requests.
func randomTalk(seed uint64) trace.Source {
	k := tracegen.RandomKnobs(seed)
	k.Any, k.Repeat, k.Leaps, k.Burst, k.Length, k.Threads, k.Processes, k.Messages, k.Talk, k.Undeclared = 0, 0, 0, 0, 100, 1, 4, 300, 0.8, false
	return tracegen.Random(seed, k)
}
