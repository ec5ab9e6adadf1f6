package edit

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// denseIDs is how many ids of a space are looked up in a slice; the rest is in a map.
const denseIDs = 1 << 16

// idMap gives the ids of one trace's space their ids in the merged one.
type idMap struct {
	dense  []uint64 // id + 1; 0 for none
	sparse map[uint64]uint64
}

func (m *idMap) get(id uint64) (uint64, bool) {
	if id < uint64(len(m.dense)) && m.dense[id] > 0 {
		return m.dense[id] - 1, true
	}
	to, ok := m.sparse[id]
	return to, ok
}

// all goes over the ids, in no order.
func (m *idMap) all(yield func(id, to uint64) bool) {
	for id, to := range m.dense {
		if to > 0 && !yield(uint64(id), to-1) {
			return
		}
	}
	for id, to := range m.sparse {
		if !yield(id, to) {
			return
		}
	}
}

func (m *idMap) set(id, to uint64) {
	if id < denseIDs && to < trace.Undefined {
		for uint64(len(m.dense)) <= id {
			m.dense = append(m.dense, 0)
		}
		m.dense[id] = to + 1
		return
	}
	if m.sparse == nil {
		m.sparse = map[uint64]uint64{}
	}
	m.sparse[id] = to
}

// spaces is the number of spaces of ids, and one more.
const spaces = int(trace.SpaceCategory) + 1

// idPool gives out ids that are not in use yet.
type idPool struct {
	used [spaces]map[uint64]bool
	next [spaces]uint64
}

// take returns a free id of a space: the one that is wished if it is free.
func (p *idPool) take(space trace.Space, wish uint64) (uint64, error) {
	if p.used[space] == nil {
		p.used[space] = map[uint64]bool{}
	}
	used := p.used[space]
	id := wish
	for used[id] {
		id = p.next[space]
		p.next[space]++
	}
	if id >= limitOf(space) && id != wish {
		return 0, fmt.Errorf("the traces together have more than %d ids of one kind", id)
	}
	used[id] = true
	return id, nil
}

// limitOf returns the undefined id of a space.
func limitOf(space trace.Space) uint64 {
	switch space {
	case trace.SpaceLocation:
		return trace.Undefined
	case trace.SpaceParadigm, trace.SpaceIoParadigm:
		return 1<<8 - 1
	}
	return 1<<32 - 1
}
