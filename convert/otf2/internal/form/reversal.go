package form

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Reversals translate global ids to those of one location, by id space.
type Reversals [trace.SpaceLocationGroup + 1]reversal

// reversal finds a local id that a mapping table translates to a global one.
type reversal struct {
	Forward *idMap
	back    idMap
}

// Reverse returns the reversals of mapping tables, nil if there are none.
func (m *Mappings) Reverse() *Reversals {
	if m == nil {
		return nil
	}
	var list Reversals
	for space := range m {
		list[space] = reversal{&m[space], m[space].reversed()}
	}
	return &list
}

// Local returns the local id; ok is false if the table gives none that id.
func (r *reversal) Local(global uint64) (id uint64, ok bool) {
	id = r.back.Global(global)
	return id, r.Forward.Global(id) == global
}

// reversed returns the map from global ids to the greatest local ones: those that were given last.
func (m *idMap) reversed() idMap {
	var pairs []IDPair
	for _, p := range slices.Backward(m.pairs) {
		pairs = append(pairs, IDPair{p.Global, p.Local})
	}
	for local, global := range slices.Backward(m.dense) {
		pairs = append(pairs, IDPair{global, uint64(local)})
	}
	return NewIDMap(pairs)
}
