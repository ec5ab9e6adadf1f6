package index

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// End is one end of a message.
type End struct {
	// Location is the location's index in the trace.
	Location uint32
	Ordinal  uint64
	Slice    uint64
	Time     int64
	Length   uint64
}

// Message is a message whose ends lie in different slices (or were found to belong together late).
type Message struct {
	Send, Receive     End
	Communicator, Tag uint64
}

// compare orders messages by their receives: by location, then by ordinal.
func (m *Message) compare(o *Message) int {
	return cmp.Or(cmp.Compare(m.Receive.Location, o.Receive.Location), cmp.Compare(m.Receive.Ordinal, o.Receive.Ordinal))
}

// MessageBlock is a block of spanning messages that the locations of a lane receive.
type MessageBlock struct {
	*Block[Message]
	// Receivers are the other lanes that receive spanning messages of the node from this lane.
	Receivers []uint32
}

// messageLayout lays out messages.
type messageLayout struct {
	receivers []uint64 // lanes
	roster    []uint64 // the locations of all ends
	envelopes []envelope
	tables    sync.Pool // of *endTable

	met, used []bool // locations of the roster, and envelopes, that messages have
}

// messageEntries are entries of messages: one each.
type messageEntries struct {
	*messageLayout
	messages []messageEntry
}

// envelope is what messages may have in common.
type envelope struct{ communicator, tag, sent, received uint64 }

func (e envelope) compare(o envelope) int {
	return cmp.Or(cmp.Compare(e.communicator, o.communicator), cmp.Compare(e.tag, o.tag),
		cmp.Compare(e.sent, o.sent), cmp.Compare(e.received, o.received))
}

// messageEntry is the structure of a message. The ends' locations are numbers in the roster.
type messageEntry struct{ cell, sender, receiver, envelope uint64 }

// The counts of messages are
//
//	uvarint  number of receivers: other lanes that receive messages of the node from this lane
//	uvarint  number of locations in the roster
//	uvarint  number of envelopes

// Messages have the contexts
//
//	 0  receivers: lane, less the one before and 1 (the first: lane)
//	 1  roster: location, less the one before and 1 (the first: location)
//	 2  envelopes: communicator, less that of the envelope before
//	 3  envelopes: tag, less that of the envelope before if it has the same communicator
//	 4  envelopes: length of the send, less that of the envelope before if it has the same communicator and tag
//	 5  envelopes: zigzag of length of the receive - length of the send
//	 6  messages: cell, less that of the message before in the part
//	 7  messages: number of the receiver in the roster, less that of the message before if it is in the same cell
//	 8  messages: zigzag of number of the sender - number of the receiver
//	 9  messages: number of the envelope
//	10  cells: zigzag of base - base of the cell before in the part
//	11  messages: zigzag of middle - 1 - slice of the send
//	12  messages: zigzag of slice of the receive - middle
//	13  remainders, zigzag
//	14  sends, first ends: zigzag of ordinal - ordinal of the first end before
//	15  sends, new ends: zigzag of ordinal - ordinal of the location's latest end
//	16  sends, other ends: zigzag of ordinal - ordinal of the location's latest end
//	17  sends, first and new ends: base - time
//	18  sends, other ends: zigzag of ticks of (time - time of the location's latest send)
//	19  receives, first ends: zigzag of ordinal - ordinal of the first end before
//	20  receives, new ends: zigzag of ordinal - ordinal of the location's latest end
//	21  receives, other ends: ordinal - ordinal of the location's latest end
//	22  receives, first and new ends: time - base
//	23  receives, other ends: ticks of (time - time of the location's latest receive)
const (
	messageLane = iota
	messageLocation
	messageCommunicator
	messageTag
	messageSent
	messageReceived
	messageCell
	messageReceiver
	messageSender
	messageEnvelope
	messageStructure // contexts of the structure
)

const (
	messageBase = messageStructure + iota
	messageSendSlice
	messageReceiveSlice
	messageRemainder
	messageEnds // contexts of sends, and then of receives
)

const (
	sends = iota
	receives
	sides
)

// Contexts of a side. A first end is the first one of its location in the cell; a new one is the first of its side, but not
// a first end.
const (
	endFirst = iota
	endNew
	endOther
	endBase
	endStep
	endContexts
)

const messageContexts = messageEnds + sides*endContexts

var messageKind = kind[Message]{
	section: "messages block", remainders: messageRemainder,
	slices: func(m *Message) (first, last uint64) {
		return min(m.Send.Slice, m.Receive.Slice), max(m.Send.Slice, m.Receive.Slice)
	},
	compare:  (*Message).compare,
	together: func(a, b *Message) bool { return false },
}

