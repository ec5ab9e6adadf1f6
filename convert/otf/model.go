package otf

import "github.com/pandotrace/pando/trace"

// Numbers of the model's enumerations.
const (
	paradigmUnknown = 0
	paradigmMPI     = 4
	classProcess    = 0

	groupRegions       = 2
	groupCommLocations = 4
	groupComm          = 5

	locationGroupProcess = 1
	locationCPU          = 1
	locationAccelerator  = 2

	metricOther         = 0
	occurrenceAnytime   = 1 // SYNCHRONOUS
	recorderUnknown     = 0
	baseDecimal         = 1
	attributeCellThread = 4
	attributeCudaThread = 8
)

// modeler makes definitions of the model from those of the files.
type modeler struct {
	*definitions
	index   *index
	out     []trace.Record
	strings map[string]uint64
	special special

	names   map[uint64]uint64 // of processes, as ids of strings
	order   []uint64          // processes, as defined; then those that only the index knows
	parents map[uint64]uint64
	ranks   []uint64 // processes in the order of their ranks among all
	all     *communicator
	masters *lookup
	others  *lookup
	global  *scope
}

// model makes the model of definitions. The scopes of streams are complete afterwards.
func model(d *definitions, x *index) *modeler {
	m := &modeler{definitions: d, index: x, strings: map[string]uint64{}, names: map[uint64]uint64{}, parents: map[uint64]uint64{}}
	m.out = append(m.out, d.clock)
	m.put(trace.KindParadigm, nil, paradigmMPI, m.str("MPI"), classProcess)
	m.attributes()
	m.processes()
	m.groups()
	m.sources()
	m.regions()
	m.counters()
	m.files()
	m.scopesOf()
	return m
}

// put appends a definition. Texts are those of text fields, in order.
func (m *modeler) put(kind trace.Kind, texts []string, words ...uint64) {
	r := trace.Record{Kind: kind, Words: words}
	for _, t := range texts {
		r.Words = append(r.Words, r.PutText(t))
	}
	m.out = append(m.out, r)
}

// str returns the id of a string, which is defined when it first occurs.
func (m *modeler) str(s string) uint64 {
	id, ok := m.strings[s]
	if !ok {
		id = uint64(len(m.strings))
		m.strings[s] = id
		m.put(trace.KindString, []string{s}, id)
	}
	return id
}

// each calls visit for the definitions of a kind in order.
func (m *modeler) each(kind trace.Kind, visit func(i int, r *trace.Record)) {
	for i := range m.log {
		if m.log[i].Kind == kind {
			visit(i, &m.log[i])
		}
	}
}

// ofKind returns the definitions of a kind in order.
func (m *modeler) ofKind(kind trace.Kind) (list []*trace.Record) {
	m.each(kind, func(_ int, r *trace.Record) { list = append(list, r) })
	return list
}

// eachNew calls visit for the definitions of a kind that are not yet in the model, with the ids that they have there.
func (m *modeler) eachNew(kind trace.Kind, visit func(id uint64, r *trace.Record)) {
	m.each(kind, func(i int, r *trace.Record) {
		if id, isNew := m.idOf(i); isNew {
			visit(id, r)
		}
	})
}

// attributes defines the keys of attributes, and those that hold what fields cannot.
func (m *modeler) attributes() {
	m.eachNew(trace.KindOtfKey, func(id uint64, r *trace.Record) {
		w := r.Words
		typ := trace.ValueNone
		if w[2] < uint64(len(attributeTypes)) {
			typ = attributeTypes[w[2]].typ
		}
		m.put(trace.KindAttribute, nil, id, m.str(r.TextOf(w[3])), uint64(typ), m.str(r.TextOf(w[4])))
	})
	add := func(typ trace.ValueType, name, description string) uint64 {
		id := m.fresh(trace.SpaceAttribute)
		m.put(trace.KindAttribute, nil, id, m.str(name), uint64(typ), m.str(description))
		return id
	}
	m.special = special{
		source:       add(trace.ValueSourceCodeLocation, "otf.source", "source location of the record"),
		communicator: add(trace.ValueComm, "otf.communicator", "communicator of the record, where it lacks one of the two processes"),
		process:      add(trace.ValueLocation, "otf.process", "peer or root of the record, where its rank does not tell it"),
		matchingID:   add(trace.ValueUint64, "otf.matchId", "number that begin and end of the operation share"),
		collective:   add(trace.ValueUint32, "otf.collective", "collective operation, where the record's own code does not tell it"),
	}
}

