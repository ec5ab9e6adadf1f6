package index

import "math"

// Of the ends of messages, those of one location are near each other in a cell. So an end is coded by its difference to
// the location's latest one.

// endTable knows the ends that were met in a cell.
type endTable struct {
	cell      int    // counts cells
	base      int64  // of the cell
	ordinal   uint64 // of the latest end in the part that was its location's first one in the cell
	locations []locationEnds
}

// locationEnds are those of a location.
type locationEnds struct {
	cell    int // that they are in
	ordinal uint64
	times   [sides]int64
	met     [sides]bool
}

// table returns a table that knows no end, for as many locations as the roster has.
func (l *messageLayout) table() *endTable {
	t, ok := l.tables.Get().(*endTable)
	if !ok {
		t = &endTable{locations: make([]locationEnds, len(l.roster))}
	}
	t.base, t.ordinal = 0, 0
	return t
}

// meet returns the ends of a location that were met in the cell, and which context an end's ordinal has. The end is met now.
func (t *endTable) meet(side int, location uint64) (l *locationEnds, which int) {
	l = &t.locations[location]
	if l.cell != t.cell {
		*l = locationEnds{cell: t.cell}
	}
	switch {
	case l.met[side]:
		which = endOther
	case l.met[sends] || l.met[receives]:
		which = endNew
	}
	l.met[side] = true
	return l, which
}

func (e *messageEntries) counts(cells []cell, remainders int) []int {
	n := make([]int, messageContexts)
	n[messageBase] = len(cells)
	t := e.table()
	for i := range cells {
		p := &cells[i]
		t.cell++
		for _, m := range e.messages[p.first:p.last] {
			t.count(n, receives, m.receiver)
			t.count(n, sends, m.sender)
		}
		n[messageSendSlice] += p.items
	}
	e.tables.Put(t)
	n[messageReceiveSlice] = n[messageSendSlice]
	n[messageRemainder] = remainders * (n[endContext(sends, endStep)] + n[endContext(receives, endStep)])
	return n
}

// count adds an end to the counts of its contexts.
func (t *endTable) count(counts []int, side int, location uint64) {
	_, which := t.meet(side, location)
	counts[endContext(side, which)]++
	if which == endOther {
		counts[endContext(side, endStep)]++
	} else {
		counts[endContext(side, endBase)]++
	}
}

// items carries messages: of each the receive, then the send.
func (e *messageEntries) items(c *carrier, cells []cell, messages []Message) {
	t := e.table()
	for i := range cells {
		p := &cells[i]
		own := messages[:p.items]
		messages = messages[p.items:]
		t.cell++
		t.base += c.signed(messageBase, latestBegin(own)-t.base)
		for j := range own {
			e.message(c, t, &e.messages[p.first+j], p.middle, &own[j])
		}
		c.broken = c.broken || t.base != latestBegin(own)
	}
	e.tables.Put(t)
}

// latestBegin returns the latest of the messages' earlier times.
func latestBegin(messages []Message) int64 {
	latest := int64(math.MinInt64)
	for i := range messages {
		latest = max(latest, min(messages[i].Send.Time, messages[i].Receive.Time))
	}
	return latest
}

func (l *messageLayout) message(c *carrier, t *endTable, e *messageEntry, middle uint64, m *Message) {
	v := &l.envelopes[e.envelope]
	m.Communicator, m.Tag, m.Send.Length, m.Receive.Length = v.communicator, v.tag, v.sent, v.received
	m.Send.Location, m.Receive.Location = uint32(l.roster[e.sender]), uint32(l.roster[e.receiver])
	m.Send.Slice = middle - 1 - uint64(c.signed(messageSendSlice, int64(middle-1-m.Send.Slice)))
	m.Receive.Slice = middle + uint64(c.signed(messageReceiveSlice, int64(m.Receive.Slice-middle)))
	t.end(c, receives, e.receiver, &m.Receive)
	t.end(c, sends, e.sender, &m.Send)
}

// end carries the ordinal and the time of an end.
func (t *endTable) end(c *carrier, side int, location uint64, e *End) {
	l, which := t.meet(side, location)
	ordinal, time := endContext(side, which), endContext(side, endBase)
	switch {
	case which == endFirst:
		e.Ordinal = t.ordinal + uint64(c.signed(ordinal, int64(e.Ordinal-t.ordinal)))
		t.ordinal = e.Ordinal
	case which == endOther && side == receives: // they come in their order
		e.Ordinal = l.ordinal + c.value(ordinal, e.Ordinal-l.ordinal)
	default:
		e.Ordinal = l.ordinal + uint64(c.signed(ordinal, int64(e.Ordinal-l.ordinal)))
	}
	switch {
	case which == endOther && side == receives:
		e.Time = l.times[side] + c.longer(endContext(side, endStep), 0, e.Time-l.times[side])
	case which == endOther:
		e.Time = l.times[side] + c.step(endContext(side, endStep), e.Time-l.times[side])
	case side == receives:
		e.Time = t.base + int64(c.value(time, uint64(e.Time-t.base)))
	default:
		e.Time = t.base - int64(c.value(time, uint64(t.base-e.Time)))
	}
	l.ordinal, l.times[side] = e.Ordinal, e.Time
}

func endContext(side, which int) int { return messageEnds + side*endContexts + which }
