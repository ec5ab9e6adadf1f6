package store

import (
	"cmp"
	"math"
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

// placedPair is a message: its earlier time, and the places of its ends among the events of the slice.
type placedPair struct {
	begin int64
	endPair
}

// slicePairs pairs the ends of a slice, whatever their number.
func (r *Reader) slicePairs(slice uint64, of *talkers) (*slicePairs, error) {
	lanes, err := r.newTalkingLanes(slice, of)
	if err != nil {
		return nil, err
	}
	p := &slicePairs{lanes: lanes}
	s, err := r.slice(slice)
	if err != nil {
		return nil, err
	}
	codes := make([]uint32, s.Events)
	for left := true; left; {
		if left, err = p.round(codes); err != nil {
			return nil, err
		}
	}
	if err := p.lanes.each(func(b *endBatch) error { return p.begins(codes, b) }); err != nil {
		return nil, err
	}
	slices.SortFunc(p.pairs, func(a, b placedPair) int {
		if c := cmp.Compare(a.begin, b.begin); c != 0 {
			return c
		}
		return p.mark(&a).compare(p.mark(&b))
	})
	return p, nil
}

// round pairs the ends of as many channels as are looked at at once. It reports whether there are others.
func (p *slicePairs) round(codes []uint32) (left bool, err error) {
	c := &p.lanes.channels
	c.numbers = map[channelKey]uint32{}
	p.runs = p.runs[:0]
	var marks []skipMark
	unknown := 0
	err = p.lanes.each(func(b *endBatch) error {
		p.note(b)
		for i, at := range b.at {
			code := &codes[b.place+at]
			if *code != noEnd {
				continue
			}
			switch *code = c.code(b, i, max(p.lanes.r.atOnce.channels, 1)); {
			case *code == noEnd:
				left = true
			case *code == unresolved:
				unknown++
			case *code < unresolved && b.skips[i] > 0:
				marks = append(marks, skipMark{b.place + at, b.skips[i]})
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	if unknown > 0 {
		return false, p.lanes.r.ofUnknownRank(p.lanes.slice, unknown)
	}
	channels := len(c.numbers)
	c.numbers = nil
	return left, p.pair(codes, channels, marks)
}

// note notes the run of a batch.
func (p *slicePairs) note(b *endBatch) {
	if n := len(p.runs); n == 0 || p.runs[n-1].place != b.place {
		p.runs = append(p.runs, runPlace{b.place, b.run.Location, b.run.First})
	}
}

// pair pairs the ends that have codes, which become pairedEnd and the numbers of their pairs.
func (p *slicePairs) pair(codes []uint32, channels int, marks []skipMark) error {
	pairs, lost := pairEnds(codes, channels, marks)
	if lost >= 0 {
		m := p.mark(&placedPair{endPair: endPair{send: uint32(lost)}})
		return p.lanes.r.withoutSend(p.lanes.slice, m.location, m.ordinal)
	}
	for n, code := range codes {
		if code != noEnd && code < unresolved {
			codes[n] = unwanted // unless it belongs to a pair
		}
	}
	p.pairs = slices.Grow(p.pairs, len(pairs))
	for _, pair := range pairs {
		codes[pair.send] = pairedEnd + uint32(len(p.pairs))
		codes[pair.receive] = codes[pair.send]
		p.pairs = append(p.pairs, placedPair{math.MaxInt64, pair})
	}
	return nil
}

// begins notes the times of ends whose codes are those of their pairs.
func (p *slicePairs) begins(codes []uint32, b *endBatch) error {
	for i, at := range b.at {
		if code := codes[b.place+at]; code >= pairedEnd {
			m := &p.pairs[code-pairedEnd]
			m.begin = min(m.begin, b.times[i])
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
