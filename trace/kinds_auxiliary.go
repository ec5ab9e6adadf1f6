package trace

const firstSnapshot = 0x200

// Kinds of records in snapshot streams: the state of a location at one instant.
const (
	// KindUnknownSnapshot is a snapshot record of an unknown kind; its payload is kept unparsed.
	KindUnknownSnapshot Kind = firstSnapshot + 1
	// KindSnapshotRest is what a record of the source has besides the fields of the snapshot record after it.
	KindSnapshotRest                 Kind = firstSnapshot + 2
	KindSnapshotStart                Kind = firstSnapshot + 10
	KindSnapshotEnd                  Kind = firstSnapshot + 11
	KindSnapshotMeasurementOnOff     Kind = firstSnapshot + 12
	KindSnapshotEnter                Kind = firstSnapshot + 13
	KindSnapshotMpiSend              Kind = firstSnapshot + 14
	KindSnapshotMpiIsend             Kind = firstSnapshot + 15
	KindSnapshotMpiIsendComplete     Kind = firstSnapshot + 16
	KindSnapshotMpiRecv              Kind = firstSnapshot + 17
	KindSnapshotMpiIrecvRequest      Kind = firstSnapshot + 18
	KindSnapshotMpiIrecv             Kind = firstSnapshot + 19
	KindSnapshotMpiCollectiveBegin   Kind = firstSnapshot + 20
	KindSnapshotMpiCollectiveEnd     Kind = firstSnapshot + 21
	KindSnapshotOmpFork              Kind = firstSnapshot + 22
	KindSnapshotOmpAcquireLock       Kind = firstSnapshot + 23
	KindSnapshotOmpTaskCreate        Kind = firstSnapshot + 24
	KindSnapshotOmpTaskSwitch        Kind = firstSnapshot + 25
	KindSnapshotMetric               Kind = firstSnapshot + 26
	KindSnapshotParameterString      Kind = firstSnapshot + 27
	KindSnapshotParameterInt         Kind = firstSnapshot + 28
	KindSnapshotParameterUnsignedInt Kind = firstSnapshot + 29
)

