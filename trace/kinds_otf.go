package trace

// Kinds that OTF 1 brought in: its events, definitions and snapshots without an equal among those of OTF2, and its
// statistics. Most of them serve any format.

const firstOtfEvent = 96

// Kinds of events.
const (
	// KindProcessBegin is the begin of a location's life, KindProcessEnd its end.
	KindProcessBegin Kind = firstOtfEvent + 0
	KindProcessEnd   Kind = firstOtfEvent + 1
	// KindComment is a text at some time; it stands in auxiliary streams, too.
	KindComment Kind = firstOtfEvent + 2
	// KindNoOperation is nothing but a carrier of attributes.
	KindNoOperation Kind = firstOtfEvent + 3
	// KindFileOperation is a whole operation on a file, recorded at its begin.
	KindFileOperation      Kind = firstOtfEvent + 4
	KindFileOperationBegin Kind = firstOtfEvent + 5
	KindFileOperationEnd   Kind = firstOtfEvent + 6
	// KindProcessRmaPut and its like are one-sided operations that name processes instead of ranks of a window. KindProcessRmaEnd
	// ends all that are open with its communicator and tag.
	KindProcessRmaPut          Kind = firstOtfEvent + 7
	KindProcessRmaPutRemoteEnd Kind = firstOtfEvent + 8
	KindProcessRmaGet          Kind = firstOtfEvent + 9
	KindProcessRmaEnd          Kind = firstOtfEvent + 10
	// KindCollective is a location's part of a collective operation, recorded at its begin, whose end cannot stand as an event
	// of its own.
	KindCollective Kind = firstOtfEvent + 11
	// KindCollectiveUnended says what an MpiCollectiveBegin before was, for which no end came.
	KindCollectiveUnended Kind = firstOtfEvent + 12
	// KindCollectiveUnbegun is the end of a collective operation without a begin.
	KindCollectiveUnbegun Kind = firstOtfEvent + 13
	// KindAttributeBytes is an entry of the attribute list of the next record that has no place in it, being longer than a
	// word; it stands in auxiliary streams, too.
	KindAttributeBytes Kind = firstOtfEvent + 14
)

var otfEventSpecs = []Spec{
	{ID: KindProcessBegin, Name: "ProcessBegin"},
	{ID: KindProcessEnd, Name: "ProcessEnd"},
	{ID: KindComment, Name: "Comment", Fields: []Field{text("text").value()}},
	{ID: KindNoOperation, Name: "NoOperation"},
	{ID: KindFileOperation, Name: "FileOperation", Fields: []Field{ref("file", SpaceIoFile, 32).key(), num("handleId", 64), enum("operation", 8, EnumFileOperation), flags("operationFlags", EnumFileOperationFlag), num("bytes", 64).value(), duration("duration").value()}},
	{ID: KindFileOperationBegin, Name: "FileOperationBegin", Fields: []Field{num("matchingId", 64).value()}, Pairs: []Pair{opens(PairIo, ByKey, "matchingId")}},
	{ID: KindFileOperationEnd, Name: "FileOperationEnd", Fields: []Field{ref("file", SpaceIoFile, 32).key(), num("matchingId", 64).value(), num("handleId", 64), enum("operation", 8, EnumFileOperation), flags("operationFlags", EnumFileOperationFlag), num("bytes", 64).value()}, Pairs: []Pair{closes(PairIo, ByKey, "matchingId")}},
	{ID: KindProcessRmaPut, Name: "ProcessRmaPut", Fields: []Field{ref("origin", SpaceLocation, 64), ref("target", SpaceLocation, 64), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("bytes", 64)}, Pairs: []Pair{opens(PairRma, ByKey, "communicator", "msgTag")}},
	{ID: KindProcessRmaPutRemoteEnd, Name: "ProcessRmaPutRemoteEnd", Fields: []Field{ref("origin", SpaceLocation, 64), ref("target", SpaceLocation, 64), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("bytes", 64)}, Pairs: []Pair{opens(PairRma, ByKey, "communicator", "msgTag")}},
	{ID: KindProcessRmaGet, Name: "ProcessRmaGet", Fields: []Field{ref("origin", SpaceLocation, 64), ref("target", SpaceLocation, 64), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("bytes", 64)}, Pairs: []Pair{opens(PairRma, ByKey, "communicator", "msgTag")}},
	{ID: KindProcessRmaEnd, Name: "ProcessRmaEnd", Fields: []Field{ref("remote", SpaceLocation, 64), ref("communicator", SpaceComm, 32), num("msgTag", 32)}, Pairs: []Pair{closes(PairRma, ByKey, "communicator", "msgTag")}},
	{ID: KindCollective, Name: "Collective", Fields: []Field{num("collective", 32).key(), ref("communicator", SpaceComm, 32), ref("root", SpaceLocation, 64), num("sizeSent", 64), num("sizeReceived", 64), duration("duration").value()}},
	{ID: KindCollectiveUnended, Name: "CollectiveUnended", Fields: []Field{num("matchingId", 64).value(), num("collective", 32), ref("communicator", SpaceComm, 32), ref("root", SpaceLocation, 64), num("sizeSent", 64), num("sizeReceived", 64)}},
	{ID: KindCollectiveUnbegun, Name: "CollectiveUnbegun", Fields: []Field{num("matchingId", 64).value()}},
	{ID: KindAttributeBytes, Name: "AttributeBytes", Fields: []Field{ref("attribute", SpaceAttribute, 32), num("position", 32), payload("value")}},
}

