package form

import (
	"github.com/pandotrace/pando/trace"
)

// quirk is where the disk differs from the table of kinds.
type quirk struct {
	// fixed is the name of a number that has 8 bytes; numbers elsewhere are compressed.
	fixed string
	// compressedTime marks kinds whose TypeTime fields are compressed; elsewhere they have 8 bytes.
	compressedTime bool
	// compressedValue marks kinds whose TypeValue fields are compressed 64-bit integers, whatever their type.
	compressedValue bool
	// obsoleteAfter is the name of the field after which stands one of obsoleteWidth bytes that the model does not
	// have; writers of today still fill it for readers of old versions, with what obsolete gives.
	obsoleteAfter string
	obsoleteWidth uint8
	obsolete      func(words []uint64) uint64
	// appended is the name of the first field that a later version appended; missing gives those fields' values.
	appended string
	missing  func(words []uint64, obsolete uint64) []uint64
	// special names payloads that no steps describe, or that are read by a loop of their own.
	special special
	// computed is the name of a field that is not on disk.
	computed string
}

// special is a kind of payload with code of its own.
type special uint8

const (
	specialNone special = iota
	SpecialMetric
	SpecialMappingTable
)

const (
	Undefined32 = 1<<32 - 1
	// flagCreateDestroyEvents is a flag of windows that all had before there were flags.
	flagCreateDestroyEvents = 1
	paradigmUser            = 1
	paradigmCompiler        = 2
	paradigmOpenMP          = 3
	paradigmMPI             = 4
	flagDynamic             = 1
	flagPhase               = 2
)

var property = quirk{obsoleteAfter: "name", obsoleteWidth: 4, obsolete: valueOfString, appended: "type", missing: stringProperty}

var quirks = map[trace.Kind]quirk{
	trace.KindBufferFlush:    {computed: "stopResidual"},
	trace.KindMetric:         {compressedValue: true, special: SpecialMetric},
	trace.KindSnapshotMetric: {compressedValue: true},
	trace.KindMarker:         {compressedTime: true},

	trace.KindClockProperties: {appended: "realtimeTimestamp", missing: constant(trace.Undefined)},
	trace.KindAttribute:       {appended: "description", missing: constant(Undefined32)},
	trace.KindLocationGroup:   {appended: "creatingLocationGroup", missing: constant(Undefined32)},
	trace.KindMetricClass:     {appended: "recorderKind", missing: constant(0)},
	trace.KindComm:            {appended: "flags", missing: constant(0)},
	trace.KindRmaWin:          {appended: "flags", missing: constant(flagCreateDestroyEvents)},
	trace.KindRegion: {obsoleteAfter: "description", obsoleteWidth: 1, obsolete: typeOfRegion,
		appended: "canonicalName", missing: regionOfType},
	trace.KindGroup: {obsoleteAfter: "name", obsoleteWidth: 1, obsolete: typeOfGroup,
		appended: "groupType", missing: groupOfType},
	trace.KindSystemTreeNodeProperty: property,
	trace.KindLocationGroupProperty:  property,
	trace.KindLocationProperty:       property,

	trace.KindClockOffset:  {fixed: "time"},
	trace.KindMappingTable: {special: SpecialMappingTable},
}

// singles are the kinds of events of form S.
var singles = []trace.Kind{
	trace.KindEnter, trace.KindLeave, trace.KindMpiIsendComplete, trace.KindMpiIrecvRequest, trace.KindMpiRequestTest,
	trace.KindMpiRequestCancelled, trace.KindOmpFork, trace.KindOmpTaskCreate, trace.KindOmpTaskSwitch,
	trace.KindOmpTaskComplete,
}

func constant(v uint64) func([]uint64, uint64) []uint64 {
	return func(words []uint64, _ uint64) []uint64 { return append(words, v) }
}

// stringProperty completes a property of before version 2.0, when all values were strings.
func stringProperty(words []uint64, value uint64) []uint64 {
	return append(words, uint64(trace.ValueString), value)
}

