package record

// maxChannels bounds the channels of a location of which messages were left out.
const maxChannels = 768

// channel is where messages keep their order: the other rank, the communicator and the tag, as events have them, and whether they are received.
type channel struct {
	words    [3]uint64
	received uint64
}

// missed counts, by channels, the ends of messages that were left out since the last one that is recorded. So it is known which ends of two recordings are of one message, when each has left out others.
type missed struct {
	counts map[channel]uint64
	any    bool // an end of a message was left out
	full   bool // there were more channels
	told   bool // and the recording says so
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

// leaveOut counts an event that is not recorded.
func (m *missed) leaveOut(kind uint16, words []uint64) {
	c, ok := channelOf(kind, words)
	if !ok || m.full {
		return
	}
	if m.counts == nil {
		m.counts = map[channel]uint64{}
	}
	m.any = true
	if _, ok := m.counts[c]; !ok && len(m.counts) == maxChannels {
		m.full, m.counts = true, nil
		return
	}
	m.counts[c]++
}

// tellMissing records, before the end of a message, how many of its channel were left out since the last one.
func (l *Location) tellMissing(kind uint16, words []uint64) {
	m := &l.missed
	c, ok := channelOf(kind, words)
	if !ok || m.told {
		return
	}
	if m.full {
		m.told = true
		l.addAt(&l.events, l.last, binEvents, fullEvents, kindMissing)
		return
	}
	if n := m.counts[c]; n > 0 {
		m.counts[c] = 0
		l.addAt(&l.events, l.last, binEvents, fullEvents, kindMissing, c.received, c.words[0], c.words[1], c.words[2], n)
	}
}