const firstOtfDefinition = firstDefinition + 64

// Kinds of definitions: those of OTF 1 as they stand in the definition file of a stream (0 for the whole trace), with
// the ids that count there. The definitions of the model are made from them and follow in the log.
const (
	KindOtfVersion                  Kind = firstOtfDefinition + 0
	KindOtfUniqueID                 Kind = firstOtfDefinition + 1
	KindOtfCreator                  Kind = firstOtfDefinition + 2
	KindOtfComment                  Kind = firstOtfDefinition + 3
	KindOtfTimerResolution          Kind = firstOtfDefinition + 4
	KindOtfTimeRange                Kind = firstOtfDefinition + 5
	KindOtfProcess                  Kind = firstOtfDefinition + 6
	KindOtfProcessGroup             Kind = firstOtfDefinition + 7
	KindOtfAttributeList            Kind = firstOtfDefinition + 8
	KindOtfProcessOrGroupAttributes Kind = firstOtfDefinition + 9
	KindOtfProcessSubstitutes       Kind = firstOtfDefinition + 10
	KindOtfFunctionGroup            Kind = firstOtfDefinition + 11
	KindOtfFunction                 Kind = firstOtfDefinition + 12
	KindOtfCollective               Kind = firstOtfDefinition + 13
	KindOtfCounterGroup             Kind = firstOtfDefinition + 14
	KindOtfCounter                  Kind = firstOtfDefinition + 15
	KindOtfCounterAssignments       Kind = firstOtfDefinition + 16
	KindOtfSourceFile               Kind = firstOtfDefinition + 17
	KindOtfSourceLocation           Kind = firstOtfDefinition + 18
	KindOtfFile                     Kind = firstOtfDefinition + 19
	KindOtfFileGroup                Kind = firstOtfDefinition + 20
	KindOtfKey                      Kind = firstOtfDefinition + 21
	KindOtfSamplePoint              Kind = firstOtfDefinition + 22
	// KindOtfKeyValue and KindOtfKeyBytes are entries of the list that belongs to the next definition.
	KindOtfKeyValue Kind = firstOtfDefinition + 23
	KindOtfKeyBytes Kind = firstOtfDefinition + 24
)

