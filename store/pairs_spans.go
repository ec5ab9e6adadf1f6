package store

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// slicePairs says which ends of a slice belong together, in the order of the messages: 16 bytes for each of these, so that those of a
// span can be made of the slice's events without all others.
type slicePairs struct {
	lanes *talkingLanes
	runs  []runPlace
	pairs []placedPair

	mu sync.Mutex // a lane is decoded for one span at a time
}

// runPlace says where the events of a run begin among those of the slice.
type runPlace struct {
	place, location uint32
	first           uint64 // ordinal of the first one
}

// slicePairs pairs the ends of a slice.
func (r *Reader) slicePairs(slice uint64, of *talkers) (*slicePairs, error) {
	lanes, err := r.newTalkingLanes(slice, of)
	if err != nil {
		return nil, err
	}
	s, err := r.slice(slice)
	if err != nil {
		return nil, err
	}
	p, e := &slicePairs{lanes: lanes}, endPairing{channels: lanes.channels, most: r.atOnce.channels, each: lanes.each}
	if err := e.pair(int(s.Events)); err != nil {
		return nil, err
	}
	p.pairs = e.pairs
	if err := lanes.each(func(b *endBatch) error { return p.begins(&e, b) }); err != nil {
		return nil, err
	}
	if e.lost >= 0 {
		m := p.mark(&placedPair{endPair: endPair{send: uint32(e.lost)}})
		return nil, r.withoutSend(slice, m.location, m.ordinal)
	}
	if e.unknown > 0 {
		return nil, r.ofUnknownRank(slice, e.unknown)
	}
	slices.SortFunc(p.pairs, func(a, b placedPair) int {
		if c := cmp.Compare(a.begin, b.begin); c != 0 {
			return c
		}
		return p.mark(&a).compare(p.mark(&b))
	})
	return p, nil
}

// begins notes the run of ends, and their times.
func (p *slicePairs) begins(e *endPairing, b *endBatch) error {
	if n := len(p.runs); n == 0 || p.runs[n-1].place != b.place {
		p.runs = append(p.runs, runPlace{b.place, b.run.Location, b.run.First})
	}
	for i, t := range b.times {
		if pair, ok := e.of(b, i); ok {
			m := &p.pairs[pair]
			m.begin = min(m.begin, t)
		}
	}
	return nil
}

// mark returns where a message stands in the merged order.
func (p *slicePairs) mark(m *placedPair) mark {
	run := &p.runs[sort.Search(len(p.runs), func(i int) bool { return p.runs[i].place > m.send })-1]
	return mark{m.begin, run.location, run.first + uint64(m.send-run.place)}
}

// marks returns marks between which there are not more than so many messages.
func (p *slicePairs) marks(most int) (marks []mark) {
	for i := most; i < len(p.pairs); i += most {
		marks = append(marks, p.mark(&p.pairs[i]))
	}
	return marks
}

// of returns the messages that begin in a span.
func (p *slicePairs) of(s *span) []placedPair {
	at := func(m mark) int {
		return sort.Search(len(p.pairs), func(i int) bool {
			if p.pairs[i].begin != m.time {
				return p.pairs[i].begin > m.time
			}
			return m.compare(p.mark(&p.pairs[i])) <= 0
		})
	}
	return p.pairs[at(s.from):at(s.to)]
}

// within returns the messages of a window that begin in a span.
func (p *slicePairs) within(w *Window, s *span) ([]trace.Message, error) {
	all, err := p.messages(p.of(s))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(m trace.Message) bool {
		return !m.Overlaps(w.from, w.to) || !w.keeps(w.reader.byID[m.SendLocation]) && !w.keeps(w.reader.byID[m.ReceiveLocation])
	}), nil
}

// messages makes the messages of some pairs.
func (p *slicePairs) messages(pairs []placedPair) ([]trace.Message, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := messageFiller{ids: p.lanes.channels.ids, all: make([]trace.Message, len(pairs)), wanted: make([]wantedEnd, 0, 2*len(pairs))}
	for i := range pairs {
		f.wanted = append(f.wanted, wantedEnd{pairs[i].send, uint32(i)}, wantedEnd{pairs[i].receive, uint32(i)})
	}
	slices.SortFunc(f.wanted, func(a, b wantedEnd) int { return cmp.Compare(a.place, b.place) })
	return f.all, p.lanes.some(f.wants, f.fill)
}

// wantedEnd is the place of an end of a message.
type wantedEnd struct{ place, message uint32 }

// messageFiller fills in messages, end by end.
type messageFiller struct {
	ids    func(location uint32) uint64
	wanted []wantedEnd // those that are left, in order
	all    []trace.Message
}

// wants reports whether an end among some of the slice's events is missing.
func (f *messageFiller) wants(from, to int) bool {
	return len(f.wanted) > 0 && int(f.wanted[0].place) < to
}

func (f *messageFiller) fill(b *endBatch) error {
	for i, at := range b.at {
		if len(f.wanted) == 0 {
			return nil
		}
		if f.wanted[0].place != b.place+at {
			continue
		}
		m, words := &f.all[f.wanted[0].message], &b.words[i]
		if f.wanted = f.wanted[1:]; b.sends[i] {
			m.SendLocation, m.SendTime, m.SendLength, m.SendOrdinal = f.ids(b.run.Location), b.times[i], words[3], b.ordinal(i)
		} else {
			m.ReceiveLocation, m.ReceiveTime, m.ReceiveLength, m.ReceiveOrdinal = f.ids(b.run.Location), b.times[i], words[3], b.ordinal(i)
			m.Communicator, m.Tag = words[1], words[2]
		}
	}
	return nil
}