// pairKind is pairs of events, which are laid out as messages are.
var pairKind = func() kind[Message] {
	k := messageKind
	k.section = "pairs block"
	k.compare = func(a, b *Message) int { return cmp.Or(a.compare(b), cmp.Compare(a.Communicator, b.Communicator)) }
	return k
}()

// EncodePairs does for pairs of events what EncodeMessages does for messages: what is sent opens a pair, what is received closes it.
func (t Tree) EncodePairs(n Node, lane uint32, receivers []uint32, period column.Period, pairs []Message) [][]byte {
	return t.encodeMessages(&pairKind, n, lane, receivers, period, pairs)
}

// OpenPairs opens a block of spanning pairs of events. It keeps b.
func (t Tree) OpenPairs(b []byte, limits format.Limits) (*MessageBlock, error) {
	return t.openMessages(&pairKind, whole(b), limits)
}

// EncodeMessages returns the block, or the pages, of the spanning messages of a node that a lane receives, all of which lie in
// the node. It sorts them. The receivers, in ascending order, are those of the first page. The clocks have a period, or 0.
func (t Tree) EncodeMessages(n Node, lane uint32, receivers []uint32, period column.Period, messages []Message) [][]byte {
	return t.encodeMessages(&messageKind, n, lane, receivers, period, messages)
}

func (t Tree) encodeMessages(k *kind[Message], n Node, lane uint32, receivers []uint32, period column.Period, messages []Message) [][]byte {
	b := &Block[Message]{Head: Head{Node: n, Lane: lane}, tree: t, kind: k, period: period}
	return encodePages(b, messages, func(cells []uint64, messages []Message) (layout[Message], entries[Message]) {
		l, e := layOutMessages(cells, messages)
		for _, r := range receivers {
			l.receivers = append(l.receivers, uint64(r))
		}
		receivers = nil
		return l, e
	})
}

// OpenMessages opens a block of spanning messages. It keeps b.
func (t Tree) OpenMessages(b []byte, limits format.Limits) (*MessageBlock, error) {
	return t.openMessages(&messageKind, whole(b), limits)
}

// MessagesOf opens a block of spanning messages of which the first bytes have been read.
func (t Tree) MessagesOf(src Source, limits format.Limits) (*MessageBlock, error) {
	return t.openMessages(&messageKind, src, limits)
}

// PairsOf opens a block of spanning pairs of events of which the first bytes have been read.
func (t Tree) PairsOf(src Source, limits format.Limits) (*MessageBlock, error) {
	return t.openMessages(&pairKind, src, limits)
}

func (t Tree) openMessages(k *kind[Message], src Source, limits format.Limits) (*MessageBlock, error) {
	l := &messageLayout{}
	o, err := open(t, k, src, limits, func(d *format.Decoder, limit int) layout[Message] {
		l.receivers = make([]uint64, d.Int(limit+1))
		l.roster = make([]uint64, d.Int(2*limit+1))
		l.envelopes = make([]envelope, d.Int(limit+1))
		return l
	})
	if err != nil {
		return nil, err
	}
	m := &MessageBlock{Block: o}
	for _, r := range l.receivers {
		m.Receivers = append(m.Receivers, uint32(r))
	}
	return m, nil
}

func layOutMessages(cells []uint64, messages []Message) (*messageLayout, *messageEntries) {
	l := &messageLayout{}
	numbers, envelopes := map[uint64]uint64{}, map[envelope]uint64{}
	for i := range messages {
		m := &messages[i]
		numbers[uint64(m.Send.Location)], numbers[uint64(m.Receive.Location)] = 0, 0
		envelopes[m.envelope()] = 0
	}
	l.roster = slices.Sorted(maps.Keys(numbers))
	for i, location := range l.roster {
		numbers[location] = uint64(i)
	}
	l.envelopes = slices.SortedFunc(maps.Keys(envelopes), envelope.compare)
	for i, e := range l.envelopes {
		envelopes[e] = uint64(i)
	}
	e := &messageEntries{l, make([]messageEntry, len(messages))}
	for i := range messages {
		m := &messages[i]
		e.messages[i] = messageEntry{
			cell: cells[i], envelope: envelopes[m.envelope()],
			sender: numbers[uint64(m.Send.Location)], receiver: numbers[uint64(m.Receive.Location)],
		}
	}
	return l, e
}

func (m *Message) envelope() envelope {
	return envelope{m.Communicator, m.Tag, m.Send.Length, m.Receive.Length}
}

