package match

import (
	"slices"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/write/nodes"
)

// followPairs pairs the events of the current slice that open or close something. Pairs that began in an earlier slice become items of the tree.
func (m *Matcher) followPairs() {
	events := m.roleEvents
	slices.SortFunc(events, func(a, b pairing.RoleEvent) int { return a.Compare(&b) })
	for i := range events {
		e := &events[i]
		if open, ok := m.open.Add(e); ok && open.Slice != e.Slice {
			m.addPair(pairing.Item(e.Family, open, e.End))
		}
	}
	m.roleEvents = events[:0]
}

// addPair adds a pair that ends in the current slice.
func (m *Matcher) addPair(p index.Message) {
	m.add(nodes.Pairs, &p, m.laneOf(p.Send.Location), m.laneOf(p.Receive.Location))
}

// OpenPairs returns the pairs that are not closed behind the last slice and begin before it. They end at a time of that slice, one behind the other behind the events of
// their location, whose number `events` returns.
func (m *Matcher) OpenPairs(time int64, last uint64, events func(location uint32) uint64) []index.Message {
	all := slices.DeleteFunc(m.open.Left(), func(p index.Message) bool { return p.Send.Slice == last }) // these reach over no slice
	next := uint64(0)
	for i := range all {
		of := all[i].Send.Location
		if i == 0 || of != all[i-1].Send.Location {
			next = events(of)
		}
		all[i].Receive = index.End{Location: of, Ordinal: next, Slice: last, Time: time}
		next++
	}
	return all
}

// CloseOpenPairs turns pairs that are never closed into items.
func (m *Matcher) CloseOpenPairs(time int64, last uint64, events func(location uint32) uint64) {
	for _, p := range m.OpenPairs(time, last, events) {
		m.addPair(p)
	}
}

func (m *Matcher) laneOf(location uint32) uint32 { return uint32(m.locations[location].Lane) }
