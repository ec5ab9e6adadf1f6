package recording

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// missing is the kind of records that say how many ends of a channel were left out, and where the oldest are given up, which number the next one has. They are no events of the trace.
const missing trace.Kind = 0

// Numbers of words of such a record.
const (
	leftWords   = 5
	numberWords = 6
)

// channelKey is where messages keep their order: ranks of the run.
type channelKey struct{ comm, from, to, tag uint64 }

// span is some messages of a channel in a row whose ends are recorded, by their numbers.
type span struct{ first, end uint64 }

// side are the ends of a channel at its sender or its receiver.
type side struct {
	spans    []span
	next     uint64 // number of the next message
	location *location
	numbered bool // next is known
	unknown  bool // several locations, or numbers that are not known
}

// add is an end that is recorded; kept tells whether it is in the trace.
func (s *side) add(kept bool) {
	s.unknown = s.unknown || !s.numbered
	if !kept {
	} else if n := len(s.spans); n > 0 && s.spans[n-1].end == s.next {
		s.spans[n-1].end++
	} else {
		s.spans = append(s.spans, span{s.next, s.next + 1})
	}
	s.next++
}

// has reports whether the end of a message is recorded.
func (s *side) has(n uint64) bool {
	i, _ := slices.BinarySearchFunc(s.spans, n, func(x span, n uint64) int {
		if x.end <= n {
			return -1
		}
		return 1
	})
	return i < len(s.spans) && s.spans[i].first <= n
}

// partners knows of which messages one end was left out, in a pause or in a phase that others stand for, or given up with what is old: a message is kept or left out as a whole.
type partners struct {
	comms   map[uint64]*comm
	at      func(*file, uint64) int64 // a time of a file, in ticks of the trace
	ranks   map[uint64]*file
	sides   map[channelKey]*[2]side // of the sender and the receiver
	leaving map[*file]bool          // processes that have left something out
	dropped int                     // ends of messages whose other end was left out
}

// fix is what becomes of an event of a location, by its number: it is left out if the kind is 0, or becomes one of another kind, with its first words.
type fix struct {
	event uint64
	kind  trace.Kind
	words int
}

// wholeMessages finds out which events are to be left out, since their messages or requests have lost the other end. It returns how many ends of messages these are.
func wholeMessages(files []*file, locations []*location, comms map[uint64]*comm, at func(*file, uint64) int64) (int, error) {
	p := &partners{comms: comms, at: at, ranks: map[uint64]*file{}, sides: map[channelKey]*[2]side{}, leaving: map[*file]bool{}}
	for _, l := range locations {
		if l.phases > 0 || l.f.changed {
			p.leaving[l.f] = true
		}
	}
	old := slices.ContainsFunc(files, func(f *file) bool { return f.horizon != 0 })
	if len(p.leaving) == 0 && !old || slices.ContainsFunc(files, func(f *file) bool { return f.rank == noRank }) {
		return 0, nil // nothing was left out, or it is not known whose messages these are
	}
	for _, f := range files {
		p.ranks[uint64(f.rank)] = f
	}
	for _, l := range locations {
		if err := p.number(l); err != nil {
			return 0, err
		}
	}
	for _, l := range locations {
		if err := p.decide(l); err != nil {
			return 0, err
		}
	}
	return p.dropped, nil
}

// world returns the rank of the run of a rank of a communicator, as the process of another rank sees it.
func (p *partners) world(comm, rank, own uint64) (uint64, bool) {
	if comm == 0 {
		return rank, true
	}
	c := p.comms[comm]
	if c == nil {
		return 0, false
	}
	members := c.members
	if c.inter && slices.Contains(members, own) {
		members = c.others
	}
	if rank >= uint64(len(members)) {
		return 0, false
	}
	return members[rank], true
}

// sidesOf returns both sides of a channel, and the process of the other rank, nil if it is not there. receives is 1 at the receiver, else 0; words are the other rank, the communicator and the tag.
func (p *partners) sidesOf(l *location, receives uint64, words []uint64) (both *[2]side, other *file) {
	own := uint64(l.f.rank)
	rank, ok := p.world(words[1], words[0], own)
	if !ok {
		return nil, nil
	}
	key := channelKey{words[1], own, rank, words[2]}
	if receives == 1 {
		key.from, key.to = rank, own
	}
	if both = p.sides[key]; both == nil {
		both = &[2]side{}
		p.sides[key] = both
	}
	return both, p.ranks[rank]
}

// endOf tells an end of a message from other events.
func endOf(kind trace.Kind) (receives uint64, ok bool) {
	switch kind {
	case trace.KindMpiSend, trace.KindMpiIsend:
		return 0, true
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		return 1, true
	}
	return 0, false
}

// leftOut returns the channel that a record of what is missing is about.
func leftOut(w []uint64) (receives uint64, channel []uint64) { return min(w[0], 1), w[1:4] }

// numberAfter returns the number of the next end of a channel behind a record of what is missing, when it was next before.
func numberAfter(next uint64, w []uint64) uint64 {
	const left, number, most = 4, 5, 1 << 32 // so that numbers do not run over
	if len(w) == numberWords {
		return min(w[number], most<<16)
	}
	return next + min(w[left], most)
}

// each goes over the events of a location, and what it says of messages that are missing.
func (l *location) each(do func(e *event)) error {
	if len(l.events) == 0 {
		return nil
	}
	e := &feed{chain: chain{f: l.f, bins: l.events}, all: true}
	for {
		x, ok := e.head()
		if !ok {
			return e.err
		}
		do(x)
		e.full = false
	}
}

