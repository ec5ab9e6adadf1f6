package spec

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/trace"
)

// plainEnvelope is what the structure says of a message besides its ends.
type plainEnvelope struct{ communicator, tag, sent, received uint64 }

type plainMessage struct{ cell, receiver, sender, envelope uint64 }

// plainMessages is a block of messages.
type plainMessages struct {
	*plainItems
	receivers []uint64 // lanes
	roster    []uint64
	envelopes []plainEnvelope
}

func (f *plainFile) messages(k plainKey, b []byte) *plainMessages {
	m := &plainMessages{plainItems: f.items(k, b, false, func(n []uint64) []uint64 {
		return []uint64{n[0], n[1], n[2], n[2], n[2], n[2]}
	})}
	q := queue(m.structure)
	for context, list := range []*[]uint64{&m.receivers, &m.roster} {
		next := uint64(0)
		for range m.counts[context] {
			*list = append(*list, next+q.next(context))
			next = (*list)[len(*list)-1] + 1
		}
	}
	var last plainEnvelope
	for range m.counts[2] {
		e := plainEnvelope{last.communicator + q.next(2), q.next(3), q.next(4), q.signed(5)}
		if e.communicator == last.communicator {
			e.tag += last.tag
			if e.tag == last.tag {
				e.sent += last.sent
			}
		}
		e.received += e.sent
		m.envelopes = append(m.envelopes, e)
		last = e
	}
	q.end()
	return m
}

// messages returns the messages of a part, and the values of their fields.
func (m *plainMessages) messages(part *plainPart) (messages []plainMessage, values queue) {
	n := part.entries
	q, rest := m.structureOf(part, []uint64{0, 0, 0, 0, 0, 0, n, n, n, n})
	var before plainMessage
	var cells []uint64
	for range n {
		x := plainMessage{cell: before.cell + q.next(6), receiver: q.next(7), envelope: q.next(9)}
		if x.cell == before.cell {
			x.receiver += before.receiver
		}
		x.sender = x.receiver + q.signed(8)
		messages, cells = append(messages, x), append(cells, x.cell)
		before = x
	}
	q.end()
	part.check(cells, n)
	return messages, m.values(rest, m.sizes(messages))
}

// plainSide is the latest end of a location on one side: 0 for sends, 1 for receives.
type plainSide struct {
	known bool
	time  uint64
}

type plainLatest struct {
	ordinal uint64
	sides   [2]plainSide
}

// walk goes through the ends of some messages. It says of each which context its ordinal has among those of its side: 0 for a first
// end, 1 for a new one, 2 for others.
func (m *plainMessages) walk(messages []plainMessage, cell func(), end func(i, side, which int, latest *plainLatest)) {
	var ends map[uint64]*plainLatest
	before := uint64(0)
	for i, x := range messages {
		if x.cell != before {
			ends = map[uint64]*plainLatest{}
			before = x.cell
			cell()
		}
		for _, e := range []struct {
			side   int
			number uint64
		}{{1, x.receiver}, {0, x.sender}} {
			which, latest := 0, ends[e.number]
			if latest == nil {
				latest = &plainLatest{}
				ends[e.number] = latest
			} else if which = 1; latest.sides[e.side].known {
				which = 2
			}
			end(i, e.side, which, latest)
			latest.sides[e.side].known = true
		}
	}
}

// sizes returns how many values of each context some messages have.
func (m *plainMessages) sizes(messages []plainMessage) []uint64 {
	n := make([]uint64, 24)
	n[11], n[12] = uint64(len(messages)), uint64(len(messages))
	m.walk(messages, func() { n[10]++ }, func(_, side, which int, _ *plainLatest) {
		n[14+5*side+which]++
		if which < 2 {
			n[14+5*side+3]++
			return
		}
		n[14+5*side+4]++
		if m.period > 0 {
			n[13]++
		}
	})
	return n
}