// sources defines source locations.
func (m *modeler) sources() {
	m.eachNew(trace.KindOtfSourceLocation, func(id uint64, r *trace.Record) {
		m.put(trace.KindSourceCodeLocation, nil, id, m.fileOf(r), r.Words[3])
	})
}

// fileOf returns the name of the file of a source location, as the id of a string.
func (m *modeler) fileOf(source *trace.Record) uint64 {
	if f, ok := m.find(trace.KindOtfSourceFile, source.Words[0], source.Words[2]); ok {
		return m.str(f.TextOf(f.Words[2]))
	}
	return noID
}

// regions defines functions as regions, and their groups.
func (m *modeler) regions() {
	members := map[entry][]uint64{}
	m.eachNew(trace.KindOtfFunction, func(id uint64, r *trace.Record) {
		w := r.Words
		name, file, line := m.str(r.TextOf(w[3])), uint64(noID), uint64(0)
		if s, ok := m.find(trace.KindOtfSourceLocation, w[0], w[4]); ok {
			file, line = m.fileOf(s), s.Words[3]
		}
		m.put(trace.KindRegion, nil, id, name, noID, file, line, 0, name, 0, paradigmUnknown, 0)
		if g, ok := m.find(trace.KindOtfFunctionGroup, w[0], w[2]); ok {
			e := entry{g.Kind, g.Words[0], g.Words[1]}
			members[e] = append(members[e], id)
		}
	})
	m.each(trace.KindOtfFunctionGroup, func(i int, r *trace.Record) {
		e := entry{r.Kind, r.Words[0], r.Words[1]}
		if m.first[e] == i {
			m.group(m.fresh(trace.SpaceComm), m.str(r.TextOf(r.Words[2])), groupRegions, paradigmUnknown, members[e])
		}
	})
}

// counters defines counters as metrics of one member.
func (m *modeler) counters() {
	m.eachNew(trace.KindOtfCounter, func(id uint64, r *trace.Record) {
		w := r.Words
		group := uint64(noID)
		if g, ok := m.find(trace.KindOtfCounterGroup, w[0], w[2]); ok {
			group = m.str(g.TextOf(g.Words[2]))
		}
		mode := w[4]&3 | w[4]&12<<2 // kind and scope
		m.put(trace.KindMetricMember, nil, id, m.str(r.TextOf(w[3])), group, metricOther, mode,
			uint64(counterType(w[4])), baseDecimal, 0, m.str(r.TextOf(w[5])))
		m.put(trace.KindMetricClass, nil, id, 1, id, occurrenceAnytime, recorderUnknown)
	})
}

// counterTypes are the types of values of counters, by their bits in the properties.
var counterTypes = [16]trace.ValueType{0: trace.ValueUint64, 1: trace.ValueInt64, 2: trace.ValueUint32, 3: trace.ValueInt32,
	4: trace.ValueUint16, 5: trace.ValueInt16, 8: trace.ValueFloat, 9: trace.ValueDouble}

// counterType returns the type of a counter's values; unknown ones are taken for unsigned integers.
func counterType(properties uint64) trace.ValueType {
	if t := counterTypes[properties>>5&15]; t != trace.ValueNone {
		return t
	}
	return trace.ValueUint64
}

// files defines files.
func (m *modeler) files() {
	m.eachNew(trace.KindOtfFile, func(id uint64, r *trace.Record) {
		m.put(trace.KindIoRegularFile, nil, id, m.str(r.TextOf(r.Words[2])), noID)
	})
}
