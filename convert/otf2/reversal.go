package otf2

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// reversals translate global ids to those of one location, by id space.
type reversals [trace.SpaceLocationGroup + 1]reversal

// reversal finds a local id that a mapping table translates to a global one.
type reversal struct {
	forward *idMap
	back    idMap
}

// reverse returns the reversals of mapping tables, nil if there are none.
func (m *mappings) reverse() *reversals {
	if m == nil {
		return nil
	}
	var list reversals
	for space := range m {
		list[space] = reversal{&m[space], m[space].reversed()}
	}
	return &list
}

// local returns the local id; ok is false if the table gives none that id.
func (r *reversal) local(global uint64) (id uint64, ok bool) {
	id = r.back.global(global)
	return id, r.forward.global(id) == global
}

// reversed returns the map from global ids to the greatest local ones: those that were given last.
func (m *idMap) reversed() idMap {
	var pairs []idPair
	for _, p := range slices.Backward(m.pairs) {
		pairs = append(pairs, idPair{p.global, p.local})
	}
	for local, global := range slices.Backward(m.dense) {
		pairs = append(pairs, idPair{global, uint64(local)})
	}
	return newIDMap(pairs)
}
