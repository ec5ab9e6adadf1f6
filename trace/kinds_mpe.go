package trace

// Kinds that the formats of MPE brought in: CLOG-2, in which its library logs, and SLOG-2, which its viewer reads.

const firstMpeEvent = 128

// Kinds of events.
const (
	// KindIntervalBegin and KindIntervalEnd are begin and end of a state of a location that is no call: such states may
	// overlap without one lying inside the other.
	KindIntervalBegin Kind = firstMpeEvent + 0
	KindIntervalEnd   Kind = firstMpeEvent + 1
	// KindSoloEvent is something that happened at one time, of a category that says what.
	KindSoloEvent Kind = firstMpeEvent + 2
	// KindArrowBegin and KindArrowEnd are the ends of an arrow between two locations that is no message, or of a message that
	// overtook another one of its channel.
	KindArrowBegin Kind = firstMpeEvent + 3
	KindArrowEnd   Kind = firstMpeEvent + 4
	// KindMpeStateDef and the kinds after it are the records of CLOG-2 that define things or that mean nothing to the model, as
	// they stand among the events. The communicator is the one they were logged on.
	KindMpeStateDef       Kind = firstMpeEvent + 5
	KindMpeEventDef       Kind = firstMpeEvent + 6
	KindMpeConstDef       Kind = firstMpeEvent + 7
	KindMpeCommEvent      Kind = firstMpeEvent + 8
	KindMpeSourceLocation Kind = firstMpeEvent + 9
	// KindMpeTimeShift says that from here on shift seconds more are the location's uncorrected time.
	KindMpeTimeShift  Kind = firstMpeEvent + 10
	KindMpeCollective Kind = firstMpeEvent + 11
	// KindMpeMessage is a message of neither of the two known event ids.
	KindMpeMessage Kind = firstMpeEvent + 12
	// KindMpeEvent is an event of an id that belongs to no state and was never defined.
	KindMpeEvent Kind = firstMpeEvent + 13
)

var mpeEventSpecs = []Spec{
	{ID: KindIntervalBegin, Name: "IntervalBegin", Fields: []Field{ref("region", SpaceRegion, 32).key(), ref("communicator", SpaceComm, 32)}, Pairs: []Pair{opens(PairInterval, InOrder, "region", "communicator")}},
	{ID: KindIntervalEnd, Name: "IntervalEnd", Fields: []Field{ref("region", SpaceRegion, 32).key(), ref("communicator", SpaceComm, 32)}, Pairs: []Pair{closes(PairInterval, InOrder, "region", "communicator")}},
	{ID: KindSoloEvent, Name: "SoloEvent", Fields: []Field{ref("category", SpaceCategory, 32).key(), ref("communicator", SpaceComm, 32)}},
	{ID: KindArrowBegin, Name: "ArrowBegin", Fields: []Field{ref("category", SpaceCategory, 32).key(), ref("communicator", SpaceComm, 32), ref("target", SpaceLocation, 64), num("arrow", 64).value()}, Pairs: []Pair{opens(PairArrow, ByKey, "arrow")}},
	{ID: KindArrowEnd, Name: "ArrowEnd", Fields: []Field{ref("category", SpaceCategory, 32).key(), ref("communicator", SpaceComm, 32), ref("origin", SpaceLocation, 64), num("arrow", 64).value()}, Pairs: []Pair{closes(PairArrow, ByKey, "arrow")}},
	{ID: KindMpeStateDef, Name: "MpeStateDef", Fields: []Field{ref("communicator", SpaceComm, 32), signed("state", 32).value(), signed("startEvent", 32).value(), signed("finalEvent", 32).value(), text("color"), text("stateName"), text("format")}},
	{ID: KindMpeEventDef, Name: "MpeEventDef", Fields: []Field{ref("communicator", SpaceComm, 32), signed("event", 32).value(), text("color"), text("eventName"), text("format")}},
	{ID: KindMpeConstDef, Name: "MpeConstDef", Fields: []Field{ref("communicator", SpaceComm, 32), signed("event", 32).value(), signed("value", 32).value(), text("constName")}},
	{ID: KindMpeCommEvent, Name: "MpeCommEvent", Fields: []Field{ref("communicator", SpaceComm, 32), enum("operation", 32, EnumMpeCommOperation).key(), ref("created", SpaceComm, 32), signed("rank", 32).value(), signed("worldRank", 32).value(), signed("gidNumber", 32).value(), double("gidTime").value(), text("gidHost")}},
	{ID: KindMpeSourceLocation, Name: "MpeSourceLocation", Fields: []Field{ref("communicator", SpaceComm, 32), signed("id", 32).value(), signed("line", 32).value(), text("file")}},
	{ID: KindMpeTimeShift, Name: "MpeTimeShift", Fields: []Field{ref("communicator", SpaceComm, 32), double("shift").value()}},
	{ID: KindMpeCollective, Name: "MpeCollective", Fields: []Field{ref("communicator", SpaceComm, 32), signed("event", 32).key(), signed("rootRank", 32), signed("bytes", 32)}},
	{ID: KindMpeMessage, Name: "MpeMessage", Fields: []Field{ref("communicator", SpaceComm, 32), signed("event", 32).key(), ref("remoteCommunicator", SpaceComm, 32), signed("rank", 32), signed("msgTag", 32), signed("msgLength", 32)}},
	{ID: KindMpeEvent, Name: "MpeEvent", Fields: []Field{ref("communicator", SpaceComm, 32), signed("event", 32).key()}},
}

