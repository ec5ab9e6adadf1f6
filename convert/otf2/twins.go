package otf2

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Several local ids of a location may stand for one definition; these are twins. Events have the global id. Which of the twins it was is
// told by records EventLocalId, each before the event from which on it is another one. To begin with it is the greatest, which was
// given last.

// findTwins finds the twins of a table.
func (m *idMap) findTwins() {
	globals := slices.Clone(m.dense)
	for _, p := range m.pairs {
		globals = append(globals, p.global)
	}
	slices.Sort(globals)
	for i, g := range globals {
		if i > 0 && g == globals[i-1] {
			if m.shared == nil {
				m.shared, m.twins = map[uint64]uint64{}, make([]bool, len(m.dense))
			}
			m.shared[g] = 0
		}
	}
	if m.shared != nil {
		m.nameTwins()
	}
}

func (m *idMap) nameTwins() {
	for local, g := range m.dense {
		if _, shared := m.shared[g]; shared {
			m.shared[g], m.twins[local] = uint64(local), true
		}
	}
	for _, p := range m.pairs {
		if _, shared := m.shared[p.global]; shared {
			m.shared[p.global] = p.local
		}
	}
}

// isTwin reports whether a local id, which stands for a global one, has twins.
func (m *idMap) isTwin(local, global uint64) bool {
	if local < uint64(len(m.twins)) {
		return m.twins[local]
	}
	_, shared := m.shared[global]
	return shared
}

// sharedID is a definition that has several local ids.
type sharedID struct {
	space  trace.Space
	global uint64
}

// twinUse says that a record has one of them.
type twinUse struct {
	sharedID
	local uint64
}

// twinState is which of the twins is in use, where that is not the greatest one.
type twinState map[sharedID]uint64

// note keeps that the record that is being read has a local id that has twins.
func (d *decoder) note(space trace.Space, local, global uint64) {
	if d.maps[space].isTwin(local, global) {
		d.used = append(d.used, twinUse{sharedID{space, global}, local})
	}
}

// global translates an id of the record that is being read.
func (d *decoder) global(space trace.Space, local uint64) uint64 {
	g := d.maps[space].global(local)
	if d.maps[space].shared != nil {
		d.note(space, local, g)
	}
	return g
}

// inUse reports whether a local id is the one that is in use for a definition.
func (d *decoder) inUse(space trace.Space, local, global uint64) bool {
	if !d.maps[space].isTwin(local, global) {
		return true
	}
	now, ok := d.twins[sharedID{space, global}]
	if !ok {
		now = d.maps[space].shared[global]
	}
	return now == local
}

// settle takes the record's ids into use that are not, and keeps which these are. Of two that stand for one definition the later one
// counts.
func (d *decoder) settle() {
	d.settled = true
	if !slices.ContainsFunc(d.used, func(u twinUse) bool { return !d.inUse(u.space, u.local, u.global) }) {
		return
	}
	if d.twins == nil {
		d.twins = twinState{}
	}
	last := twinState{}
	for _, u := range d.used {
		last[u.sharedID] = u.local
	}
	for _, u := range d.used {
		if local := last[u.sharedID]; !d.inUse(u.space, local, u.global) {
			d.twins[u.sharedID] = local
			d.changes = append(d.changes, twinUse{u.sharedID, local})
		}
	}
}

// putChange appends the next record that says which local id is in use from the next event on.
func (s *stream) putChange(b *trace.Batch) {
	u := s.changes[0]
	s.changes = s.changes[1:]
	b.Words = append(b.Words, uint64(u.space), u.local)
	attrs := s.attrs
	s.attrs = nil
	s.finish(b, trace.KindEventLocalID)
	s.attrs = attrs
}

// takeTwin takes a local id into use. It reports whether that is one of twins.
func (e *encoder) takeTwin(space, local uint64) bool {
	if e.maps == nil || space >= uint64(len(e.maps)) {
		return false
	}
	m := e.maps[space].forward
	global := m.global(local)
	if m.shared == nil || !m.isTwin(local, global) {
		return false
	}
	if e.twins == nil {
		e.twins = twinState{}
	}
	e.twins[sharedID{trace.Space(space), global}] = local
	return true
}
