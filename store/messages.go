package store

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pandotrace/pando/encode"
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
		all := sweep(w, talkers.lanes, needs{messages: true}, nil, func(s span) ([]trace.Message, error) {
			messages, err := w.reader.messages(s.slice, talkers, s.first)
			return w.chosen(messages, &s), err
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

// chosen returns the messages of a slice that belong to the window and to a span, in order.
func (w *Window) chosen(messages []index.Message, s *span) []trace.Message {
	var found []trace.Message
	for i := range messages {
		m := &messages[i]
		if w.locations != nil && !w.locations[m.Send.Location] && !w.locations[m.Receive.Location] {
			continue
		}
		if !s.has(min(m.Send.Time, m.Receive.Time), m.Send.Location) {
			continue
		}
		if t := w.reader.message(m); t.Overlaps(w.from, w.to) {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b trace.Message) int {
		fromA, _ := a.Span()
		fromB, _ := b.Span()
		return cmp.Or(cmp.Compare(fromA, fromB), cmp.Compare(w.reader.byID[a.SendLocation], w.reader.byID[b.SendLocation]),
			cmp.Compare(a.SendOrdinal, b.SendOrdinal))
	})
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

// messages returns the messages of some that begin in a slice, and with open those too that began before and end in it or
// later. There may be messages of others among them.
func (r *Reader) messages(slice uint64, of *talkers, open bool) ([]index.Message, error) {
	paired, err := r.paired(slice, of)
	if err != nil {
		return nil, err
	}
	spanning, err := r.spanningMessages(slice, of.lanes)
	if err != nil {
		return nil, err
	}
	for i := range spanning {
		if first := min(spanning[i].Send.Slice, spanning[i].Receive.Slice); open || first == slice {
			paired = append(paired, spanning[i])
		}
	}
	return paired, nil
}

// paired returns what pairedMessages does. If that takes all lanes, the messages of all are kept, in memory that is not to be
// changed or appended to.
func (r *Reader) paired(slice uint64, of *talkers) ([]index.Message, error) {
	if len(of.lanes) < len(r.lanes) {
		return r.pairedMessages(slice, of)
	}
	return cached(r.cache, cacheKey{what: cachedPaired, offset: slice}, func() ([]index.Message, int64, error) {
		all, err := r.pairedMessages(slice, &talkers{lanes: of.lanes})
		return slices.Clip(all), int64(120 * len(all)), err
	})
}

// pairedMessages returns the messages of which both ends lie in a slice and which its blocks pair; see sendOrder.
func (r *Reader) pairedMessages(slice uint64, of *talkers) ([]index.Message, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	p := pairer{reader: r, ids: func(l uint32) uint64 { return r.info.Locations[l].ID }, definitions: d, slice: slice, processes: of.processes, sends: map[channelKey][]pairEnd{}}
	if p.lanes, err = r.busy(slice, of.lanes); err != nil {
		return nil, err
	}
	for at := 0; at < len(p.lanes); at++ {
		if err := p.lane(p.lanes[at]); err != nil {
			return nil, err
		}
		if err := r.checkTotal(slice, p.ends, 0); err != nil {
			return nil, err
		}
	}
	return p.pair()
}

// lane finds the paired ends of a lane.
func (p *pairer) lane(lane uint32) error {
	ref, ok, err := p.reader.ref(p.slice, blockKey{kind: format.BlockSlice, lane: lane, number: p.slice})
	if err != nil || !ok {
		return err
	}
	e, free, err := p.reader.borrow(p.slice, lane, ref)
	if err != nil {
		return err
	}
	defer free()
	return format.At(p.collect(e), p.reader.name, -1)
}

// pairer pairs the ends of one slice.
type pairer struct {
	reader      *Reader
	ids         func(location uint32) uint64
	definitions *trace.Definitions
	slice       uint64
	processes   map[processID]bool // whose messages are wanted; nil for all
	lanes       []uint32           // that have their ends, and those of their partners as far as they are known
	sends       map[channelKey][]pairEnd
	receives    []pairEnd
	ends        int
	unresolved  int
}

// pairEnd is an end that has its partner in the same slice.
type pairEnd struct {
	index.End
	key  channelKey
	skip uint32
}

// collect finds the paired ends among events.
func (p *pairer) collect(e *encode.Events) error {
	info := e.Dictionary.Info()
	marks := e.Pairs
	number := uint32(0)
	at := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		ends := e.Ends(i)
		for j := range run.Events {
			leaf := e.Leaves[at+j]
			class := info[leaf].Class
			if class != encode.Send && class != encode.Receive {
				continue
			}
			skip := uint32(0)
			if len(marks) > 0 && marks[0].Endpoint == number {
				skip, marks = marks[0].Skip, marks[1:]
			}
			number++
			p.ends++
			if skip == encode.Unpaired {
				continue
			}
			words, err := ends.Of(j, leaf)
			if err != nil {
				return err
			}
			p.add(class, words, run, uint64(j), e.Times[at+j], skip)
		}
		at += run.Events
	}
	return nil
}

// add adds an end whose words are the peer's rank, communicator, tag and length.
func (p *pairer) add(class encode.Class, words [4]uint64, run *encode.Run, i uint64, t int64, skip uint32) {
	end := pairEnd{skip: skip, End: index.End{
		Location: run.Location, Ordinal: run.First + i, Slice: p.slice, Time: t, Length: words[3],
	}}
	id := p.ids(run.Location)
	peer, ok := p.definitions.RankLocation(words[1], words[0], id)
	if !ok {
		p.unresolved++
		return
	}
	end.key = channelKey{
		from: processOf(p.definitions, id), to: processOf(p.definitions, peer),
		communicator: words[1], tag: words[2],
	}
	if p.processes != nil && !p.wants(&end.key, peer) {
		return
	}
	if class == encode.Send {
		p.sends[end.key] = append(p.sends[end.key], end)
		return
	}
	end.key.from, end.key.to = end.key.to, end.key.from
	p.receives = append(p.receives, end)
}

// wants reports whether the messages between two processes are wanted. If so, the lane of the second one, which has a location
// of this id, is one of those that have their ends.
func (p *pairer) wants(k *channelKey, id uint64) bool {
	if !p.processes[k.from] {
		return p.processes[k.to]
	}
	if i, ok := p.reader.byID[id]; ok {
		lane := p.reader.info.Locations[i].Lane
		if int(lane) < len(p.reader.lanes) && !slices.Contains(p.lanes, lane) {
			p.lanes = append(p.lanes, lane)
		}
	}
	return true
}

// take returns the send of a receive, which is no longer free then; ok is false if there is none.
func (p *pairer) take(r *pairEnd) (s index.End, ok bool) {
	sends := p.sends[r.key]
	if int(r.skip) >= len(sends) {
		return s, false
	}
	s = sends[r.skip].End
	copy(sends[1:], sends[:r.skip])
	p.sends[r.key] = sends[1:]
	return s, true
}

// pair gives each receive its send: the first of its channel that is free, after those it passes over.
func (p *pairer) pair() ([]index.Message, error) {
	messages := make([]index.Message, 0, len(p.receives))
	for i := range p.receives {
		r := &p.receives[i]
		s, ok := p.take(r)
		if !ok {
			return nil, format.At(format.Corruptf("slice block", -1,
				"slice %d: the receive of location %d, event %d, has no send", p.slice, r.Location, r.Ordinal), p.reader.name, -1)
		}
		messages = append(messages, index.Message{
			Send: s, Receive: r.End, Communicator: r.key.communicator, Tag: r.key.tag,
		})
	}
	if p.unresolved > 0 {
		return nil, format.At(format.Corruptf("slice block", -1, "slice %d: %d paired ends of unknown ranks", p.slice, p.unresolved), p.reader.name, -1)
	}
	return messages, nil
}