const firstMpeDefinition = firstDefinition + 96

// Kinds of definitions.
const (
	// KindCategory names a category of solo events or of arrows.
	KindCategory Kind = firstMpeDefinition + 0
	// KindMpeLine is a line of a viewer's picture: a thread of a process as a member of one communicator. A location has one or
	// more; events without an attribute that says otherwise belong to the first.
	KindMpeLine Kind = firstMpeDefinition + 1
	// KindMpeCommunicator is an entry of the table of communicators at the end of a CLOG-2 file.
	KindMpeCommunicator Kind = firstMpeDefinition + 2
	// KindSlogCategory is a category of states, arrows or events. Format is its labels with the letter of a value, behind a
	// percent sign, between each two.
	KindSlogCategory Kind = firstMpeDefinition + 3
	// KindSlogLineMap is a view that a viewer offers, KindSlogColumn what one of its columns is called, and
	// KindSlogLine one of its rows: what stands in its columns.
	KindSlogLineMap Kind = firstMpeDefinition + 4
	KindSlogColumn  Kind = firstMpeDefinition + 5
	KindSlogLine    Kind = firstMpeDefinition + 6
)

var mpeDefinitionSpecs = []Spec{
	{ID: KindCategory, Name: "Category", Fields: []Field{self(SpaceCategory, 32), ref("name", SpaceString, 32)}},
	{ID: KindMpeLine, Name: "MpeLine", Fields: []Field{num("line", 64), ref("location", SpaceLocation, 64), ref("communicator", SpaceComm, 32), signed("rank", 32), signed("thread", 32)}},
	{ID: KindMpeCommunicator, Name: "MpeCommunicator", Fields: []Field{ref("communicator", SpaceComm, 32), enum("commKind", 32, EnumMpeCommKind), signed("gidNumber", 32), double("gidTime"), text("gidHost")}},
	{ID: KindSlogCategory, Name: "SlogCategory", Fields: []Field{signed("index", 32), text("categoryName"), enum("topology", 32, EnumSlogTopology), num("color", 32), num("colorModifiable", 8), num("width", 8), text("format"), double("inclusiveRatio"), double("exclusiveRatio"), num("count", 64), count("numberOfMethods", 32), signed("methods", 32).each()}},
	{ID: KindSlogLineMap, Name: "SlogLineMap", Fields: []Field{num("map", 32), text("title"), count("numberOfMethods", 32), signed("methods", 32).each()}},
	{ID: KindSlogColumn, Name: "SlogColumn", Fields: []Field{num("map", 32), num("column", 32), text("label")}},
	{ID: KindSlogLine, Name: "SlogLine", Fields: []Field{num("map", 32), signed("line", 32), count("numberOfColumns", 32), signed("columns", 32).each()}},
}

const firstMpeLocal = firstLocal + 64

// KindSecondsClock is a segment of a location's clock in a format whose own times are float64 seconds: see SecondsSegment in convert/mpe.
// It belongs to one location.
const KindSecondsClock Kind = firstMpeLocal + 0

var mpeLocalSpecs = []Spec{
	{ID: KindSecondsClock, Name: "SecondsClock", Fields: []Field{timestamp("from"), double("origin"), num("grid", 8), num("phase", 64)}},
}
