package convert

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Feature is something that traces of some formats can hold, and those of others cannot.
type Feature struct {
	// Name is short; Doc says what it is.
	Name, Doc string
	// shows reports whether a kind of record holds it. The feature of attributes is no kind's.
	shows func(k trace.Kind) bool
}

var features = []Feature{
	{"calls", "calls of functions, one inside the other", kinds(trace.KindEnter, trace.KindLeave)},
	{"call paths", "calls told by their paths, and samples of them", between(trace.KindCallingContextEnter, trace.KindCallingContextSample)},
	{"states", "states that may overlap", kinds(trace.KindIntervalBegin, trace.KindSpanBegin)},
	{"messages", "messages between processes", kinds(trace.KindMpiSend, trace.KindMpiRecv)},
	{"requests", "begin and end of operations that do not block", kinds(trace.KindMpiIsend, trace.KindMpiIrecvRequest, trace.KindMpiIrecv)},
	{"collectives", "collective operations", kinds(trace.KindMpiCollectiveEnd, trace.KindCollective, trace.KindMpeCollective)},
	{"one-sided", "one-sided communication", either(between(trace.KindRmaPut, trace.KindRmaAtomic), between(trace.KindProcessRmaPut, trace.KindProcessRmaEnd))},
	{"threads", "teams of threads, their tasks and locks", between(trace.KindThreadFork, trace.KindThreadEnd)},
	{"files", "operations on files", either(between(trace.KindIoCreateHandle, trace.KindIoTryLock), between(trace.KindFileOperation, trace.KindFileOperationEnd))},
	{"counters", "values of counters", kinds(trace.KindMetric)},
	{"notes", "texts, values and events of the program's own", either(kinds(trace.KindComment, trace.KindSoloEvent, trace.KindPhaseEvent), between(trace.KindParameterString, trace.KindParameterUnsignedInt))},
	{attributeFeature, "values attached to events", nil},
	{"clocks", "corrections of clocks", kinds(trace.KindClockOffset, trace.KindMpeTimeShift)},
	{"snapshots", "the state of a process at some times", between(trace.KindSnapshotEnter, trace.KindSnapshotCollectiveCount)},
	{"statistics", "sums over what a process did", between(trace.KindStatisticsRegion, trace.KindStatisticsFileGroup)},
	{"markers", "remarks on the trace", kinds(trace.KindMarker)},
	{"thumbnails", "small pictures of the trace", kinds(trace.KindThumbSample)},
}

const attributeFeature = "attributes"

// Features lists what traces can hold.
func Features() []Feature { return slices.Clone(features) }

// Has reports whether traces of the format can hold a feature, by its name.
func (f *Format) Has(feature string) bool {
	return f.holds == nil || slices.Contains(f.holds, feature)
}

func kinds(list ...trace.Kind) func(trace.Kind) bool {
	return func(k trace.Kind) bool { return slices.Contains(list, k) }
}

func between(first, last trace.Kind) func(trace.Kind) bool {
	return func(k trace.Kind) bool { return k >= first && k <= last }
}

func either(a, b func(trace.Kind) bool) func(trace.Kind) bool {
	return func(k trace.Kind) bool { return a(k) || b(k) }
}
