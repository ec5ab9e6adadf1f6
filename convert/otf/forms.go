package otf

import "github.com/pandotrace/pando/trace"

// definitionForms are the records of definition files. Where no function makes something else of a record, its fields are the words
// of its kindField, in order.
var definitionForms = []form{
	{long: "DEFVERSION", short: "DV", kind: trace.KindOtfVersion, fields: []field{number(), dotted(number()), dotted(number()), str()}},
	{long: "DEFUNIQUEID", short: "DUI", kind: trace.KindOtfUniqueID, fields: []field{large()}},
	{long: "DEFCREATOR", short: "DCR", kind: trace.KindOtfCreator, fields: []field{str()}},
	{long: "DEFCOMMENT", short: "DCMT", kind: trace.KindOtfComment, fields: []field{str()}},
	{long: "DEFTIMERRESOLUTION", short: "DTR", kind: trace.KindOtfTimerResolution, fields: []field{large()}},
	{long: "DEFTIMERANGE", short: "DTRG", kind: trace.KindOtfTimeRange, fields: []field{instantField, large("TIME", "T")}},
	{long: "DEFPROCESS", short: "DP", kind: trace.KindOtfProcess, fields: []field{tokenField, optional(nameField), optional(number("PARENT", "PT", "P"))}},
	{long: "DEFPROCESSGROUP", short: "DPG", kind: trace.KindOtfProcessGroup, fields: []field{tokenField, membersField, nameField}},
	{long: "DEFATTRIBUTELIST", short: "DA", kind: trace.KindOtfAttributeList, fields: []field{tokenField, membersField}},
	{long: "DEFPROCESSORGROUPATTR", short: "DPGA", kind: trace.KindOtfProcessOrGroupAttributes, fields: []field{tokenField, number("VALUE", "V")}},
	{long: "DEFPROCESSSUBSTITUTES", short: "DPS", kind: trace.KindOtfProcessSubstitutes, fields: []field{tokenField, membersField}},
	{long: "DEFFUNCTIONGROUP", short: "DFG", kind: trace.KindOtfFunctionGroup, fields: []field{tokenField, nameField}},
	{long: "DEFFUNCTION", short: "DF", kind: trace.KindOtfFunction, fields: []field{tokenField, groupField, nameField, optional(sourceField)}},
	{long: "DEFCOLLOP", short: "DCO", kind: trace.KindOtfCollective, fields: []field{tokenField, nameField, kindField}},
	{long: "DEFCOUNTERGROUP", short: "DCG", kind: trace.KindOtfCounterGroup, fields: []field{tokenField, nameField}},
	{long: "DEFCOUNTER", short: "DCNT", kind: trace.KindOtfCounter, fields: []field{tokenField, groupField, nameField, number("PROPERTIES", "P"), again(groupField), str("UNIT", "U")}},
	{long: "DEFCOUNTERASSIGNMENTS", short: "DCA", kind: trace.KindOtfCounterAssignments, fields: []field{tokenField, membersField}},
	{long: "DEFSCLFILE", short: "DSF", kind: trace.KindOtfSourceFile, fields: []field{tokenField, nameField}},
	{long: "DEFSCL", short: "DS", kind: trace.KindOtfSourceLocation, fields: []field{tokenField, number("FILE", "F"), number("LINE", "LN", "L")}},
	{long: "DEFFILE", short: "DFL", kind: trace.KindOtfFile, fields: []field{tokenField, nameField, groupField}},
	{long: "DEFFILEGROUP", short: "DFLG", kind: trace.KindOtfFileGroup, fields: []field{tokenField, nameField}},
	{long: "DEFKEYVALUE", short: "DK", kind: trace.KindOtfKey, fields: []field{tokenField, kindField, nameField, str("TAG", "T")}},
	{long: "DEFAUXSAMPLEPOINT", short: "DAUX", kind: trace.KindOtfSamplePoint, fields: []field{instantField, kindField}},
}

// eventForms are the records of event files, besides those of snapshots.
var eventForms = []form{
	{long: "ENTER", short: "E", do: (*reader).enter, fields: []field{tokenField, positionField}},
	{long: "LEAVE", short: "L", do: (*reader).leave, fields: []field{tokenField, positionField}},
	{long: "SEND", short: "S", kind: trace.KindMpiSend, do: (*reader).message, fields: []field{tokenField, number("LEN", "L"), tagField, commField, positionField}},
	{long: "RECEIVE", short: "R", kind: trace.KindMpiRecv, do: (*reader).message, fields: []field{tokenField, number("LEN", "L"), tagField, commField, positionField}},
	{long: "COUNTER", short: "CNT", do: (*reader).counter, fields: []field{tokenField, valueField}},
	{long: "COLLOP", short: "COP", do: (*reader).collective, fields: []field{tokenField, commField, rootField, number("SENT", "S"), number("RECVD", "R"), durationField, positionField}},
	{long: "COLLOPBEGIN", short: "COPB", do: (*reader).collectiveBegin, fields: []field{tokenField, handleField, commField, rootField, sentField, receivedField, positionField}},
	{long: "COLLOPEND", short: "COPE", do: (*reader).collectiveEnd, fields: []field{large()}},
	{long: "#EVTCOMMENT", short: "#", kind: trace.KindComment, fields: []field{str()}},
	{long: "PROCESSBEGIN", short: "PB", kind: trace.KindProcessBegin},
	{long: "PROCESSEND", short: "PE", kind: trace.KindProcessEnd},
	{long: "FILEOP", short: "F", do: (*reader).fileOperation, fields: []field{tokenField, handleField, operationField, transferField, durationField, positionField}},
	{long: "FILEOPBEGINNEW", short: "FA", kind: trace.KindFileOperationBegin, fields: []field{large(), positionField}},
	{long: "FILEOPBEGIN", short: "FB", kind: trace.KindFileOperationBegin, fields: []field{large(), positionField}},
	{long: "FILEOPENDNEW", short: "FF", do: (*reader).fileOperationEnd, fields: []field{tokenField, matchIDField, handleField, operationField, transferField, positionField}},
	{long: "FILEOPEND", short: "FE", do: (*reader).fileOperationEndOld, fields: []field{tokenField, handleField, operationField, transferField, positionField}},
	{long: "TRMAPUT", short: "T", kind: trace.KindProcessRmaPut, fields: []field{tokenField, processField, commField, tagField, large("LEN", "L"), positionField}},
	{long: "URMAPUTRE", short: "U", kind: trace.KindProcessRmaPutRemoteEnd, fields: []field{tokenField, processField, commField, tagField, large("LEN", "L"), positionField}},
	{long: "GRMAGET", short: "G", kind: trace.KindProcessRmaGet, fields: []field{tokenField, processField, commField, tagField, large("LEN", "L"), positionField}},
	{long: "MRMAEND", short: "M", kind: trace.KindProcessRmaEnd, fields: []field{tokenField, commField, tagField, positionField}},
	{long: "NOOP", short: "N", kind: trace.KindNoOperation},
}

