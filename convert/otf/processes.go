package otf

import (
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// processes defines locations and their groups: a process with a parent is a thread of it.
func (m *modeler) processes() {
	m.findProcesses()
	types, groups := m.locationTypes(), map[uint64]bool{}
	m.masters = newLookup(len(m.parents))
	for _, p := range m.order {
		master := m.master(p)
		if master != p {
			m.masters.add(uint32(p), uint32(master))
		}
		if !groups[master] {
			groups[master] = true
			m.put(trace.KindLocationGroup, nil, master, m.nameOf(master), locationGroupProcess, noID, noID)
		}
		m.put(trace.KindLocation, nil, p, m.names[p], types[p], 0, master)
	}
}

// findProcesses finds all processes: those that are defined, then those that only the index has.
func (m *modeler) findProcesses() {
	add := func(p, name uint64) {
		if _, ok := m.names[p]; !ok {
			m.names[p] = name
			m.order = append(m.order, p)
		}
	}
	m.each(trace.KindOtfProcess, func(_ int, r *trace.Record) {
		p, parent := r.Words[1], r.Words[3]
		if _, ok := m.names[p]; !ok && parent != 0 && parent != p {
			m.parents[p] = parent
		}
		add(p, m.str(r.TextOf(r.Words[2])))
	})
	for _, s := range m.index.streams {
		for _, p := range s.processes {
			add(p, noID)
		}
	}
}

func (m *modeler) nameOf(process uint64) uint64 {
	if name, ok := m.names[process]; ok {
		return name
	}
	return noID
}

// master follows parents up to the first process without one. Circles end where they began.
func (m *modeler) master(p uint64) uint64 {
	const most = 64 // generations
	master := p
	for range most {
		parent, ok := m.parents[master]
		if !ok {
			return master
		}
		master = parent
	}
	return p
}

// locationTypes returns the types of all processes: those whose attributes say so are accelerators, others threads.
func (m *modeler) locationTypes() map[uint64]uint64 {
	types := map[uint64]uint64{}
	for _, p := range m.order {
		types[p] = locationCPU
	}
	m.each(trace.KindOtfProcessOrGroupAttributes, func(_ int, r *trace.Record) {
		list, ok := m.find(trace.KindOtfAttributeList, r.Words[0], r.Words[2])
		if ok && slices.ContainsFunc(list.Words[3:], isAccelerator) {
			types[r.Words[1]] = locationAccelerator
		}
	})
	return types
}

func isAccelerator(code uint64) bool {
	return code == attributeCellThread || code == attributeCudaThread
}

// groups defines process groups as communicators, and the one of all processes.
func (m *modeler) groups() {
	m.ranks = m.rankOrder()
	m.all = &communicator{ranks: newLookup(len(m.ranks))}
	for i, p := range m.ranks {
		m.all.ranks.add(uint32(p), uint32(i))
	}
	m.all.id = 0 // records without a communicator have 0
	if m.used[trace.SpaceComm][0] {
		m.all.id = m.fresh(trace.SpaceComm)
	}
	m.use(trace.SpaceComm, m.all.id)
	name := m.str("all processes")
	m.group(m.all.id, name, groupCommLocations, paradigmMPI, m.ranks)
	m.put(trace.KindComm, nil, m.all.id, name, m.all.id, noID, 0)
	m.eachNew(trace.KindOtfProcessGroup, func(id uint64, r *trace.Record) {
		var ranks []uint64
		for _, p := range membersOf(r) {
			rank, _ := m.all.ranks.find(uint32(p))
			ranks = append(ranks, uint64(rank))
		}
		name := m.str(r.TextOf(r.Words[len(r.Words)-1]))
		m.group(id, name, groupComm, paradigmMPI, ranks)
		m.put(trace.KindComm, nil, id, name, id, noID, 0)
	})
}

// membersOf returns the members of a process group.
func membersOf(group *trace.Record) []uint64 { return group.Words[3 : 3+group.Words[2]] }

func (m *modeler) group(id, name uint64, typ, paradigm uint64, members []uint64) {
	words := append([]uint64{id, name, uint64(len(members))}, members...)
	m.put(trace.KindGroup, nil, append(words, typ, paradigm, 0)...)
}

// rankOrder returns all processes that may send messages: first the members of the world communicator, if there is
// one, then all that are nobody's threads, then the other members of groups.
func (m *modeler) rankOrder() (order []uint64) {
	seen := map[uint64]bool{}
	add := func(processes []uint64) {
		for _, p := range processes {
			if !seen[p] {
				seen[p] = true
				order = append(order, p)
			}
		}
	}
	m.each(trace.KindOtfProcessGroup, func(_ int, r *trace.Record) {
		if strings.Contains(r.TextOf(r.Words[len(r.Words)-1]), "COMM_WORLD") {
			add(membersOf(r))
		}
	})
	for _, p := range m.order {
		if m.master(p) == p {
			add([]uint64{p})
		}
	}
	m.each(trace.KindOtfProcessGroup, func(_ int, r *trace.Record) { add(membersOf(r)) })
	return order
}
