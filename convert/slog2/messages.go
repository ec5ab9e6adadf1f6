package slog2

import (
	"cmp"
	"container/heap"
	"encoding/binary"

	"github.com/pandotrace/pando/convert/mpe"
)

// A trace says of sends and receives only in what order they are: the n-th send of a channel belongs to the n-th receive.
// Arrows say themselves which ends belong together. Those that would be matched otherwise are no messages in the trace, but
// arrows with numbers.

// channel is where messages keep their order.
type channel struct {
	from, to int32 // processes
	comm     mpe.Sides
	tag      uint32
}

// latest is the last message of a channel.
type latest struct {
	sent, received   float64
	sender, receiver int32 // locations
}

// sent is an arrow on its way: nobody can have sent anything earlier on its channel once drawables start later.
type sent struct {
	channel
	latest
	at int64
}

// sentHeap orders arrows by the time of their sending.
type sentHeap []sent

// Len, Less, Swap, Push and Pop make it a heap.
func (h sentHeap) Len() int { return len(h) }
func (h sentHeap) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	return cmp.Or(cmp.Compare(a.sent, b.sent), cmp.Compare(a.received, b.received), cmp.Compare(a.at, b.at)) < 0
}
func (h sentHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *sentHeap) Push(x any)   { *h = append(*h, x.(sent)) }
func (h *sentHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// messageOf returns tag and size of an arrow that is a message.
func (a *Archive) messageOf(d *drawable) (tag, size uint32, ok bool) {
	if d.kind != arrow || !a.categories[d.category].isMessage() || d.cargoBytes != 8 || a.lines[d.line].Comm < 0 || a.lines[d.endLine].Comm < 0 {
		return 0, 0, false
	}
	return binary.BigEndian.Uint32(d.cargo[:]), binary.BigEndian.Uint32(d.cargo[4:]), !a.overtaking[d.at]
}

// send takes in an arrow.
func (s *surveyor) send(d *drawable) {
	tag, _, ok := s.messageOf(d)
	if !ok {
		return
	}
	from, to := s.lines[d.line], s.lines[d.endLine]
	if from.Comm != to.Comm {
		if !s.comms.IsApart(from, to) {
			s.overtake(d.at) // its ends would be looked for in the wrong group
			return
		}
		if s.between[mpe.SidesOf(from.Comm, to.Comm)] = true; len(s.between) > maxSides {
			s.fail(d.at, "messages between more than %d pairs of communicators", maxSides)
		}
	}
	heap.Push(&s.arrows, sent{
		channel{from.Process, to.Process, mpe.SidesOf(from.Comm, to.Comm), tag},
		latest{d.start, d.end, from.Location, to.Location}, d.at,
	})
	if len(s.arrows) > maxWaiting {
		s.fail(d.at, "more than %d messages at once", maxWaiting)
	}
}

func (s *surveyor) fail(at int64, format string, args ...any) {
	if s.err == nil {
		s.err = mpe.Unsupported(s.path, at, format, args...)
	}
}

// check finds the messages sent before a time that overtake an earlier one, or of which the order in the trace would depend
// on more than times.
func (s *surveyor) check(until float64) {
	for len(s.arrows) > 0 && s.arrows[0].sent < until {
		m := heap.Pop(&s.arrows).(sent)
		last, ok := s.channels[m.channel]
		switch {
		case !ok && len(s.channels) >= maxChannels:
			s.overtake(m.at)
		case !ok:
			l := m.latest
			s.channels[m.channel] = &l
		case m.received < last.received,
			m.received == last.received && m.receiver != last.receiver,
			m.sent == last.sent && m.sender != last.sender:
			s.overtake(m.at)
		default:
			*last = m.latest
		}
	}
}

func (s *surveyor) overtake(at int64) {
	s.warnings.Add("arrow that is no message", "at byte %d", at)
	if s.overtaking[at] = true; len(s.overtaking) > maxOvertaking {
		s.fail(at, "more than %d messages that overtake others", maxOvertaking)
	}
}