func (l *messageLayout) appendCounts(dst []byte) []byte {
	for _, n := range []int{len(l.receivers), len(l.roster), len(l.envelopes)} {
		dst = format.AppendUvarint(dst, uint64(n))
	}
	return dst
}

func (l *messageLayout) things() int { return len(l.receivers) + len(l.roster) + len(l.envelopes) }

func (l *messageLayout) structure(c *carrier) {
	ascending(c, messageLane, l.receivers)
	ascending(c, messageLocation, l.roster)
	var last envelope
	for i := range l.envelopes {
		e := &l.envelopes[i]
		e.communicator = last.communicator + c.value(messageCommunicator, e.communicator-last.communicator)
		if e.communicator != last.communicator {
			last.tag, last.sent = 0, 0
		}
		e.tag = last.tag + c.value(messageTag, e.tag-last.tag)
		if e.tag != last.tag {
			last.sent = 0
		}
		e.sent = last.sent + c.value(messageSent, e.sent-last.sent)
		e.received = e.sent + uint64(c.signed(messageReceived, int64(e.received-e.sent)))
		last = *e
	}
}

func (l *messageLayout) structureCounts() []int {
	n := len(l.envelopes)
	return []int{
		messageLane: len(l.receivers), messageLocation: len(l.roster),
		messageCommunicator: n, messageTag: n, messageSent: n, messageReceived: n,
	}
}

// ascending carries numbers in ascending order.
func ascending(c *carrier, context int, numbers []uint64) {
	before := uint64(math.MaxUint64)
	for i := range numbers {
		before += 1 + c.value(context, numbers[i]-before-1)
		numbers[i] = before
	}
}

func (l *messageLayout) check(d *format.Decoder, locations uint64) {
	if !rising(l.receivers, cmp.Compare) || !rising(l.roster, cmp.Compare) || !rising(l.envelopes, envelope.compare) || !below32(l.receivers) {
		d.Fail("lanes, locations or envelopes are out of order or too large")
		return
	}
	if n := len(l.roster); n > 0 && l.roster[n-1] >= locations {
		d.Fail("an item of location %d, of %d", l.roster[n-1], locations)
	}
	l.met, l.used = make([]bool, len(l.roster)), make([]bool, len(l.envelopes))
}

func (l *messageLayout) entries(n int) entries[Message] {
	return &messageEntries{l, make([]messageEntry, n)}
}

func (l *messageLayout) note(e entries[Message]) {
	for _, m := range e.(*messageEntries).messages {
		l.met[m.receiver], l.met[m.sender], l.used[m.envelope] = true, true, true
	}
}

func (l *messageLayout) allNoted() bool {
	return !slices.Contains(l.met, false) && !slices.Contains(l.used, false)
}

func (e *messageEntries) len() int { return len(e.messages) }

func (e *messageEntries) at(i int) (cell uint64, items int) { return e.messages[i].cell, 1 }

func (e *messageEntries) from(from, to int) entries[Message] {
	return &messageEntries{e.messageLayout, e.messages[from:to]}
}

func (e *messageEntries) structure(c *carrier) {
	var before messageEntry
	for i := range e.messages {
		m := &e.messages[i]
		m.cell = before.cell + c.value(messageCell, m.cell-before.cell)
		if m.cell != before.cell {
			before.receiver = 0
		}
		m.receiver = before.receiver + c.value(messageReceiver, m.receiver-before.receiver)
		m.sender = m.receiver + uint64(c.signed(messageSender, int64(m.sender-m.receiver)))
		m.envelope = c.value(messageEnvelope, m.envelope)
		before = *m
	}
}

func (e *messageEntries) structureCounts() []int {
	n := len(e.messages)
	return []int{messageCell: n, messageReceiver: n, messageSender: n, messageEnvelope: n}
}

func (e *messageEntries) check(d *format.Decoder, _ uint64) {
	roster, envelopes := uint64(len(e.roster)), uint64(len(e.envelopes))
	for i, m := range e.messages {
		if m.receiver >= roster || m.sender >= roster || m.envelope >= envelopes {
			d.Fail("message %d from %d to %d, envelope %d", i, m.sender, m.receiver, m.envelope)
			return
		}
	}
}

func rising[T any](all []T, compare func(a, b T) int) bool {
	for i := 1; i < len(all); i++ {
		if compare(all[i-1], all[i]) >= 0 {
			return false
		}
	}
	return true
}

// below32 reports whether ascending numbers have 32 bits.
func below32(all []uint64) bool { return len(all) == 0 || all[len(all)-1] <= math.MaxUint32 }

func (l *messageLayout) contexts() int { return messageContexts }
