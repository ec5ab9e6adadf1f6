package tracegen

import "github.com/pandotrace/pando/trace"

// Values of enumerations that the definitions here use.
const (
	paradigmMPI = 4

	groupCommLocations = 4
	groupCommGroup     = 5
	groupCommSelf      = 6

	flagGlobalMembers = 1

	// undefined32 is the undefined reference of 32-bit fields.
	undefined32 = trace.Undefined >> 32
)

// Define adds a definition. Its kind must have no text fields; see [Trace.String] and [Trace.DefineRecord].
func (t *Trace) Define(kind trace.Kind, words ...uint64) {
	t.DefineRecord(trace.Record{Kind: kind, Words: words})
}

// DefineRecord adds a definition.
func (t *Trace) DefineRecord(r trace.Record) { t.log = append(t.log, r) }

// DefineLate adds a definition that the source does not know before all its events were read.
func (t *Trace) DefineLate(r trace.Record) { t.late = append(t.late, r) }

// newID gives out the ids of a space, from 0.
func (t *Trace) newID(space trace.Space) uint64 {
	id := t.ids[space]
	t.ids[space]++
	return id
}

// String returns the id of a string, which it defines at its first use.
func (t *Trace) String(s string) uint64 {
	if id, ok := t.strings[s]; ok {
		return id
	}
	id := t.newID(trace.SpaceString)
	t.strings[s] = id
	t.DefineRecord(stringRecord(id, s))
	return id
}

func stringRecord(id uint64, s string) trace.Record {
	r := trace.Record{Kind: trace.KindString}
	r.Words = []uint64{id, r.PutText(s)}
	return r
}

// Region defines a region.
func (t *Trace) Region(name string) uint64 {
	text := t.String(name)
	id := t.newID(trace.SpaceRegion)
	t.Define(trace.KindRegion, id, text, undefined32, undefined32, 0, 0, text, 1, paradigmMPI, 0)
	return id
}

// Context defines a calling context of a region below a parent (all ones in 32 bits for none).
func (t *Trace) Context(region, parent uint64) uint64 {
	id := t.newID(trace.SpaceCallingContext)
	t.Define(trace.KindCallingContext, id, region, undefined32, parent)
	return id
}

// Process defines a location group.
func (t *Trace) Process(name string) uint64 {
	text := t.String(name)
	id := t.newID(trace.SpaceLocationGroup)
	t.Define(trace.KindLocationGroup, id, text, 1, undefined32, undefined32)
	return id
}

// Location defines a location of a process and returns the batch of its events.
func (t *Trace) Location(id, process uint64) *trace.Batch {
	t.Define(trace.KindLocation, id, t.String("location"), 1, 0, process)
	return t.Events(id)
}

// CommLocations defines the group that ranks of all communicators refer to in the end: one location for each process.
// A trace has one.
func (t *Trace) CommLocations(locations ...uint64) uint64 {
	return t.group(groupCommLocations, 0, locations)
}

// CommGroup defines a group of ranks in the group of [Trace.CommLocations].
func (t *Trace) CommGroup(ranks ...uint64) uint64 { return t.group(groupCommGroup, 0, ranks) }

// GlobalGroup defines a group whose members keep the ranks that they have in the group of [Trace.CommLocations].
func (t *Trace) GlobalGroup(ranks ...uint64) uint64 {
	return t.group(groupCommGroup, flagGlobalMembers, ranks)
}

// SelfGroup defines the group that every process has for itself.
func (t *Trace) SelfGroup() uint64 { return t.group(groupCommSelf, 0, nil) }

func (t *Trace) group(kind, flags uint64, members []uint64) uint64 {
	id := t.newID(trace.SpaceGroup)
	words := append([]uint64{id, t.String("group"), uint64(len(members))}, members...)
	t.Define(trace.KindGroup, append(words, kind, paradigmMPI, flags)...)
	return id
}

// Comm defines the communicator of a group.
func (t *Trace) Comm(group uint64) uint64 {
	id := t.newID(trace.SpaceComm)
	t.Define(trace.KindComm, id, t.String("communicator"), group, undefined32, 0)
	return id
}

// InterComm defines the communicator between two groups.
func (t *Trace) InterComm(groupA, groupB uint64) uint64 {
	id := t.newID(trace.SpaceComm)
	t.Define(trace.KindInterComm, id, t.String("inter-communicator"), groupA, groupB, undefined32, 0)
	return id
}
