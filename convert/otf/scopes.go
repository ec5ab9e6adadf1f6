package otf

import (
	"strings"

	"github.com/pandotrace/pando/trace"
)

// scopesOf completes the scopes: that of the whole trace, and those of the streams with definitions of their own.
func (m *modeler) scopesOf() {
	m.others = counterTypesOf(m.ofKind(trace.KindOtfCounter))
	m.global = &scope{}
	m.complete(m.global, 0)
	for _, stream := range m.streams {
		m.complete(m.scope(stream), stream)
	}
}

// scopeOf returns the scope of a stream.
func (m *modeler) scopeOf(stream uint64) *scope {
	if s := m.scopes[stream]; s != nil {
		return s
	}
	return m.global
}

// complete fills in what a stream means by the ids of counters, collective operations and communicators.
func (m *modeler) complete(s *scope, stream uint64) {
	s.all, s.masters, s.others = m.all, m.masters, m.others
	s.counters = counterTypesOf(m.visible(trace.KindOtfCounter, stream))
	s.operations = operations(m.visible(trace.KindOtfCollective, stream))
	s.communicators = map[uint32]*communicator{}
	for _, r := range m.visible(trace.KindOtfProcessGroup, stream) {
		s.communicators[uint32(r.Words[1])] = m.communicator(s, r)
	}
}

// counterTypesOf returns the types of the values of counters; the first definition of each counts.
func counterTypesOf(counters []*trace.Record) *lookup {
	types := newLookup(len(counters))
	for _, r := range counters {
		types.add(uint32(r.Words[1]), uint32(counterType(r.Words[4])))
	}
	return types
}

// visible returns the definitions of a kind that count in a stream: its own, and those of the whole trace that it does not define
// anew.
func (m *modeler) visible(kind trace.Kind, stream uint64) (list []*trace.Record) {
	for i := m.spans[0][0]; i < m.spans[0][1]; i++ {
		r := &m.log[i]
		if _, own := m.first[entry{kind, stream, r.Words[1]}]; r.Kind == kind && m.isFirst(i) && (stream == 0 || !own) {
			list = append(list, r)
		}
	}
	for i := m.spans[stream][0]; i < m.spans[stream][1] && stream != 0; i++ {
		if r := &m.log[i]; r.Kind == kind && m.isFirst(i) {
			list = append(list, r)
		}
	}
	return list
}

// isFirst reports whether no definition before says what definition i of the log says.
func (m *modeler) isFirst(i int) bool {
	r := &m.log[i]
	return m.first[entry{r.Kind, r.Words[0], r.Words[1]}] == i
}

// communicator returns the communicator of a process group; those of the whole trace are made once.
func (m *modeler) communicator(s *scope, group *trace.Record) *communicator {
	token := uint32(group.Words[1])
	if group.Words[0] == 0 && s != m.global {
		return m.global.communicators[token]
	}
	c := &communicator{id: s.ids[trace.SpaceComm].of(uint64(token)), ranks: newLookup(int(group.Words[2]))}
	for i, p := range membersOf(group) {
		c.ranks.add(uint32(p), uint32(i))
	}
	return c
}

// codes are the numbers of the model's collective operations by their names in MPI.
var codes = func() map[string]uint8 {
	const known = 23
	codes := map[string]uint8{}
	for code := range uint8(known) {
		codes[trace.EnumCollectiveOp.Format(uint64(code))] = code
	}
	return codes
}()

// Types of collective operations in the file.
const typeBarrier = 1

// operations gives collective operations their codes: by their names, if they are those of MPI; the first one of a
// name has only its code.
func operations(list []*trace.Record) map[uint32]operation {
	ops, taken := map[uint32]operation{}, map[uint8]bool{}
	for _, r := range list {
		name := strings.ToUpper(r.TextOf(r.Words[2]))
		code, ok := codes[strings.TrimPrefix(name, "MPI_")]
		o := operation{code: code, exact: ok && !taken[code]}
		switch {
		case ok:
			taken[code] = true
		case r.Words[3] == typeBarrier:
			o.code = codes["BARRIER"]
		default:
			o.code = noOperation
		}
		ops[uint32(r.Words[1])] = o
	}
	return ops
}
