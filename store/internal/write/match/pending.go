package match

import (
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Pending returns all ends that have no partner so far, in the order of their channels: also those of which it is not decided yet
// whether they will have one, but those of which known says that they have, by their place among the ends of their block. It changes
// nothing, and may be called between slices.
func (m *Matcher) Pending(known func(e index.End, lane, number uint32) bool) (all []pairing.Unmatched, err error) {
	for ends, err := range m.unmatched.blocks(len(m.locations), m.current+1) {
		if err != nil {
			return nil, err
		}
		all = append(all, ends...)
	}
	m.eachWaiting(func(e *pendingEnd) {
		if e.state != cancelled && !known(e.End, e.lane, e.number) {
			all = append(all, m.unmatchedEnd(&e.messageEnd))
		}
	})
	slices.SortStableFunc(all, func(a, b pairing.Unmatched) int { return a.Side.Compare(&b.Side) })
	return all, m.Failure()
}

// eachWaiting calls f for the ends that wait, those of a channel in the order in which they count.
func (m *Matcher) eachWaiting(f func(e *pendingEnd)) {
	for _, c := range m.channels {
		for _, q := range []*endQueue{&c.sends, &c.receives} {
			for _, e := range m.waiting.whole(q) {
				f(e)
			}
		}
	}
	for _, p := range m.order {
		for i := range p.posted.len() {
			if r := &p.posted.items[p.posted.head+i]; r.state == settled {
				f(r.end)
			}
		}
		for _, l := range p.locations {
			for _, id := range l.underWay() {
				if r := l.requests[id]; r.send != nil && (r.send.channel == nil || r.send.alone) {
					f(r.send)
				}
			}
		}
	}
}