var snapshotSpecs = []Spec{
	{ID: KindUnknownSnapshot, Name: "UnknownSnapshot", Fields: []Field{num("record", 32), num("bigEndian", 8), payload("payload")}},
	{ID: KindSnapshotRest, Name: "SnapshotRest", Fields: []Field{num("obsolete", 32), num("bigEndian", 8), payload("payload")}},
	{ID: KindSnapshotStart, Name: "SnapshotStart", Fields: []Field{num("numberOfRecords", 64)}},
	{ID: KindSnapshotEnd, Name: "SnapshotEnd", Fields: []Field{num("contReadPos", 64)}},
	{ID: KindSnapshotMeasurementOnOff, Name: "SnapshotMeasurementOnOff", Fields: []Field{timestamp("origEventTime").value(), enum("measurementMode", 8, EnumMeasurementMode)}},
	{ID: KindSnapshotEnter, Name: "SnapshotEnter", Fields: []Field{timestamp("origEventTime").value(), ref("region", SpaceRegion, 32)}},
	{ID: KindSnapshotMpiSend, Name: "SnapshotMpiSend", Fields: []Field{timestamp("origEventTime").value(), rank("receiver"), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64)}},
	{ID: KindSnapshotMpiIsend, Name: "SnapshotMpiIsend", Fields: []Field{timestamp("origEventTime").value(), rank("receiver"), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64), num("requestId", 64).value()}},
	{ID: KindSnapshotMpiIsendComplete, Name: "SnapshotMpiIsendComplete", Fields: []Field{timestamp("origEventTime").value(), num("requestId", 64).value()}},
	{ID: KindSnapshotMpiRecv, Name: "SnapshotMpiRecv", Fields: []Field{timestamp("origEventTime").value(), rank("sender"), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64)}},
	{ID: KindSnapshotMpiIrecvRequest, Name: "SnapshotMpiIrecvRequest", Fields: []Field{timestamp("origEventTime").value(), num("requestId", 64).value()}},
	{ID: KindSnapshotMpiIrecv, Name: "SnapshotMpiIrecv", Fields: []Field{timestamp("origEventTime").value(), rank("sender"), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64), num("requestId", 64).value()}},
	{ID: KindSnapshotMpiCollectiveBegin, Name: "SnapshotMpiCollectiveBegin", Fields: []Field{timestamp("origEventTime").value()}},
	{ID: KindSnapshotMpiCollectiveEnd, Name: "SnapshotMpiCollectiveEnd", Fields: []Field{timestamp("origEventTime").value(), enum("collectiveOp", 8, EnumCollectiveOp), ref("communicator", SpaceComm, 32), rank("root"), num("sizeSent", 64), num("sizeReceived", 64)}},
	{ID: KindSnapshotOmpFork, Name: "SnapshotOmpFork", Fields: []Field{timestamp("origEventTime").value(), num("numberOfRequestedThreads", 32)}},
	{ID: KindSnapshotOmpAcquireLock, Name: "SnapshotOmpAcquireLock", Fields: []Field{timestamp("origEventTime").value(), num("lockId", 32), num("acquisitionOrder", 32).value()}},
	{ID: KindSnapshotOmpTaskCreate, Name: "SnapshotOmpTaskCreate", Fields: []Field{timestamp("origEventTime").value(), num("taskId", 64).value()}},
	{ID: KindSnapshotOmpTaskSwitch, Name: "SnapshotOmpTaskSwitch", Fields: []Field{timestamp("origEventTime").value(), num("taskId", 64).value()}},
	{ID: KindSnapshotMetric, Name: "SnapshotMetric", Fields: []Field{timestamp("origEventTime").value(), ref("metric", SpaceMetric, 32), count("numberOfMetrics", 8), typeCode("typeIds").each(), val("metricValues").value().each()}},
	{ID: KindSnapshotParameterString, Name: "SnapshotParameterString", Fields: []Field{timestamp("origEventTime").value(), ref("parameter", SpaceParameter, 32), ref("string", SpaceString, 32).value()}},
	{ID: KindSnapshotParameterInt, Name: "SnapshotParameterInt", Fields: []Field{timestamp("origEventTime").value(), ref("parameter", SpaceParameter, 32), signed("value", 64).value()}},
	{ID: KindSnapshotParameterUnsignedInt, Name: "SnapshotParameterUnsignedInt", Fields: []Field{timestamp("origEventTime").value(), ref("parameter", SpaceParameter, 32), num("value", 64).value()}},
}

const firstMarker = 0x280

// Kinds of records in marker and thumbnail streams.
const (
	KindDefMarker   Kind = firstMarker + 5
	KindMarker      Kind = firstMarker + 6
	KindThumbHeader Kind = firstMarker + 10
	KindThumbSample Kind = firstMarker + 11
)

var markerSpecs = []Spec{
	{ID: KindDefMarker, Name: "DefMarker", Fields: []Field{self(SpaceMarker, 32), text("markerGroup"), text("markerCategory"), enum("severity", 8, EnumMarkerSeverity)}},
	{ID: KindMarker, Name: "Marker", Fields: []Field{timestamp("timestamp"), duration("duration"), ref("marker", SpaceMarker, 32), enum("markerScope", 8, EnumMarkerScope), num("scope", 64), text("text")}},
	{ID: KindThumbHeader, Name: "ThumbHeader", Fields: []Field{text("name"), text("description"), enum("type", 8, EnumThumbnailType), num("numberOfSamples", 32), count("numberOfMetrics", 32), num("refsToDefs", 64).each()}},
	{ID: KindThumbSample, Name: "ThumbSample", Fields: []Field{num("baseline", 64), count("numberOfMetrics", 32), num("metricSamples", 64).each()}},
}
