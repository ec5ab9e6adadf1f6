package trace

const firstDefinition = 0x100

// Kinds of definitions: the named entities that events refer to.
const (
	// KindUnknownDefinition is a definition record of an unknown kind; its payload is kept unparsed.
	KindUnknownDefinition Kind = firstDefinition + 1
	// KindDefinitionRest is what a record of the source has besides the fields of the definition after it: the value of an obsolete
	// field, and bytes behind the known ones, as they are.
	KindDefinitionRest          Kind = firstDefinition + 2
	KindClockProperties         Kind = firstDefinition + 5
	KindParadigm                Kind = firstDefinition + 6
	KindParadigmProperty        Kind = firstDefinition + 7
	KindIoParadigm              Kind = firstDefinition + 8
	KindString                  Kind = firstDefinition + 10
	KindAttribute               Kind = firstDefinition + 11
	KindSystemTreeNode          Kind = firstDefinition + 12
	KindLocationGroup           Kind = firstDefinition + 13
	KindLocation                Kind = firstDefinition + 14
	KindRegion                  Kind = firstDefinition + 15
	KindCallsite                Kind = firstDefinition + 16
	KindCallpath                Kind = firstDefinition + 17
	KindGroup                   Kind = firstDefinition + 18
	KindMetricMember            Kind = firstDefinition + 19
	KindMetricClass             Kind = firstDefinition + 20
	KindMetricInstance          Kind = firstDefinition + 21
	KindComm                    Kind = firstDefinition + 22
	KindParameter               Kind = firstDefinition + 23
	KindRmaWin                  Kind = firstDefinition + 24
	KindMetricClassRecorder     Kind = firstDefinition + 25
	KindSystemTreeNodeProperty  Kind = firstDefinition + 26
	KindSystemTreeNodeDomain    Kind = firstDefinition + 27
	KindLocationGroupProperty   Kind = firstDefinition + 28
	KindLocationProperty        Kind = firstDefinition + 29
	KindCartDimension           Kind = firstDefinition + 30
	KindCartTopology            Kind = firstDefinition + 31
	KindCartCoordinate          Kind = firstDefinition + 32
	KindSourceCodeLocation      Kind = firstDefinition + 33
	KindCallingContext          Kind = firstDefinition + 34
	KindCallingContextProperty  Kind = firstDefinition + 35
	KindInterruptGenerator      Kind = firstDefinition + 36
	KindIoFileProperty          Kind = firstDefinition + 37
	KindIoRegularFile           Kind = firstDefinition + 38
	KindIoDirectory             Kind = firstDefinition + 39
	KindIoHandle                Kind = firstDefinition + 40
	KindIoPreCreatedHandleState Kind = firstDefinition + 41
	KindCallpathParameter       Kind = firstDefinition + 42
	KindInterComm               Kind = firstDefinition + 43
)