// regionOfType completes a region of version 1.0, which had one type instead of role, paradigm and flags.
func regionOfType(words []uint64, obsolete uint64) []uint64 {
	r := struct{ role, paradigm, flags uint8 }{}
	if obsolete < uint64(len(regionTypes)) {
		r = regionTypes[obsolete]
	}
	name := words[1]
	return append(words, name, uint64(r.role), uint64(r.paradigm), uint64(r.flags))
}

// regionTypes are the roles, paradigms and flags of the obsolete types of regions, as the OTF2 library 3.0 gives them.
var regionTypes = [...]struct{ role, paradigm, flags uint8 }{
	0:  {},
	1:  {role: 1},                                                         // function
	2:  {role: 3, paradigm: paradigmUser},                                 // loop
	3:  {role: 1},                                                         // user region
	4:  {role: 27, paradigm: paradigmUser},                                // file
	5:  {role: 5, paradigm: paradigmOpenMP},                               // parallel
	6:  {role: 3, paradigm: paradigmOpenMP},                               // loop
	7:  {role: 6, paradigm: paradigmOpenMP},                               // sections
	8:  {role: 7, paradigm: paradigmOpenMP},                               // section
	9:  {role: 8, paradigm: paradigmOpenMP},                               // workshare
	10: {role: 9, paradigm: paradigmOpenMP},                               // single
	11: {role: 11, paradigm: paradigmOpenMP},                              // master
	12: {role: 12, paradigm: paradigmOpenMP},                              // critical
	13: {role: 14, paradigm: paradigmOpenMP},                              // atomic
	14: {role: 15, paradigm: paradigmOpenMP},                              // barrier
	15: {role: 16, paradigm: paradigmOpenMP},                              // implicit barrier
	16: {role: 17, paradigm: paradigmOpenMP},                              // flush
	17: {role: 13, paradigm: paradigmOpenMP},                              // critical block
	18: {role: 10, paradigm: paradigmOpenMP},                              // single block
	19: {role: 2, paradigm: paradigmOpenMP},                               // wrapper
	20: {role: 20, paradigm: paradigmOpenMP},                              // task
	21: {role: 22, paradigm: paradigmOpenMP},                              // task wait
	22: {role: 15, paradigm: paradigmMPI},                                 // barrier
	23: {role: 23, paradigm: paradigmMPI},                                 // one to all
	24: {role: 24, paradigm: paradigmMPI},                                 // all to one
	25: {role: 25, paradigm: paradigmMPI},                                 // all to all
	26: {role: 26, paradigm: paradigmMPI},                                 // other collective
	27: {role: 4, paradigm: paradigmUser},                                 // phase
	28: {role: 4, paradigm: paradigmUser, flags: flagDynamic},             // dynamic
	29: {role: 4, paradigm: paradigmUser, flags: flagDynamic | flagPhase}, // dynamic phase
	30: {role: 3, paradigm: paradigmUser, flags: flagDynamic},             // dynamic loop
	31: {role: 1, paradigm: paradigmUser, flags: flagDynamic},             // dynamic function
	32: {role: 3, paradigm: paradigmUser, flags: flagDynamic | flagPhase}, // dynamic loop phase
	33: {role: 21, paradigm: paradigmOpenMP},                              // task create
	34: {role: 18, paradigm: paradigmOpenMP},                              // ordered
	35: {role: 19, paradigm: paradigmOpenMP},                              // ordered block
}

// groupOfType completes a group of before version 1.2, which had another type instead of type, paradigm and flags.
func groupOfType(words []uint64, obsolete uint64) []uint64 {
	g := struct{ groupType, paradigm uint8 }{}
	if obsolete < uint64(len(groupTypes)) {
		g = groupTypes[obsolete]
	}
	return append(words, uint64(g.groupType), uint64(g.paradigm), 0)
}

// groupTypes are the types and paradigms of the obsolete types of groups, as the OTF2 library 3.0 gives them.
var groupTypes = [...]struct{ groupType, paradigm uint8 }{
	0: {},
	1: {groupType: 1},                        // locations
	2: {groupType: 2},                        // regions
	3: {groupType: 2},                        // metrics
	4: {groupType: 5, paradigm: paradigmMPI}, // communicator
	5: {groupType: 6, paradigm: paradigmMPI}, // self
	6: {groupType: 4, paradigm: paradigmMPI}, // locations of communicators
}
