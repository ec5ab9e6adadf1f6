package query

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/pandotrace/pando/store/internal/merged"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// slicePairs says which ends of a slice belong together, in the order of the messages: 16 bytes for each of these, so that those of a
// span can be made of the slice's events without all others.
type slicePairs struct {
	lanes *pairedLanes
	runs  []runPlace
	Pairs []pairing.PlacedPair

	mu sync.Mutex // a lane is decoded for one span at a time
}

// runPlace says where the events of a run begin among those of the slice.
type runPlace struct {
	place, location uint32
	first           uint64 // ordinal of the first one
}

// SlicePairs pairs the ends of a slice.
func SlicePairs(r *read.File, slice uint64, of *read.MessageLanes) (*slicePairs, error) {
	lanes, err := newPairedLanes(r, slice, of)
	if err != nil {
		return nil, err
	}
	s, err := r.Slice(slice)
	if err != nil {
		return nil, err
	}
	p, e := &slicePairs{lanes: lanes}, pairing.EndPairing{Channels: lanes.channels, Most: r.AtOnce.Channels, Each: lanes.each}
	if err := e.Pair(int(s.Events)); err != nil {
		return nil, err
	}
	p.Pairs = e.Pairs
	if err := lanes.each(func(b *pairing.EndBatch) error { return p.begins(&e, b) }); err != nil {
		return nil, err
	}
	if e.Lost >= 0 {
		m := p.mark(&pairing.PlacedPair{EndPair: pairing.EndPair{Send: uint32(e.Lost)}})
		return nil, withoutSend(r, slice, m.Location, m.Ordinal)
	}
	if e.Unknown > 0 {
		return nil, ofUnknownRank(r, slice, e.Unknown)
	}
	slices.SortFunc(p.Pairs, func(a, b pairing.PlacedPair) int {
		if c := cmp.Compare(a.Begin, b.Begin); c != 0 {
			return c
		}
		return p.mark(&a).Compare(p.mark(&b))
	})
	return p, nil
}

// begins notes the run of ends, and their times.
func (p *slicePairs) begins(e *pairing.EndPairing, b *pairing.EndBatch) error {
	if n := len(p.runs); n == 0 || p.runs[n-1].place != b.Place {
		p.runs = append(p.runs, runPlace{b.Place, b.Run.Location, b.Run.First})
	}
	for i, t := range b.Times {
		if pair, ok := e.Of(b, i); ok {
			m := &p.Pairs[pair]
			m.Begin = min(m.Begin, t)
		}
	}
	return nil
}

// mark returns where a message stands in the merged order.
func (p *slicePairs) mark(m *pairing.PlacedPair) merged.Mark {
	run := &p.runs[sort.Search(len(p.runs), func(i int) bool { return p.runs[i].place > m.Send })-1]
	return merged.Mark{Time: m.Begin, Location: run.location, Ordinal: run.first + uint64(m.Send-run.place)}
}

// marks returns marks with at most `most` messages between neighbours.
func (p *slicePairs) marks(most int) (marks []merged.Mark) {
	for i := most; i < len(p.Pairs); i += most {
		marks = append(marks, p.mark(&p.Pairs[i]))
	}
	return marks
}

// of returns the messages that begin in a span.
func (p *slicePairs) of(s *Span) []pairing.PlacedPair {
	at := func(m merged.Mark) int {
		return sort.Search(len(p.Pairs), func(i int) bool {
			if p.Pairs[i].Begin != m.Time {
				return p.Pairs[i].Begin > m.Time
			}
			return m.Compare(p.mark(&p.Pairs[i])) <= 0
		})
	}
	return p.Pairs[at(s.from):at(s.To)]
}

// within returns the messages of a window that begin in a span.
func (p *slicePairs) within(w *Window, s *Span) ([]trace.Message, error) {
	all, err := p.Messages(p.of(s))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(m trace.Message) bool {
		return !m.Overlaps(w.From, w.To) || !w.keeps(w.Reader.KnownIndex(m.SendLocation)) && !w.keeps(w.Reader.KnownIndex(m.ReceiveLocation))
	}), nil
}

// Messages makes the messages of some pairs.
func (p *slicePairs) Messages(pairs []pairing.PlacedPair) ([]trace.Message, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := messageFiller{ids: p.lanes.channels.Ids, all: make([]trace.Message, len(pairs)), wanted: make([]wantedEnd, 0, 2*len(pairs))}
	for i := range pairs {
		f.wanted = append(f.wanted, wantedEnd{pairs[i].Send, uint32(i)}, wantedEnd{pairs[i].Receive, uint32(i)})
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

func (f *messageFiller) fill(b *pairing.EndBatch) error {
	for i, at := range b.At {
		if len(f.wanted) == 0 {
			return nil
		}
		if f.wanted[0].place != b.Place+at {
			continue
		}
		m, words := &f.all[f.wanted[0].message], &b.Words[i]
		if f.wanted = f.wanted[1:]; b.Sends[i] {
			m.SendLocation, m.SendTime, m.SendLength, m.SendOrdinal = f.ids(b.Run.Location), b.Times[i], words[3], b.Ordinal(i)
		} else {
			m.ReceiveLocation, m.ReceiveTime, m.ReceiveLength, m.ReceiveOrdinal = f.ids(b.Run.Location), b.Times[i], words[3], b.Ordinal(i)
			m.Communicator, m.Tag = words[1], words[2]
		}
	}
	return nil
}
