package match

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/store/internal/pairing"
)

// Location is what the matcher keeps of one location. There may be very many, most of which have no messages.
type Location struct {
	ID       uint64
	Index    uint32     // among all locations, in the order of their definitions
	Lane     int32      // -1 until lanes are laid out
	process  *process   // nil until then; all of its locations are in the lane
	from, to uint32     // its events among those of the lane in the current slice
	talk     *messaging // nil if it has nothing of that
}

// messaging is what the matcher keeps of a location that has pending requests, hints or gaps.
type messaging struct {
	requests map[uint64]request
	gaps     []gap             // that the matcher has not seen
	hints    map[uint64]uint32 // by ordinal: the pair of an end of a message, see gap
}

// talking returns what is kept of a location, to be changed.
func (l *Location) talking() *messaging {
	if l.talk == nil {
		l.talk = &messaging{requests: map[uint64]request{}}
	}
	return l.talk
}

// requests returns the pending requests, which must not be changed.
func (l *Location) requests() map[uint64]request {
	if l.talk == nil {
		return nil
	}
	return l.talk.requests
}

// process holds what the locations of a process share.
type process struct {
	id        pairing.ProcessID
	locations []*Location
	posted    postedReceives
	hasGap    bool // there was a gap
}

// Join gives a location, which has its lane now, its process. No slice is under way.
func (m *Matcher) Join(l *Location, of pairing.ProcessID) {
	p := m.processes[of]
	if p == nil {
		p = &process{id: of}
		m.processes[of] = p
		m.order = append(m.order, p)
		for len(m.lanes) <= int(l.Lane) {
			m.lanes = append(m.lanes, nil)
		}
		m.lanes[l.Lane] = append(m.lanes[l.Lane], p)
	}
	m.locations = append(m.locations, l) // which are laid out in the order of their indices
	p.locations = append(p.locations, l)
	l.process = p
}

// alone returns the only location of a process that has events, nil if there are several or none.
func (p *process) alone() (busy *Location) {
	for _, l := range p.locations {
		if l.from == l.to {
			continue
		}
		if busy != nil {
			return nil
		}
		busy = l
	}
	return busy
}

// inOrder returns a process's events in merged order: by time, location, ordinal.
func (m *Matcher) inOrder(p *process, events []endEvent) []*endEvent {
	m.sorted = m.sorted[:0]
	for _, l := range p.locations {
		for i := l.from; i < l.to; i++ {
			m.sorted = append(m.sorted, &events[i])
		}
	}
	slices.SortStableFunc(m.sorted, func(a, b *endEvent) int { return cmp.Compare(a.time, b.time) })
	return m.sorted
}