// plainItem is a message with the slices of its ends, and the level of the node that it is an item of, 0 if it is none.
type plainItem struct {
	trace.Message
	slices [2]uint64
	level  uint64
}

func (m *plainMessages) all(f *plainFile, visit func(*plainMessage)) (items []plainItem) {
	for i := range m.parts {
		messages, q := m.messages(&m.parts[i])
		for j := range messages {
			visit(&messages[j])
		}
		items = append(items, m.part(f, q, messages)...)
	}
	return items
}

func (m *plainMessages) part(f *plainFile, q queue, messages []plainMessage) []plainItem {
	all := make([]plainItem, len(messages))
	var base, ordinal uint64
	m.walk(messages, func() { base += q.signed(10) }, func(i, side, which int, latest *plainLatest) {
		context := 14 + 5*side
		switch {
		case which == 0:
			latest.ordinal = ordinal + q.signed(context)
			ordinal = latest.ordinal
		case which == 2 && side == 1:
			latest.ordinal += q.next(context + 2)
		default:
			latest.ordinal += q.signed(context + which)
		}
		time := &latest.sides[side].time
		switch {
		case which < 2 && side == 0:
			*time = base - q.next(context+3)
		case which < 2:
			*time = base + q.next(context+3)
		case side == 0:
			met["several sends of a location"]++
			*time += m.time(q.signed(context+4), q)
		default:
			met["several receives of a location"]++
			*time += m.time(q.next(context+4), q)
		}
		x, e := &all[i], m.envelopes[messages[i].envelope]
		if side == 0 {
			x.SendLocation, x.SendOrdinal, x.SendTime, x.SendLength = f.locations[m.roster[messages[i].sender]].id, latest.ordinal, int64(*time), e.sent
		} else {
			x.ReceiveLocation, x.ReceiveOrdinal, x.ReceiveTime, x.ReceiveLength = f.locations[m.roster[messages[i].receiver]].id, latest.ordinal, int64(*time), e.received
		}
		x.Communicator, x.Tag = e.communicator, e.tag
	})
	for i, x := range messages {
		all[i].level = m.level
		all[i].slices = [2]uint64{m.middle(x.cell) - 1 - q.signed(11), m.middle(x.cell) + q.signed(12)}
		f.checkSlice(all[i].slices[0], all[i].SendTime)
		f.checkSlice(all[i].slices[1], all[i].ReceiveTime)
	}
	q.end()
	return all
}

// spanningMessages returns all messages, and checks that the lanes that send them name the lanes that receive them.
func (f *plainFile) spanningMessages() []plainItem { return f.spanningItems(8) }

// spanningItems returns all items of blocks of messages, or of blocks that are laid out like these.
func (f *plainFile) spanningItems(kind format.BlockKind) (messages []plainItem) {
	type pair struct {
		level          byte
		node, from, to uint64
	}
	told, sent := map[pair]bool{}, map[pair]bool{}
	for k, b := range f.blocks {
		if k.kind != kind {
			continue
		}
		block := f.messages(k, b)
		for _, to := range block.receivers {
			told[pair{k.level, k.number, k.lane, to}] = true
		}
		messages = append(messages, block.all(f, func(x *plainMessage) {
			met["spanning message"]++
			if f.locations[block.roster[x.receiver]].lane != k.lane {
				panic("a message that another lane receives")
			}
			if from := f.locations[block.roster[x.sender]].lane; from != k.lane {
				met["message between lanes"]++
				sent[pair{k.level, k.number, from, k.lane}] = true
			}
		})...)
	}
	for p := range sent {
		if !told[p] {
			panic("a receiver that is not named")
		}
	}
	if len(told) != len(sent) {
		panic("a receiver without a message")
	}
	return messages
}

// checkSlice checks that a slice has a time.
func (f *plainFile) checkSlice(slice uint64, t int64) {
	if s := f.slices[slice]; t < int64(s[0]) || t >= int64(s[1]) {
		panic("a time outside of its slice")
	}
}
