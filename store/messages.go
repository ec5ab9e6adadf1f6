package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// Messages yields the matched messages of the window, in order of their earlier time, location and ordinal of the send.
func (w *Window) Messages() iter.Seq2[trace.Message, error] {
	return func(yield func(trace.Message, error) bool) {
		talkers, err := w.talkers()
		if err != nil {
			yield(trace.Message{}, err)
			return
		}
		all := sweep(w, talkers.lanes, needs{messages: talkers}, nil, func(s span) ([]trace.Message, error) {
			return w.messagesOf(&s, talkers)
		})
		for found, err := range all {
			if err != nil {
				yield(trace.Message{}, err)
				return
			}
			for i := range found {
				if !yield(found[i], nil) {
					return
				}
			}
		}
	}
}

// messagesOf returns the messages of the window that belong to a span, in order.
func (w *Window) messagesOf(s *span, of *talkers) (found []trace.Message, err error) {
	if s.pairs != nil {
		found, err = s.pairs.within(w, s)
	} else {
		var paired []index.Message
		paired, err = w.reader.paired(s.slice, of)
		found = w.appendChosen(nil, paired, s)
	}
	if err != nil {
		return nil, err
	}
	spanning, err := w.reader.spanningMessages(s.slice, of.lanes)
	if err != nil {
		return nil, err
	}
	if !s.first { // what began before the slice belongs to another one
		spanning = slices.DeleteFunc(spanning, func(m index.Message) bool { return min(m.Send.Slice, m.Receive.Slice) != s.slice })
	}
	found = w.appendChosen(found, spanning, s)
	slices.SortFunc(found, func(a, b trace.Message) int {
		fromA, _ := a.Span()
		fromB, _ := b.Span()
		return cmp.Or(cmp.Compare(fromA, fromB), cmp.Compare(w.reader.byID[a.SendLocation], w.reader.byID[b.SendLocation]),
			cmp.Compare(a.SendOrdinal, b.SendOrdinal))
	})
	return found, nil
}

// appendChosen appends those of some messages that belong to the window and to a span.
func (w *Window) appendChosen(found []trace.Message, messages []index.Message, s *span) []trace.Message {
	for i := range messages {
		m := &messages[i]
		if w.locations != nil && !w.locations[m.Send.Location] && !w.locations[m.Receive.Location] {
			continue
		}
		if !s.has(mark{min(m.Send.Time, m.Receive.Time), m.Send.Location, m.Send.Ordinal}) {
			continue
		}
		if t := w.reader.message(m); t.Overlaps(w.from, w.to) {
			found = append(found, t)
		}
	}
	return found
}

func (r *Reader) message(m *index.Message) trace.Message {
	return trace.Message{
		SendLocation: r.info.Locations[m.Send.Location].ID, ReceiveLocation: r.info.Locations[m.Receive.Location].ID,
		SendTime: m.Send.Time, ReceiveTime: m.Receive.Time, Communicator: m.Communicator, Tag: m.Tag,
		SendLength: m.Send.Length, ReceiveLength: m.Receive.Length,
		SendOrdinal: m.Send.Ordinal, ReceiveOrdinal: m.Receive.Ordinal,
	}
}

// talkers are those whose messages are wanted.
type talkers struct {
	lanes     []uint32           // in ascending order
	processes map[processID]bool // nil for all
}

// talkers returns the lanes and the processes of the window's locations.
func (w *Window) talkers() (*talkers, error) {
	t := &talkers{lanes: w.lanes()}
	if w.locations == nil {
		return t, nil
	}
	d, err := w.reader.Definitions()
	t.processes = map[processID]bool{}
	for l := range w.locations {
		if err == nil {
			t.processes[processOf(d, w.reader.info.Locations[l].ID)] = true
		}
	}
	return t, err
}

// paired returns what pairedMessages does. If that takes all lanes, the messages of all are kept, in memory that is not to be
// changed or appended to.
func (r *Reader) paired(slice uint64, of *talkers) ([]index.Message, error) {
	if len(of.lanes) < len(r.lanes) {
		return r.pairedMessages(slice, of)
	}
	return cached(r.cache, cacheKey{what: cachedPaired, offset: slice}, func() ([]index.Message, int64, error) {
		all, err := r.pairedMessages(slice, &talkers{lanes: of.lanes})
		return all, int64(120 * len(all)), err
	})
}

// pairedMessages returns the messages of which both ends lie in a slice and which its blocks pair; see sendOrder. If it has too many,
// the error is errTooMuch.
func (r *Reader) pairedMessages(slice uint64, of *talkers) ([]index.Message, error) {
	l, err := r.newTalkingLanes(slice, of)
	if err != nil {
		return nil, err
	}
	p := pairer{channelNumbers: l.channels, slice: slice, most: r.atOnce.messages / 2}
	if err := l.each(p.add); err != nil {
		return nil, err
	}
	messages, lost := p.messages()
	switch {
	case lost != nil:
		return nil, r.withoutSend(slice, lost.Location, lost.Ordinal)
	case p.unresolved > 0:
		return nil, r.ofUnknownRank(slice, p.unresolved)
	}
	return messages, nil
}