// number counts the messages of the channels that a location takes part in.
func (p *partners) number(l *location) error {
	unknown := false
	own := func(receives uint64, channel []uint64) *side {
		both, _ := p.sidesOf(l, receives, channel)
		if both == nil {
			return nil
		}
		s := &both[receives]
		if s.location == nil {
			s.location, s.numbered = l, l.f.mode != modeLast // else the first ones may be given up
		}
		s.unknown = s.unknown || unknown || s.location != l
		return s
	}
	return l.each(func(e *event) {
		if e.kind == missing && len(e.words) == 0 {
			unknown = true
		} else if e.kind == missing {
			if s := own(leftOut(e.words)); s != nil {
				s.next, s.numbered = numberAfter(s.next, e.words), s.numbered || len(e.words) == numberWords
			}
		} else if receives, ok := endOf(e.kind); ok {
			if s := own(receives, e.words); s != nil {
				s.add(e.time >= l.f.horizon)
			}
		}
	})
}

// decider makes the fixes of a location.
type decider struct {
	p       *partners
	l       *location
	next    map[*side]uint64 // numbers of messages
	open    map[uint64]begun // requests
	dropped map[uint64]bool  // requests to send that are left out
	event   uint64
}

// begun is a request that has not ended yet.
type begun struct {
	event uint64
	kind  trace.Kind
}

func (p *partners) decide(l *location) error {
	d := &decider{p: p, l: l, next: map[*side]uint64{}, open: map[uint64]begun{}, dropped: map[uint64]bool{}}
	if err := l.each(d.see); err != nil {
		return err
	}
	for _, b := range d.open { // which have no end
		if !p.leaving[l.f] {
			break
		}
		x := fix{event: b.event}
		if b.kind == trace.KindMpiIsend {
			x.kind, x.words = trace.KindMpiSend, fieldsOfMessage
		}
		l.fixes = append(l.fixes, x)
	}
	slices.SortFunc(l.fixes, func(a, b fix) int { return cmp.Compare(a.event, b.event) })
	return nil
}

const fieldsOfMessage = 4 // without the request

func (d *decider) drop(event uint64) { d.l.fixes = append(d.l.fixes, fix{event: event}) }

// see decides about an event.
func (d *decider) see(e *event) {
	if e.kind == missing {
		if len(e.words) > 0 {
			receives, channel := leftOut(e.words)
			if both, _ := d.p.sidesOf(d.l, receives, channel); both != nil {
				d.next[&both[receives]] = numberAfter(d.next[&both[receives]], e.words)
			}
		}
		return
	}
	receives, ok := endOf(e.kind)
	alone := ok && d.alone(receives, e)
	if e.time < d.l.f.horizon {
		return // it counts, but is not in the trace
	}
	if alone {
		d.p.dropped++
		d.drop(d.event)
	}
	if id, begins, ok := request(e.kind, e.words); ok && begins {
		d.begin(id, e.kind, alone)
	} else if ok {
		d.end(id, e.kind, alone)
	}
	d.event++
}

// alone reports whether the other end of a message was left out, or given up: by a process that is there, and has left something out, or given up what is old. Of one that was not closed it is not known what it left out last.
func (d *decider) alone(receives uint64, e *event) bool {
	both, other := d.p.sidesOf(d.l, receives, e.words)
	if both == nil {
		return false
	}
	s, o := &both[receives], &both[1-receives]
	n := d.next[s]
	d.next[s] = n + 1
	switch {
	case other == nil || s.unknown || o.unknown || o.has(n):
		return false
	case d.p.leaving[other] && other.state == stateClosed:
		return true
	case n < o.next:
		return d.p.leaving[other] || other.horizon != 0
	case o.location == nil && other.horizon != 0:
		// All of its ends are older than what it kept, if it had any: so is what was sent to this one, and what it received of this one before.
		return receives == 1 || d.p.at(d.l.f, e.time) < d.p.at(other, other.horizon)
	}
	return false
}

func (d *decider) begin(id uint64, kind trace.Kind, alone bool) {
	if alone {
		d.dropped[id] = true // and so will be its end
	} else {
		d.open[id] = begun{d.event, kind}
	}
}

// end ends a request. One whose begin was left out is a message that was received at once.
func (d *decider) end(id uint64, kind trace.Kind, alone bool) {
	b, open := d.open[id]
	delete(d.open, id)
	switch {
	case d.dropped[id]:
		delete(d.dropped, id)
		d.drop(d.event)
	case open && alone:
		d.drop(b.event)
	case open || alone || !d.p.leaving[d.l.f] && d.l.f.horizon == 0:
	case kind == trace.KindMpiIrecv:
		d.l.fixes = append(d.l.fixes, fix{d.event, trace.KindMpiRecv, fieldsOfMessage})
	default:
		d.drop(d.event)
	}
}

// request returns the number of a request that an event begins or ends.
func request(kind trace.Kind, w []uint64) (id uint64, begins, ok bool) {
	switch kind {
	case trace.KindMpiIsend:
		return w[4], true, true
	case trace.KindMpiIrecvRequest, trace.KindNonBlockingCollectiveRequest:
		return w[0], true, true
	case trace.KindMpiIrecv:
		return w[4], false, true
	case trace.KindMpiIsendComplete, trace.KindMpiRequestCancelled:
		return w[0], false, true
	case trace.KindNonBlockingCollectiveComplete:
		return w[5], false, true
	}
	return 0, false, false
}
