package edit

import (
	"slices"
)

// An exchange is a message with the requests of its ends: up to four events, or two of a request without a message. If it is under
// way at a cut, all of its events beyond are put in, also those of an end that was over by then: which send a receive belongs to
// depends on the order of all sends, and of all receives and the posting of their requests.

// mostOpen bounds the requests at a cut. If there are more, those that are never completed are left out: some tools do not record
// how requests end.
const mostOpen = 1 << 16

// exchanges returns the events of all exchanges that are under way at some times.
func (e *edges) exchanges(cuts []int64) ([]remote, error) {
	x := exchanges{edges: e, known: map[eventID]bool{}}
	for _, t := range cuts {
		if err := x.messagesAt(t); err != nil {
			return nil, err
		}
	}
	open, err := e.follow(cuts, x.list)
	if err != nil {
		return nil, err
	}
	if len(open) > mostOpen {
		open = slices.DeleteFunc(open, func(r request) bool { return !r.finished })
	}
	x.add(open)
	others, err := x.messagesOf(open)
	if err != nil || len(others) == 0 {
		return x.list, err
	}
	last, err := e.follow(nil, others)
	x.add(last)
	return x.list, err
}

type exchanges struct {
	*edges
	list  []remote
	known map[eventID]bool
}

// put adds an event, and reports whether it was new.
func (x *exchanges) put(r remote) bool {
	if x.known[r.id()] {
		return false
	}
	x.known[r.id()] = true
	x.list = append(x.list, r)
	return true
}

func (x *exchanges) add(list []request) {
	for _, r := range list {
		x.put(r.post)
		if r.finished {
			x.put(r.finish)
		}
	}
}

// messagesAt adds the ends of messages that are on their way at a time.
func (x *exchanges) messagesAt(t int64) error {
	return x.messages(t-1, t, nil, func(send, receive remote) {
		if min(send.time, receive.time) < t && max(send.time, receive.time) >= t {
			x.put(send)
			x.put(receive)
		}
	})
}

// messagesOf adds the messages of requests, and returns the ends of them that were not there before.
func (x *exchanges) messagesOf(requests []request) (others []remote, err error) {
	ends := map[int64]map[eventID]bool{} // by time
	for _, r := range requests {
		if end, ok := r.message(); ok {
			if ends[end.time] == nil {
				ends[end.time] = map[eventID]bool{}
			}
			ends[end.time][end.id()] = true
		}
	}
	for t, of := range ends {
		err := x.messages(t-1, t+1, of, func(send, receive remote) {
			for _, r := range []remote{send, receive} {
				if x.put(r) {
					others = append(others, r)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return others, nil
}

// messages visits the messages of a window, which those are not that end at its begin: all, or those that have one of some ends.
func (x *exchanges) messages(from, to int64, of map[eventID]bool, visit func(send, receive remote)) error {
	w := x.reader.Window(from, to)
	if x.selection.Locations != nil {
		w = w.WithLocations(x.selection.Locations...)
	}
	for m, err := range w.Messages() {
		if err != nil {
			return err
		}
		send, receive := remote{m.SendLocation, m.SendOrdinal, m.SendTime}, remote{m.ReceiveLocation, m.ReceiveOrdinal, m.ReceiveTime}
		if x.keeps(send.location) && x.keeps(receive.location) && (of == nil || of[send.id()] || of[receive.id()]) {
			visit(send, receive)
		}
	}
	return nil
}