func (r *Reader) withoutSend(slice uint64, location uint32, ordinal uint64) error {
	return format.At(format.Corruptf("slice block", -1, "slice %d: the receive of location %d, event %d, has no send", slice, location, ordinal), r.name, -1)
}

func (r *Reader) ofUnknownRank(slice uint64, ends int) error {
	return format.At(format.Corruptf("slice block", -1, "slice %d: %d paired ends of unknown ranks", slice, ends), r.name, -1)
}

// talkingLanes are the lanes of a slice that have ends of some messages.
type talkingLanes struct {
	r        *Reader
	slice    uint64
	lanes    []uint32 // those of the partners are added when they are known
	ends     []int    // by lane: the number of events of all lanes up to it
	channels channelNumbers
}

func (r *Reader) newTalkingLanes(slice uint64, of *talkers) (*talkingLanes, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	l := &talkingLanes{r: r, slice: slice}
	if l.lanes, err = r.busy(slice, of.lanes); err != nil {
		return nil, err
	}
	l.channels = channelNumbers{
		ids: func(l uint32) uint64 { return r.info.Locations[l].ID }, definitions: d, processes: of.processes, meet: l.meet, numbers: map[channelKey]uint32{},
	}
	return l, nil
}

// meet adds the lane of a location.
func (l *talkingLanes) meet(id uint64) {
	if i, ok := l.r.byID[id]; ok {
		lane := l.r.info.Locations[i].Lane
		if int(lane) < len(l.r.lanes) && !slices.Contains(l.lanes, lane) {
			l.lanes = append(l.lanes, lane)
		}
	}
}

// each does something with the ends of all lanes, and notes how many events these have.
func (l *talkingLanes) each(do func(*endBatch) error) error {
	ends := endReader{do: do}
	l.ends = l.ends[:0]
	for at := 0; at < len(l.lanes); at++ {
		if err := l.lane(&ends, l.lanes[at]); err != nil {
			return err
		}
		l.ends = append(l.ends, ends.events)
	}
	return nil
}

// some does it with the lanes that have some of the slice's events, whose numbers has is asked for: those from one up to another.
func (l *talkingLanes) some(has func(from, to int) bool, do func(*endBatch) error) error {
	ends := endReader{do: do}
	for at, lane := range l.lanes {
		if has(ends.events, l.ends[at]) {
			if err := l.lane(&ends, lane); err != nil {
				return err
			}
		}
		ends.events = l.ends[at]
	}
	return nil
}

func (l *talkingLanes) lane(ends *endReader, lane uint32) error {
	ref, ok, err := l.r.ref(l.slice, blockKey{kind: format.BlockSlice, lane: lane, number: l.slice})
	if err != nil || !ok {
		return err
	}
	e, free, err := l.r.borrow(l.slice, lane, ref)
	if err != nil {
		return err
	}
	defer free()
	if err := l.r.checkTotal(l.slice, ends.events+len(e.Leaves), 0); err != nil {
		return err
	}
	return format.At(ends.lane(e), l.r.name, -1)
}

// pairer pairs the ends of a slice that has not too many.
type pairer struct {
	channelNumbers
	slice      uint64
	most       int // ends
	ends       []pairerEnd
	codes      []uint32 // of their channels
	marks      []skipMark
	unresolved int
}

// pairerEnd is an end with what its message has in common with it.
type pairerEnd struct {
	index.End
	communicator, tag uint64
}

// add adds ends. The error is errTooMuch if they are too many.
func (p *pairer) add(b *endBatch) error {
	for i, t := range b.times {
		switch code := p.code(b, i, mostChannels); code {
		case unresolved:
			p.unresolved++
		case unwanted:
		default:
			if b.skips[i] > 0 {
				p.marks = append(p.marks, skipMark{uint32(len(p.ends)), b.skips[i]})
			}
			end := index.End{Location: b.run.Location, Ordinal: b.ordinal(i), Slice: p.slice, Time: t, Length: b.words[i][3]}
			p.ends = append(p.ends, pairerEnd{end, b.words[i][1], b.words[i][2]})
			p.codes = append(p.codes, code)
		}
	}
	if len(p.ends) > p.most {
		return errTooMuch
	}
	return nil
}

// messages returns the messages that the ends make. lost is a receive without a send, nil if there is none.
func (p *pairer) messages() (all []index.Message, lost *index.End) {
	pairs, at := pairEnds(p.codes, len(p.numbers), p.marks)
	if at >= 0 {
		lost = &p.ends[at].End
	}
	all = make([]index.Message, len(pairs))
	for i, pair := range pairs {
		s, r := &p.ends[pair.send], &p.ends[pair.receive]
		all[i] = index.Message{Send: s.End, Receive: r.End, Communicator: r.communicator, Tag: r.tag}
	}
	return all, lost
}
