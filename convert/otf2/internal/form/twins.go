package form

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Twins are local ids of a location that refer to the same definition. Events have the global id. A record EventLocalId before an event
// changes the twin that this event and later ones had in the archive; before the first such record it is the greatest twin, which was
// defined last.

// FindTwins finds the twins of a table.
func (m *idMap) FindTwins() {
	globals := slices.Clone(m.dense)
	for _, p := range m.pairs {
		globals = append(globals, p.Global)
	}
	slices.Sort(globals)
	for i, g := range globals {
		if i > 0 && g == globals[i-1] {
			if m.Shared == nil {
				m.Shared, m.Twins = map[uint64]uint64{}, make([]bool, len(m.dense))
			}
			m.Shared[g] = 0
		}
	}
	if m.Shared != nil {
		m.nameTwins()
	}
}

func (m *idMap) nameTwins() {
	for local, g := range m.dense {
		if _, shared := m.Shared[g]; shared {
			m.Shared[g], m.Twins[local] = uint64(local), true
		}
	}
	for _, p := range m.pairs {
		if _, shared := m.Shared[p.Global]; shared {
			m.Shared[p.Global] = p.Local
		}
	}
}

// IsTwin reports whether the local id of a global one has twins.
func (m *idMap) IsTwin(local, global uint64) bool {
	if local < uint64(len(m.Twins)) {
		return m.Twins[local]
	}
	_, shared := m.Shared[global]
	return shared
}

// SharedID is a definition that has several local ids.
type SharedID struct {
	Space  trace.Space
	Global uint64
}

// TwinState is which of the twins is in use, where that is not the greatest one.
type TwinState map[SharedID]uint64
