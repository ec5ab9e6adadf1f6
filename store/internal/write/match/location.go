package match

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pandotrace/pando/store/internal/pairing"
)

// Location is what the matcher keeps of one location. There may be very many, most of which have no messages.
//
// The matcher runs behind the goroutines that take slices apart: while it looks at a slice, they may be at the next one. Each field belongs
// to one of the two sides.
type Location struct {
	ID       uint64
	Index    uint32             // among all locations, in the order of their definitions
	Lane     int32              // -1 until lanes are laid out
	losses   *losses            // of what takes slices apart; nil if no events are missing
	process  *process           // nil until lanes are laid out; all of its locations are in the lane
	requests map[uint64]request // of the matcher: pending non-blocking operations; nil if there were none
	from, to uint32             // of the matcher: the location's events among those of the lane in the current slice
}

// losses is what is known of a location whose events are not complete.
type losses struct {
	gaps  []gap             // that the matcher has not seen
	hints map[uint64]uint32 // by ordinal: the pair of an end of a message, see gap
}

// lossy returns what is known of the location's missing events, to be changed.
func (l *Location) lossy() *losses {
	if l.losses == nil {
		l.losses = &losses{}
	}
	return l.losses
}

// await keeps a non-blocking operation until it is completed or cancelled.
func (l *Location) await(id uint64, r request) {
	if l.requests == nil {
		l.requests = map[uint64]request{}
	}
	l.requests[id] = r
}

// underWay returns the ids of the pending non-blocking operations, in order: what becomes of them must not depend on chance.
func (l *Location) underWay() []uint64 { return slices.Sorted(maps.Keys(l.requests)) }

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
	for len(m.locations) <= int(l.Index) {
		m.locations = append(m.locations, nil)
	}
	m.locations[l.Index] = l
	at, _ := slices.BinarySearchFunc(p.locations, l, func(a, b *Location) int { return cmp.Compare(a.Index, b.Index) })
	p.locations = slices.Insert(p.locations, at, l)
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