// snapshotForms are the records of snapshot files.
var snapshotForms = []form{
	{long: "TCOMMENT", short: "TC", kind: trace.KindComment, snapshot: true, fields: []field{str()}},
	{long: "TENTER", short: "TE", do: (*reader).snapshotEnter, snapshot: true, fields: []field{tokenField, originField, positionField}},
	{long: "TSEND", short: "TS", do: (*reader).snapshotSend, snapshot: true, fields: []field{tokenField, originField, groupField, tagField, optional(number("LEN", "L")), positionField}},
	{long: "TOPENFILE", short: "TOF", do: (*reader).snapshotFile, snapshot: true, fields: []field{tokenField, originField, handleField, positionField}},
	{long: "TBEGINCOLLOP", short: "TBC", kind: trace.KindSnapshotCollective, snapshot: true, fields: []field{instantField, number("COLL", "CL"), handleField, groupField, rootField, sentField, receivedField, positionField}},
	{long: "TBEGINFILEOP", short: "TBF", kind: trace.KindSnapshotFileOperationBegin, snapshot: true, fields: []field{instantField, matchIDField, positionField}},
	{long: "TCOLLOPCOUNT", short: "TCOC", kind: trace.KindSnapshotCollectiveCount, snapshot: true, fields: []field{tokenField, countField}},
	{long: "TCOUNTER", short: "TCNT", do: (*reader).snapshotCounter, snapshot: true, fields: []field{instantField, number("COUNTER", "CNT"), valueField}},
}

// fileSums are what the statistics of files and of groups of files have.
var fileSums = []field{tokenField, large("NUMOPEN", "NO"), large("NUMCLOSE", "NC"), large("NUMREAD", "NRD"), large("NUMWRITTEN", "NW"),
	large("NUMSEEK", "NSK"), large("BYTESREAD", "BR"), large("BYTESWRITE", "BW")}

// statisticsForms are the records of statistics files.
var statisticsForms = []form{
	{long: "SUMCOMMENT", short: "SC", kind: trace.KindComment, fields: []field{str()}},
	{long: "SUMFUNCTION", short: "SF", kind: trace.KindStatisticsRegion, fields: []field{tokenField, countField, exclusiveField, inclusiveField}},
	{long: "SUMFUNCTIONGROUP", short: "SG", kind: trace.KindStatisticsRegionGroup, fields: []field{tokenField, countField, exclusiveField, inclusiveField}},
	{long: "SUMMESSAGE", short: "SM", kind: trace.KindStatisticsMessages, fields: []field{tokenField, commField, number("TAG", "T", "A"), numSentField, numRecvdField, sentField, receivedField}},
	{long: "SUMCOLLMESSAGE", short: "SCO", kind: trace.KindStatisticsCollectives, fields: []field{tokenField, number("COLL", "CL"), numSentField, numRecvdField, sentField, receivedField}},
	{long: "SUMFILEOPERATION", short: "SFL", kind: trace.KindStatisticsFile, fields: fileSums},
	{long: "SUMFILEGROUPOPERATION", short: "SFLG", kind: trace.KindStatisticsFileGroup, fields: fileSums},
}

// markerForms are the records of marker files.
var markerForms = []form{
	{long: "MARKERDEF", short: "MD", do: (*reader).markerDefinition, fields: []field{tokenField, nameField, kindField}},
	{long: "MARKERSPOT", short: "MS", do: (*reader).marker, fields: []field{tokenField, large("TIME", "T"), processField, str("VALUE", "V")}},
}

var (
	definitionGrammar = newGrammar(trace.KindUnknownDefinition, definitionForms)
	eventGrammar      = newGrammar(trace.KindUnknownEvent, eventForms, snapshotForms)
	snapshotGrammar   = newGrammar(trace.KindUnknownSnapshot, snapshotForms)
	statisticsGrammar = newGrammar(trace.KindUnknownSnapshot, statisticsForms)
	markerGrammar     = newGrammar(trace.KindUnknownDefinition, markerForms)
)
