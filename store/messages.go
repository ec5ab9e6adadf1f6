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
		first, last, err := w.reader.slices(w.from, w.to)
		for slice := first; slice < last && err == nil; slice++ {
			var messages []index.Message
			if messages, err = w.reader.messages(slice, slice == first); err != nil {
				break
			}
			found := w.chosen(messages)
			for i := range found {
				if !yield(found[i], nil) {
					return
				}
			}
		}
		if err != nil {
			yield(trace.Message{}, err)
		}
	}
}

// chosen returns the messages that belong to the window, in order.
func (w *Window) chosen(messages []index.Message) []trace.Message {
	var found []trace.Message
	for i := range messages {
		m := &messages[i]
		if w.locations != nil && !w.locations[m.Send.Location] && !w.locations[m.Receive.Location] {
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

// messages returns the messages that begin in a slice, and with open those too that began before and end in it or later.
func (r *Reader) messages(slice uint64, open bool) ([]index.Message, error) {
	messages, err := r.pairedMessages(slice)
	if err != nil {
		return nil, err
	}
	for level := 1; level <= r.tree.Levels(r.root.Slices); level++ {
		ref, ok, err := r.nodeRef(format.BlockMessages, level, slice, 0)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		spanning, err := r.nodeMessages(ref, r.node(level, slice))
		if err != nil {
			return nil, err
		}
		for i := range spanning {
			m := &spanning[i]
			if int(max(m.Send.Location, m.Receive.Location)) >= len(r.info.Locations) {
				return nil, format.At(format.Corruptf("messages block", -1, "location out of range"), r.name, int64(ref.Offset))
			}
			from, to := min(m.Send.Slice, m.Receive.Slice), max(m.Send.Slice, m.Receive.Slice)
			if from == slice || open && from < slice && to >= slice {
				messages = append(messages, *m)
			}
		}
	}
	return messages, nil
}

// pairedMessages returns the messages of which both ends lie in a slice and which its blocks pair; see sendOrder.
func (r *Reader) pairedMessages(slice uint64) ([]index.Message, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	p := pairer{reader: r, definitions: d, slice: slice, sends: map[channelKey][]pairEnd{}}
	for lane := range uint32(len(r.lanes)) {
		e, err := r.events(slice, lane)
		if err != nil {
			return nil, err
		}
		if e != nil {
			if err := p.collect(e); err != nil {
				return nil, format.At(err, r.name, -1)
			}
		}
	}
	return p.pair()
}

// pairer pairs the ends of one slice.
type pairer struct {
	reader      *Reader
	definitions *trace.Definitions
	slice       uint64
	sends       map[channelKey][]pairEnd
	receives    []pairEnd
	unresolved  int
}

// pairEnd is an end that has its partner in the same slice.
type pairEnd struct {
	index.End
	key  channelKey
	skip uint32
}

// collect finds the paired ends of a lane.
func (p *pairer) collect(e *encode.Events) error {
	info := e.Dictionary.Info()
	marks := e.Pairs
	number := uint32(0)
	at := 0
	for i := range e.Runs {
		run := &e.Runs[i]
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
			if skip == encode.Unpaired {
				continue
			}
			l := e.Dictionary.Leaf(leaf)
			peer, err := e.Dictionary.Peer(l, run.Location)
			if err != nil {
				return err
			}
			p.add(l, peer, run, uint64(j), e.Times[at+j], skip)
		}
		at += run.Events
	}
	return nil
}

func (p *pairer) add(leaf *encode.Leaf, rank uint64, run *encode.Run, i uint64, t int64, skip uint32) {
	end := pairEnd{skip: skip, End: index.End{
		Location: run.Location, Ordinal: run.First + i, Slice: p.slice, Time: t, Length: leaf.Words[3],
	}}
	id := p.reader.info.Locations[run.Location].ID
	peer, ok := p.definitions.RankLocation(leaf.Words[1], rank, id)
	if !ok {
		p.unresolved++
		return
	}
	end.key = channelKey{
		from: processOf(p.definitions, id), to: processOf(p.definitions, peer),
		communicator: leaf.Words[1], tag: leaf.Words[2],
	}
	if leaf.Class == encode.Send {
		p.sends[end.key] = append(p.sends[end.key], end)
		return
	}
	end.key.from, end.key.to = end.key.to, end.key.from
	p.receives = append(p.receives, end)
}

// pair gives each receive its send: the first of its channel that is free, after those it passes over.
func (p *pairer) pair() ([]index.Message, error) {
	messages := make([]index.Message, 0, len(p.receives))
	for _, r := range p.receives {
		sends := p.sends[r.key]
		if int(r.skip) >= len(sends) {
			return nil, format.At(format.Corruptf("slice block", -1,
				"slice %d: the receive of location %d, event %d, has no send", p.slice, r.Location, r.Ordinal), p.reader.name, -1)
		}
		s := sends[r.skip]
		copy(sends[1:], sends[:r.skip])
		p.sends[r.key] = sends[1:]
		messages = append(messages, index.Message{
			Send: s.End, Receive: r.End, Communicator: r.key.communicator, Tag: r.key.tag,
		})
	}
	if p.unresolved > 0 {
		return nil, format.At(format.Corruptf("slice block", -1, "slice %d: %d paired ends of unknown ranks", p.slice, p.unresolved), p.reader.name, -1)
	}
	return messages, nil
}