var otfDefinitionSpecs = []Spec{
	{ID: KindOtfVersion, Name: "OtfVersion", Fields: []Field{num("stream", 32), num("major", 32), num("minor", 32), num("sub", 32), text("text")}},
	{ID: KindOtfUniqueID, Name: "OtfUniqueId", Fields: []Field{num("stream", 32), num("id", 64)}},
	{ID: KindOtfCreator, Name: "OtfCreator", Fields: []Field{num("stream", 32), text("text")}},
	{ID: KindOtfComment, Name: "OtfComment", Fields: []Field{num("stream", 32), text("text")}},
	{ID: KindOtfTimerResolution, Name: "OtfTimerResolution", Fields: []Field{num("stream", 32), num("ticksPerSecond", 64)}},
	{ID: KindOtfTimeRange, Name: "OtfTimeRange", Fields: []Field{num("stream", 32), timestamp("from"), timestamp("to")}},
	{ID: KindOtfProcess, Name: "OtfProcess", Fields: []Field{num("stream", 32), num("process", 32), text("processName"), num("parent", 32)}},
	{ID: KindOtfProcessGroup, Name: "OtfProcessGroup", Fields: []Field{num("stream", 32), num("group", 32), count("numberOfMembers", 32), num("members", 32).each(), text("groupName")}},
	{ID: KindOtfAttributeList, Name: "OtfAttributeList", Fields: []Field{num("stream", 32), num("list", 32), count("numberOfMembers", 32), enum("members", 32, EnumOtfProcessAttribute).each()}},
	{ID: KindOtfProcessOrGroupAttributes, Name: "OtfProcessOrGroupAttributes", Fields: []Field{num("stream", 32), num("processOrGroup", 32), num("list", 32)}},
	{ID: KindOtfProcessSubstitutes, Name: "OtfProcessSubstitutes", Fields: []Field{num("stream", 32), num("representative", 32), count("numberOfMembers", 32), num("members", 32).each()}},
	{ID: KindOtfFunctionGroup, Name: "OtfFunctionGroup", Fields: []Field{num("stream", 32), num("group", 32), text("groupName")}},
	{ID: KindOtfFunction, Name: "OtfFunction", Fields: []Field{num("stream", 32), num("function", 32), num("group", 32), text("functionName"), num("source", 32)}},
	{ID: KindOtfCollective, Name: "OtfCollective", Fields: []Field{num("stream", 32), num("collective", 32), text("collectiveName"), enum("type", 32, EnumOtfCollectiveType)}},
	{ID: KindOtfCounterGroup, Name: "OtfCounterGroup", Fields: []Field{num("stream", 32), num("group", 32), text("groupName")}},
	{ID: KindOtfCounter, Name: "OtfCounter", Fields: []Field{num("stream", 32), num("counter", 32), num("group", 32), text("counterName"), num("properties", 32), text("unit")}},
	{ID: KindOtfCounterAssignments, Name: "OtfCounterAssignments", Fields: []Field{num("stream", 32), num("counter", 32), count("numberOfMembers", 32), num("members", 32).each()}},
	{ID: KindOtfSourceFile, Name: "OtfSourceFile", Fields: []Field{num("stream", 32), num("file", 32), text("fileName")}},
	{ID: KindOtfSourceLocation, Name: "OtfSourceLocation", Fields: []Field{num("stream", 32), num("source", 32), num("file", 32), num("line", 32)}},
	{ID: KindOtfFile, Name: "OtfFile", Fields: []Field{num("stream", 32), num("file", 32), text("fileName"), num("group", 32)}},
	{ID: KindOtfFileGroup, Name: "OtfFileGroup", Fields: []Field{num("stream", 32), num("group", 32), text("groupName")}},
	{ID: KindOtfKey, Name: "OtfKey", Fields: []Field{num("stream", 32), num("key", 32), enum("type", 32, EnumOtfType), text("keyName"), text("description")}},
	{ID: KindOtfSamplePoint, Name: "OtfSamplePoint", Fields: []Field{num("stream", 32), timestamp("time"), enum("type", 32, EnumOtfSamplePoint)}},
	{ID: KindOtfKeyValue, Name: "OtfKeyValue", Fields: []Field{num("stream", 32), num("key", 32), typeCode("type"), val("value")}},
	{ID: KindOtfKeyBytes, Name: "OtfKeyBytes", Fields: []Field{num("stream", 32), num("key", 32), num("position", 32), payload("value")}},
}

