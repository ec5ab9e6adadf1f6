package record

import "encoding/binary"

// Channels of a location whose messages are counted: at most, and places for them.
const (
	maxChannels  = 768
	manyChannels = 1024
)

// channel is where messages keep their order: the other rank, the communicator and the tag, as events have them, and whether they are received.
type channel struct {
	words    [3]uint64
	received uint64
}

// ends are those of the messages of a channel at a location.
type ends struct {
	channel
	used   bool
	left   uint64 // left out since the last one that is recorded
	number uint64 // of the next one, if they are numbered
	bin    uint64 // the last bin of events that has its number
}

// missed counts, by channels, the ends of messages that were left out since the last one that is recorded. So it is known which ends of two recordings are of one message, when each has left out others.
// Where the oldest events are given up, ends are numbered, and each bin of events has the number of the first one of each channel.
type missed struct {
	channels []ends // a table of hashes; nil before the first one
	count    int    // in it
	any      bool   // ends are looked at: one was left out, or they are numbered
	numbered bool
	full     bool // there were more channels
	told     bool // and the recording says so
}

// channelOf returns the channel of an event that sends or receives a message.
func channelOf(kind uint16, words []uint64) (c channel, ok bool) {
	const fields = 3
	switch {
	case len(words) < fields:
		return c, false
	case kind == kindSend, kind == kindSendRequest:
	case kind == kindReceive, kind == kindReceiveRequest:
		c.received = 1
	default:
		return c, false
	}
	c.words = [3]uint64(words)
	return c, true
}

// of returns the ends of a channel, which is counted from now on; nil if there are too many.
func (m *missed) of(c channel) *ends {
	if m.channels == nil {
		m.channels = make([]ends, manyChannels)
	}
	e := m.find(&c)
	switch {
	case e.used:
	case m.count == maxChannels:
		m.full, m.channels = true, nil
		return nil
	default:
		*e = ends{channel: c, used: true}
		m.count++
	}
	return e
}

// find returns the ends of a channel, or the place for them, which is not used. Factors are odd numbers without a pattern.
func (m *missed) find(c *channel) *ends {
	h := (c.words[0]*0x9e3779b97f4a7c15 + c.words[1]*0xc2b2ae3d27d4eb4f + c.words[2]*0x165667b19e3779f9 + c.received) * 0x9e3779b97f4a7c15 >> 32
	for ; ; h++ {
		if e := &m.channels[h%manyChannels]; !e.used || e.channel == *c {
			return e
		}
	}
}

// leaveOut counts an event that is not recorded.
func (m *missed) leaveOut(kind uint16, words []uint64) {
	c, ok := channelOf(kind, words)
	if !ok || m.full {
		return
	}
	m.any = true
	if e := m.of(c); e != nil {
		e.left++
		e.number++
	}
}

// tellMissing records, before the end of a message, how many of its channel were left out since the last one, or its number.
func (l *Location) tellMissing(kind uint16, words []uint64) {
	m := &l.missed
	c, ok := channelOf(kind, words)
	if !ok || m.told {
		return
	}
	var e *ends
	switch {
	case m.full:
	case m.numbered:
		e = m.of(c)
	default:
		e = m.find(&c)
	}
	switch {
	case m.full:
		m.told = true
		l.addAt(&l.events, l.last, binEvents, fullEvents, kindMissing)
	case m.numbered:
		l.tellNumber(c, e, len(words))
	case e.left > 0:
		l.addAt(&l.events, l.last, binEvents, fullEvents, kindMissing, c.received, c.words[0], c.words[1], c.words[2], e.left)
		e.left = 0
	}
}

// tellNumber records the number of the next end of a channel if it is the first one in its bin, or others were left out before. Behind it, the bin has room for an event of some words.
func (l *Location) tellNumber(c channel, e *ends, words int) {
	const told = 6
	if !l.room(&l.events, binEvents, fullEvents, l.last, 2*recordHead+(told+words+2)*binary.MaxVarintLen64) {
		return
	}
	if e.left > 0 || e.bin != l.whole.bin {
		l.addAt(&l.events, l.last, binEvents, fullEvents, kindMissing, c.received, c.words[0], c.words[1], c.words[2], e.left, e.number)
	}
	e.left, e.bin = 0, l.whole.bin
	e.number++
}
