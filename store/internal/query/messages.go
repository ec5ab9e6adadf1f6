package query

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/ahead"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/merged"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Messages yields the matched messages of the window, in order of their earlier time, location and ordinal of the send.
func (w *Window) Messages() iter.Seq2[trace.Message, error] {
	return func(yield func(trace.Message, error) bool) {
		lanes, err := w.messageLanes()
		if err != nil {
			yield(trace.Message{}, err)
			return
		}
		all := Sweep(w, lanes.Lanes, read.Needs{Messages: lanes}, nil, func(s Span) ([]trace.Message, error) {
			return w.messagesOf(&s, lanes)
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
func (w *Window) messagesOf(s *Span, of *read.MessageLanes) (found []trace.Message, err error) {
	if s.pairs != nil {
		found, err = s.pairs.within(w, s)
	} else {
		var paired []index.Message
		paired, err = Paired(w.Reader, s.Slice, of)
		found = w.appendChosen(nil, paired, s)
	}
	if err != nil {
		return nil, err
	}
	spanning, err := w.Reader.SpanningMessages(s.Slice, of.Lanes)
	if err != nil {
		return nil, err
	}
	if !s.First { // what began before the slice belongs to another one
		spanning = slices.DeleteFunc(spanning, func(m index.Message) bool { return min(m.Send.Slice, m.Receive.Slice) != s.Slice })
	}
	found = w.appendChosen(found, spanning, s)
	slices.SortFunc(found, func(a, b trace.Message) int {
		fromA, _ := a.Span()
		fromB, _ := b.Span()
		if fromA != fromB {
			return cmp.Compare(fromA, fromB)
		}
		return cmp.Or(cmp.Compare(w.Reader.KnownIndex(a.SendLocation), w.Reader.KnownIndex(b.SendLocation)), cmp.Compare(a.SendOrdinal, b.SendOrdinal))
	})
	return found, nil
}

// appendChosen appends those of some messages that belong to the window and to a span.
func (w *Window) appendChosen(found []trace.Message, messages []index.Message, s *Span) []trace.Message {
	for i := range messages {
		m := &messages[i]
		if w.Locations != nil && !w.Locations[m.Send.Location] && !w.Locations[m.Receive.Location] {
			continue
		}
		if !s.Has(merged.Mark{Time: min(m.Send.Time, m.Receive.Time), Location: m.Send.Location, Ordinal: m.Send.Ordinal}) {
			continue
		}
		if t := message(w.Reader, m); t.Overlaps(w.From, w.To) {
			found = append(found, t)
		}
	}
	return found
}

func message(r *read.File, m *index.Message) trace.Message {
	return trace.Message{
		SendLocation: r.LocationID(m.Send.Location), ReceiveLocation: r.LocationID(m.Receive.Location),
		SendTime: m.Send.Time, ReceiveTime: m.Receive.Time, Communicator: m.Communicator, Tag: m.Tag,
		SendLength: m.Send.Length, ReceiveLength: m.Receive.Length,
		SendOrdinal: m.Send.Ordinal, ReceiveOrdinal: m.Receive.Ordinal,
	}
}

// messageLanes returns the lanes and the processes of the window's locations.
func (w *Window) messageLanes() (*read.MessageLanes, error) {
	lanes, err := w.Lanes()
	t := &read.MessageLanes{Lanes: lanes}
	if err != nil || w.Locations == nil {
		return t, err
	}
	d, err := w.Reader.View(read.Links)
	t.Processes = map[pairing.ProcessID]bool{}
	for l := range w.Locations {
		if err == nil {
			t.Processes[pairing.ProcessOf(d, w.Reader.LocationID(l))] = true
		}
	}
	return t, err
}

// Paired returns what pairedMessages does. If that takes all lanes, the messages of all are kept, in memory that is not to be
// changed or appended to.
func Paired(r *read.File, slice uint64, of *read.MessageLanes) ([]index.Message, error) {
	if len(of.Lanes) < r.LaneCount() {
		return PairedMessages(r, slice, of)
	}
	return cache.Get(r.Cache(), cache.Key{What: cache.Paired, Offset: slice}, func() ([]index.Message, int64, error) {
		all, err := PairedMessages(r, slice, &read.MessageLanes{Lanes: of.Lanes})
		return all, int64(120 * len(all)), err
	})
}

// PairedMessages returns the messages of which both ends lie in a slice and which its blocks pair; see sendOrder. If it has too many,
// the error is [ErrTooMuch].
func PairedMessages(r *read.File, slice uint64, of *read.MessageLanes) ([]index.Message, error) {
	l, err := newPairedLanes(r, slice, of)
	if err != nil {
		return nil, err
	}
	p := pairer{ChannelNumbers: l.channels, slice: slice, most: r.AtOnce.Messages / 2}
	if err := l.each(p.add); err != nil {
		return nil, err
	}
	messages, lost := p.messages()
	switch {
	case lost != nil:
		return nil, withoutSend(r, slice, lost.Location, lost.Ordinal)
	case p.unresolved > 0:
		return nil, ofUnknownRank(r, slice, p.unresolved)
	}
	return messages, nil
}

func withoutSend(r *read.File, slice uint64, location uint32, ordinal uint64) error {
	return r.InSlice(format.Corruptf("slice block", -1, "slice %d: the receive of location %d, event %d, has no send", slice, location, ordinal), slice, 0)
}

func ofUnknownRank(r *read.File, slice uint64, ends int) error {
	return r.InSlice(format.Corruptf("slice block", -1, "slice %d: %d paired ends of unknown ranks", slice, ends), slice, 0)
}

// pairedLanes are the lanes of a slice that have ends of some messages.
type pairedLanes struct {
	r        *read.File
	slice    uint64
	lanes    []uint32 // those of the partners are added when they are known
	ends     []int    // by lane: the number of events of all lanes up to it
	channels pairing.ChannelNumbers
}

func newPairedLanes(r *read.File, slice uint64, of *read.MessageLanes) (*pairedLanes, error) {
	d, err := r.View(read.Links)
	if err != nil {
		return nil, err
	}
	l := &pairedLanes{r: r, slice: slice}
	if l.lanes, err = r.Busy(slice, of.Lanes); err != nil {
		return nil, err
	}
	l.channels = pairing.ChannelNumbers{
		Ids: r.LocationID, Definitions: d, Processes: of.Processes, Meet: l.meet, Numbers: map[pairing.ChannelKey]uint32{},
	}
	return l, nil
}

// meet adds the lane of a location.
func (l *pairedLanes) meet(id uint64) {
	if i, ok := l.r.LocationIndex(id); ok {
		if lane, ok := l.r.LaneOf(i); ok && !slices.Contains(l.lanes, lane) {
			l.lanes = append(l.lanes, lane)
		}
	}
}

// each does something with the ends of all lanes, and notes how many events these have. Lanes are decoded beside each other.
func (l *pairedLanes) each(do func(*pairing.EndBatch) error) error {
	ends := pairing.EndReader{Do: do}
	l.ends = l.ends[:0]
	for at := 0; at < len(l.lanes); at = len(l.ends) {
		some := l.lanes[at:]
		l.r.FetchSlices(some, read.Needs{Events: true, Ends: true}, l.slice)
		for e, err := range l.decoded(some) {
			if err == nil {
				err = l.lane(&ends, e)
			}
			if err != nil {
				return err
			}
			l.ends = append(l.ends, ends.Events)
		}
	}
	return nil
}

// some visits the message ends of the lanes for which has reports true. has gets the numbers [from, to) of the lane's events in the slice.
func (l *pairedLanes) some(has func(from, to int) bool, do func(*pairing.EndBatch) error) error {
	ends := pairing.EndReader{Do: do}
	for at, lane := range l.lanes {
		if has(ends.Events, l.ends[at]) {
			e, err := l.decode(lane)
			if err == nil {
				err = l.lane(&ends, e)
			}
			if err != nil {
				return err
			}
		}
		ends.Events = l.ends[at]
	}
	return nil
}

// laneEnds are the events of a lane, of use until free is called, and the marks of their ends.
type laneEnds struct {
	*slice.Events
	lane  uint32
	marks []slice.PairMark
	free  func()
}

// decoded yields lanes in their order, decoded beside each other if some of them may be held at once.
func (l *pairedLanes) decoded(lanes []uint32) iter.Seq2[*laneEnds, error] {
	if len(lanes) == 1 || l.long() { // to wake a goroutine for one would only take time
		return func(yield func(*laneEnds, error) bool) {
			for _, lane := range lanes {
				if e, err := l.decode(lane); !yield(e, err) || err != nil {
					return
				}
			}
		}
	}
	next := func() (s Span, ok bool, err error) {
		if len(lanes) > 0 {
			s, lanes, ok = Span{Slice: l.slice, lanes: lanes[:1]}, lanes[1:], true
		}
		return s, ok, nil
	}
	return ahead.Of[*laneEnds](inOrder(l.r, next, ahead.Once(func(s Span) (*laneEnds, error) { return l.decode(s.lanes[0]) })))
}

// long reports whether as many lanes as are decoded beside each other have, on average, more events than are worked on at once.
func (l *pairedLanes) long() bool {
	s, err := l.r.Slice(l.slice)
	return err == nil && s.Events/uint64(len(l.lanes)) > uint64(l.r.AtOnce.Events/ahead.AtOnce())
}

// decode returns the events of a lane, without any if it has none in the slice.
func (l *pairedLanes) decode(lane uint32) (*laneEnds, error) {
	ref, ok, err := l.r.Ref(l.slice, read.SliceKey(l.slice, lane))
	if err != nil || !ok {
		return &laneEnds{&slice.Events{}, lane, nil, func() {}}, err
	}
	e, free, err := l.r.Borrow(l.slice, lane, ref)
	if err != nil {
		return nil, err
	}
	marks, err := l.r.MarksOf(e)
	if err != nil {
		free()
	}
	return &laneEnds{e, lane, marks, free}, err
}

// lane goes through the ends of a lane.
func (l *pairedLanes) lane(ends *pairing.EndReader, e *laneEnds) error {
	defer e.free()
	if err := checkTotal(l.r, l.slice, ends.Events+len(e.Leaves), 0); err != nil {
		return err
	}
	return l.r.InSlice(ends.Lane(e.Events, e.marks), l.slice, e.lane)
}

// pairer pairs the ends of a slice that has not too many.
type pairer struct {
	pairing.ChannelNumbers
	slice      uint64
	most       int // ends
	ends       []pairerEnd
	codes      []uint32 // of their channels
	marks      []pairing.SkipMark
	unresolved int
}

// pairerEnd is an end with what its message has in common with it.
type pairerEnd struct {
	index.End
	communicator, tag uint64
}

// add adds ends. The error is [ErrTooMuch] if they are too many.
func (p *pairer) add(b *pairing.EndBatch) error {
	for i, t := range b.Times {
		switch code := p.Code(b, i, pairing.MostChannels); code {
		case pairing.Unresolved:
			p.unresolved++
		case pairing.Unwanted:
		default:
			if b.Skips[i] > 0 {
				p.marks = append(p.marks, pairing.SkipMark{End: uint32(len(p.ends)), Skip: b.Skips[i]})
			}
			end := index.End{Location: b.Run.Location, Ordinal: b.Ordinal(i), Slice: p.slice, Time: t, Length: b.Words[i][3]}
			p.ends = append(p.ends, pairerEnd{end, b.Words[i][1], b.Words[i][2]})
			p.codes = append(p.codes, code)
		}
	}
	if len(p.ends) > p.most {
		return ErrTooMuch
	}
	return nil
}

// messages returns the messages that the ends make. lost is a receive without a send, nil if there is none.
func (p *pairer) messages() (all []index.Message, lost *index.End) {
	pairs, at := pairing.PairEnds(p.codes, len(p.Numbers), p.marks)
	if at >= 0 {
		lost = &p.ends[at].End
	}
	all = make([]index.Message, len(pairs))
	for i, pair := range pairs {
		s, r := &p.ends[pair.Send], &p.ends[pair.Receive]
		all[i] = index.Message{Send: s.End, Receive: r.End, Communicator: r.communicator, Tag: r.tag}
	}
	return all, lost
}