var definitionSpecs = []Spec{
	{ID: KindUnknownDefinition, Name: "UnknownDefinition", Fields: []Field{num("record", 32), num("bigEndian", 8), payload("payload")}},
	{ID: KindDefinitionRest, Name: "DefinitionRest", Fields: []Field{num("obsolete", 32), num("bigEndian", 8), payload("payload")}},
	{ID: KindClockProperties, Name: "ClockProperties", Fields: []Field{num("timerResolution", 64), num("globalOffset", 64), num("traceLength", 64), num("realtimeTimestamp", 64)}},
	{ID: KindParadigm, Name: "Paradigm", Fields: []Field{self(SpaceParadigm, 8), ref("name", SpaceString, 32), enum("paradigmClass", 8, EnumParadigmClass)}},
	{ID: KindParadigmProperty, Name: "ParadigmProperty", Fields: []Field{ref("paradigm", SpaceParadigm, 8), enum("property", 8, EnumParadigmProperty), typeCode("type"), val("value")}},
	{ID: KindIoParadigm, Name: "IoParadigm", Fields: []Field{self(SpaceIoParadigm, 8), ref("identification", SpaceString, 32), ref("name", SpaceString, 32), enum("ioParadigmClass", 8, EnumIoParadigmClass), flags("ioParadigmFlags", EnumIoParadigmFlag), count("numberOfProperties", 8), enum("properties", 8, EnumIoParadigmProperty).each(), typeCode("types").each(), val("values").each()}},
	{ID: KindString, Name: "String", Fields: []Field{self(SpaceString, 32), text("string")}},
	{ID: KindAttribute, Name: "Attribute", Fields: []Field{self(SpaceAttribute, 32), ref("name", SpaceString, 32), typeCode("type"), ref("description", SpaceString, 32)}},
	{ID: KindSystemTreeNode, Name: "SystemTreeNode", Fields: []Field{self(SpaceSystemTreeNode, 32), ref("name", SpaceString, 32), ref("className", SpaceString, 32), ref("parent", SpaceSystemTreeNode, 32)}},
	{ID: KindLocationGroup, Name: "LocationGroup", Fields: []Field{self(SpaceLocationGroup, 32), ref("name", SpaceString, 32), enum("locationGroupType", 8, EnumLocationGroupType), ref("systemTreeParent", SpaceSystemTreeNode, 32), ref("creatingLocationGroup", SpaceLocationGroup, 32)}},
	{ID: KindLocation, Name: "Location", Fields: []Field{self(SpaceLocation, 64), ref("name", SpaceString, 32), enum("locationType", 8, EnumLocationType), num("numberOfEvents", 64), ref("locationGroup", SpaceLocationGroup, 32)}},
	{ID: KindRegion, Name: "Region", Fields: []Field{self(SpaceRegion, 32), ref("name", SpaceString, 32), ref("description", SpaceString, 32), ref("sourceFile", SpaceString, 32), num("beginLineNumber", 32), num("endLineNumber", 32), ref("canonicalName", SpaceString, 32), enum("regionRole", 8, EnumRegionRole), ref("paradigm", SpaceParadigm, 8), flags("regionFlags", EnumRegionFlag)}},
	{ID: KindCallsite, Name: "Callsite", Fields: []Field{self(SpaceCallsite, 32), ref("sourceFile", SpaceString, 32), num("lineNumber", 32), ref("enteredRegion", SpaceRegion, 32), ref("leftRegion", SpaceRegion, 32)}},
	{ID: KindCallpath, Name: "Callpath", Fields: []Field{self(SpaceCallpath, 32), ref("parent", SpaceCallpath, 32), ref("region", SpaceRegion, 32)}},
	{ID: KindGroup, Name: "Group", Fields: []Field{self(SpaceGroup, 32), ref("name", SpaceString, 32), count("numberOfMembers", 32), num("members", 64).each(), enum("groupType", 8, EnumGroupType), ref("paradigm", SpaceParadigm, 8), flags("groupFlags", EnumGroupFlag)}},
	{ID: KindMetricMember, Name: "MetricMember", Fields: []Field{self(SpaceMetricMember, 32), ref("name", SpaceString, 32), ref("description", SpaceString, 32), enum("metricType", 8, EnumMetricType), enum("metricMode", 8, EnumMetricMode), enum("valueType", 8, EnumType), enum("base", 8, EnumBase), signed("exponent", 64), ref("unit", SpaceString, 32)}},
	{ID: KindMetricClass, Name: "MetricClass", Fields: []Field{self(SpaceMetric, 32), count("numberOfMetrics", 8), ref("metricMembers", SpaceMetricMember, 32).each(), enum("metricOccurrence", 8, EnumMetricOccurrence), enum("recorderKind", 8, EnumRecorderKind)}},
	{ID: KindMetricInstance, Name: "MetricInstance", Fields: []Field{self(SpaceMetric, 32), ref("metricClass", SpaceMetric, 32), ref("recorder", SpaceLocation, 64), enum("metricScope", 8, EnumMetricScope), num("scope", 64)}},
	{ID: KindComm, Name: "Comm", Fields: []Field{self(SpaceComm, 32), ref("name", SpaceString, 32), ref("group", SpaceGroup, 32), ref("parent", SpaceComm, 32), flags("flags", EnumCommFlag)}},
	{ID: KindParameter, Name: "Parameter", Fields: []Field{self(SpaceParameter, 32), ref("name", SpaceString, 32), enum("parameterType", 8, EnumParameterType)}},
	{ID: KindRmaWin, Name: "RmaWin", Fields: []Field{self(SpaceRmaWin, 32), ref("name", SpaceString, 32), ref("comm", SpaceComm, 32), flags("flags", EnumRmaWinFlag)}},
	{ID: KindMetricClassRecorder, Name: "MetricClassRecorder", Fields: []Field{ref("metric", SpaceMetric, 32), ref("recorder", SpaceLocation, 64)}},
	{ID: KindSystemTreeNodeProperty, Name: "SystemTreeNodeProperty", Fields: []Field{ref("systemTreeNode", SpaceSystemTreeNode, 32), ref("name", SpaceString, 32), typeCode("type"), val("value")}},
	{ID: KindSystemTreeNodeDomain, Name: "SystemTreeNodeDomain", Fields: []Field{ref("systemTreeNode", SpaceSystemTreeNode, 32), enum("systemTreeDomain", 8, EnumSystemTreeDomain)}},
	{ID: KindLocationGroupProperty, Name: "LocationGroupProperty", Fields: []Field{ref("locationGroup", SpaceLocationGroup, 32), ref("name", SpaceString, 32), typeCode("type"), val("value")}},
	{ID: KindLocationProperty, Name: "LocationProperty", Fields: []Field{ref("location", SpaceLocation, 64), ref("name", SpaceString, 32), typeCode("type"), val("value")}},
	{ID: KindCartDimension, Name: "CartDimension", Fields: []Field{self(SpaceCartDimension, 32), ref("name", SpaceString, 32), num("size", 32), enum("cartPeriodicity", 8, EnumCartPeriodicity)}},
	{ID: KindCartTopology, Name: "CartTopology", Fields: []Field{self(SpaceCartTopology, 32), ref("name", SpaceString, 32), ref("communicator", SpaceComm, 32), count("numberOfDimensions", 8), ref("cartDimensions", SpaceCartDimension, 32).each()}},
	{ID: KindCartCoordinate, Name: "CartCoordinate", Fields: []Field{ref("cartTopology", SpaceCartTopology, 32), rank("rank"), count("numberOfDimensions", 8), num("coordinates", 32).each()}},
	{ID: KindSourceCodeLocation, Name: "SourceCodeLocation", Fields: []Field{self(SpaceSourceCodeLocation, 32), ref("file", SpaceString, 32), num("lineNumber", 32)}},
	{ID: KindCallingContext, Name: "CallingContext", Fields: []Field{self(SpaceCallingContext, 32), ref("region", SpaceRegion, 32), ref("sourceCodeLocation", SpaceSourceCodeLocation, 32), ref("parent", SpaceCallingContext, 32)}},
	{ID: KindCallingContextProperty, Name: "CallingContextProperty", Fields: []Field{ref("callingContext", SpaceCallingContext, 32), ref("name", SpaceString, 32), typeCode("type"), val("value")}},
	{ID: KindInterruptGenerator, Name: "InterruptGenerator", Fields: []Field{self(SpaceInterruptGenerator, 32), ref("name", SpaceString, 32), enum("interruptGeneratorMode", 8, EnumInterruptGeneratorMode), enum("base", 8, EnumBase), signed("exponent", 64), num("period", 64)}},
	{ID: KindIoFileProperty, Name: "IoFileProperty", Fields: []Field{ref("ioFile", SpaceIoFile, 32), ref("name", SpaceString, 32), typeCode("type"), val("value")}},
	{ID: KindIoRegularFile, Name: "IoRegularFile", Fields: []Field{self(SpaceIoFile, 32), ref("name", SpaceString, 32), ref("scope", SpaceSystemTreeNode, 32)}},
	{ID: KindIoDirectory, Name: "IoDirectory", Fields: []Field{self(SpaceIoFile, 32), ref("name", SpaceString, 32), ref("scope", SpaceSystemTreeNode, 32)}},
	{ID: KindIoHandle, Name: "IoHandle", Fields: []Field{self(SpaceIoHandle, 32), ref("name", SpaceString, 32), ref("file", SpaceIoFile, 32), ref("ioParadigm", SpaceIoParadigm, 8), flags("ioHandleFlags", EnumIoHandleFlag), ref("comm", SpaceComm, 32), ref("parent", SpaceIoHandle, 32)}},
	{ID: KindIoPreCreatedHandleState, Name: "IoPreCreatedHandleState", Fields: []Field{ref("ioHandle", SpaceIoHandle, 32), enum("mode", 8, EnumIoAccessMode), flags("statusFlags", EnumIoStatusFlag)}},
	{ID: KindCallpathParameter, Name: "CallpathParameter", Fields: []Field{ref("callpath", SpaceCallpath, 32), ref("parameter", SpaceParameter, 32), typeCode("type"), val("value")}},
	{ID: KindInterComm, Name: "InterComm", Fields: []Field{self(SpaceComm, 32), ref("name", SpaceString, 32), ref("groupA", SpaceGroup, 32), ref("groupB", SpaceGroup, 32), ref("commonCommunicator", SpaceComm, 32), flags("flags", EnumCommFlag)}},
}

const firstLocal = 0x180

// Kinds of definitions that belong to one location.
const (
	KindMappingTable Kind = firstLocal + 5
	KindClockOffset  Kind = firstLocal + 6
)

var localSpecs = []Spec{
	{ID: KindMappingTable, Name: "MappingTable", Fields: []Field{enum("mappingType", 8, EnumMappingType), enum("mode", 8, EnumIdMapMode), count("n", 64), num("local", 64).each(), num("global", 64).each()}},
	{ID: KindClockOffset, Name: "ClockOffset", Fields: []Field{num("time", 64), signed("offset", 64), double("standardDeviation")}},
}