const firstOtfSnapshot = firstSnapshot + 64

// Kinds of records in snapshot streams.
const (
	KindSnapshotOpenFile           Kind = firstOtfSnapshot + 0
	KindSnapshotCollective         Kind = firstOtfSnapshot + 1
	KindSnapshotFileOperationBegin Kind = firstOtfSnapshot + 2
	KindSnapshotCollectiveCount    Kind = firstOtfSnapshot + 3
)

var otfSnapshotSpecs = []Spec{
	{ID: KindSnapshotOpenFile, Name: "SnapshotOpenFile", Fields: []Field{timestamp("origEventTime").value(), ref("file", SpaceIoFile, 32), num("handleId", 64)}},
	{ID: KindSnapshotCollective, Name: "SnapshotCollective", Fields: []Field{timestamp("origEventTime").value(), num("collective", 32), num("matchingId", 64).value(), ref("communicator", SpaceComm, 32), ref("root", SpaceLocation, 64), num("sizeSent", 64), num("sizeReceived", 64)}},
	{ID: KindSnapshotFileOperationBegin, Name: "SnapshotFileOperationBegin", Fields: []Field{timestamp("origEventTime").value(), num("matchingId", 64).value()}},
	{ID: KindSnapshotCollectiveCount, Name: "SnapshotCollectiveCount", Fields: []Field{ref("communicator", SpaceComm, 32), num("count", 64).value()}},
}

const firstStatistics = 0x300

// Kinds of records in statistics streams: what a location did since the begin of the trace. Times are in ticks.
const (
	KindStatisticsRegion      Kind = firstStatistics + 0
	KindStatisticsRegionGroup Kind = firstStatistics + 1
	KindStatisticsMessages    Kind = firstStatistics + 2
	KindStatisticsCollectives Kind = firstStatistics + 3
	KindStatisticsFile        Kind = firstStatistics + 4
	KindStatisticsFileGroup   Kind = firstStatistics + 5
)

var statisticsSpecs = []Spec{
	{ID: KindStatisticsRegion, Name: "StatisticsRegion", Fields: []Field{ref("region", SpaceRegion, 32), num("calls", 64), duration("exclusive"), duration("inclusive")}},
	{ID: KindStatisticsRegionGroup, Name: "StatisticsRegionGroup", Fields: []Field{num("group", 32), num("calls", 64), duration("exclusive"), duration("inclusive")}},
	{ID: KindStatisticsMessages, Name: "StatisticsMessages", Fields: []Field{ref("peer", SpaceLocation, 64), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("sent", 64), num("received", 64), num("bytesSent", 64), num("bytesReceived", 64)}},
	{ID: KindStatisticsCollectives, Name: "StatisticsCollectives", Fields: []Field{ref("communicator", SpaceComm, 32), num("collective", 32), num("sent", 64), num("received", 64), num("bytesSent", 64), num("bytesReceived", 64)}},
	{ID: KindStatisticsFile, Name: "StatisticsFile", Fields: []Field{ref("file", SpaceIoFile, 32), num("opens", 64), num("closes", 64), num("reads", 64), num("writes", 64), num("seeks", 64), num("bytesRead", 64), num("bytesWritten", 64)}},
	{ID: KindStatisticsFileGroup, Name: "StatisticsFileGroup", Fields: []Field{num("group", 32), num("opens", 64), num("closes", 64), num("reads", 64), num("writes", 64), num("seeks", 64), num("bytesRead", 64), num("bytesWritten", 64)}},
}
