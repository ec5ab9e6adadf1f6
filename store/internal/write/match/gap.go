package match

import (
	"slices"

	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/trace"
)

// Where events of a location are missing, the n-th send of a channel need not belong to the n-th receive any longer. At a gap, the
// channels of the location's process lose sync: they wait for two ends that are known to belong together, and the ends before these stay
// without a partner.

// gap is a position in a location's events before which events were lost.
type gap struct {
	ordinal uint64 // of the next event
	time    int64  // not behind that of the next event
}

// kindGap is the kind of a gap among the events that the matcher sees.
const kindGap trace.Kind = 0

// AddGap says that events of a location are missing before that of an ordinal, which does not come before time t.
func (l *Location) AddGap(ordinal uint64, t int64) {
	m := l.lossy()
	m.gaps = append(m.gaps, gap{ordinal, t})
}

// HasGaps reports whether the location has gaps that the matcher has not seen.
func (l *Location) HasGaps() bool { return l.losses != nil && len(l.losses.gaps) > 0 }

// Hint says that an event is the end of a message whose other end has the same number, which is not 0.
func (l *Location) Hint(ordinal uint64, pair uint32) {
	m := l.lossy()
	if m.hints == nil {
		m.hints = map[uint64]uint32{}
	}
	m.hints[ordinal] = pair
}

// takeHint returns the pair of an event, 0 if it is not known.
func (m *losses) takeHint(ordinal uint64) uint32 {
	pair := m.hints[ordinal]
	delete(m.hints, ordinal)
	return pair
}

// skipGap drops what the requests of a location would have become, and the order of its process's channels.
func (m *Matcher) skipGap(p *process, l *Location) {
	p.hasGap = true
	for k, c := range m.channels {
		if k.From == p.id || k.To == p.id {
			m.loseSync(c)
		}
	}
	for i := range p.posted.items[p.posted.head:] {
		r := &p.posted.items[p.posted.head+i]
		if r.stale = true; r.end != nil {
			r.end.pair = 0
		}
	}
	for _, id := range l.underWay() {
		m.settle(l, id, settled)
	}
}

// leaveUndecided leaves all ends without a partner that wait for the outcome of a request, or for ends before them that do: the
// outcome may be among what is lost.
func (m *Matcher) leaveUndecided() {
	for _, p := range m.order {
		for p.posted.len() > 0 {
			if r := p.posted.pop(); r.state == settled {
				m.leaveUnmatched(&r.end.messageEnd)
			}
		}
		for _, l := range p.locations {
			for _, id := range l.underWay() {
				if r := l.requests[id]; r.send != nil && (r.send.channel == nil || r.send.alone) {
					m.leaveUnmatched(&r.send.messageEnd)
				}
			}
		}
	}
}

// loseSync makes a channel wait for a pair of ends that are yet to come.
func (m *Matcher) loseSync(c *channel) {
	c.outOfSync = true
	for _, q := range []*endQueue{&c.sends, &c.receives} {
		for _, e := range m.waiting.whole(q) {
			e.pair = 0
		}
	}
}

// hasGap reports whether a process has a gap.
func (m *Matcher) hasGap(id pairing.ProcessID) bool {
	p := m.processes[id]
	return p != nil && p.hasGap
}

// resync looks for the partner of the latest end of a channel out of sync. If it is there, the two are the first in their queues
// afterwards, and the channel is in sync again.
func (m *Matcher) resync(c *channel) bool {
	if c.sends.len() == 0 || c.receives.len() == 0 {
		return false
	}
	sends, receives := m.waiting.whole(&c.sends), m.waiting.whole(&c.receives)
	s, r := len(sends)-1, len(receives)-1
	if pair := receives[r].pair; pair != 0 && slices.ContainsFunc(sends, func(e *pendingEnd) bool { return e.pair == pair }) {
		s = slices.IndexFunc(sends, func(e *pendingEnd) bool { return e.pair == pair })
	} else if pair := sends[s].pair; pair != 0 {
		r = slices.IndexFunc(receives, func(e *pendingEnd) bool { return e.pair == pair })
	} else {
		return false
	}
	if r < 0 {
		return false
	}
	for range s {
		m.dropSend(m.waiting.pop(&c.sends))
	}
	for range r {
		e := m.waiting.pop(&c.receives)
		m.leaveUnmatched(&e.messageEnd)
		m.drop(e)
	}
	c.outOfSync = false
	return true
}

// dropSend leaves a send of a channel out of sync without a partner; one that may still be cancelled is decided later.
func (m *Matcher) dropSend(s *pendingEnd) {
	switch s.state {
	case waiting:
		s.alone = true
		return
	case settled:
		m.leaveUnmatched(&s.messageEnd)
	}
	m.drop(s)
}
