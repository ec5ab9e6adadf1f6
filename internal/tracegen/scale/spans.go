package scale

// span is a run of a location's events that have the same bounds, so that no message is received before it was sent, and
// no event leaves its part of the trace. All numbers are ticks of the base.
type span struct {
	end               int // the event after the last
	release, deadline int64
	// target is where the base has the last event. It is pulled there from wherever the events before have drifted to, unless
	// it is within leash anyway; a leash below 0 lets it drift, too.
	target, leash int64
}

// leashShare is the part of the distance before an event that it may be away from its target.
const leashShare = 16

// divide finds the spans of all locations. Events that come long after the one before are pulled, and so is the first of the
// body.
func (b *Base) divide(m *messages, longFrom int64) {
	for i, l := range b.locations {
		least, most := l.bounds(b, m.releases[i], m.deadlines[i])
		before := int64(0)
		for event, t := range l.events.Times {
			s := l.span(event, least[event], most[event])
			if distance := t - before; distance >= longFrom || event == l.from || event == 0 {
				s.target, s.leash = t, distance/leashShare
			}
			before = t
		}
	}
}

// span puts an event with its bounds into the last span, or a new one.
func (l *location) span(event int, least, most int64) *span {
	if event == l.from {
		l.bodySpan = len(l.spans)
	}
	if n := len(l.spans); n > 0 && event != l.from && event != l.to {
		if s := &l.spans[n-1]; s.leash < 0 && s.release == least && s.deadline == most {
			s.end++
			return s
		}
	}
	l.spans = append(l.spans, span{end: event + 1, release: least, deadline: most, leash: -1})
	return &l.spans[len(l.spans)-1]
}

// bounds returns the ticks between which each event must stay; they do not decrease.
func (l *location) bounds(b *Base, releases, deadlines []bound) (least, most []int64) {
	n := l.events.Len()
	least, most = make([]int64, n), make([]int64, n)
	from, to := l.tickAt(l.from), l.tickAt(l.to)
	for i := range n {
		switch {
		case i < l.from:
			least[i], most[i] = 0, from
		case i < l.to:
			least[i], most[i] = from, to
		default:
			least[i], most[i] = to, b.last
		}
	}
	for _, r := range releases {
		least[r.event] = max(least[r.event], r.tick)
	}
	for _, d := range deadlines {
		most[d.event] = min(most[d.event], d.tick)
	}
	for i := 1; i < n; i++ {
		least[i] = max(least[i], least[i-1])
		most[n-1-i] = min(most[n-1-i], most[n-i])
	}
	return least, most
}
