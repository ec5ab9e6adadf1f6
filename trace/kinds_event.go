package trace

// Kinds of events. The numbers are part of the file format: they are never reused.
// Those below 90 equal the record ids of OTF2, which has the richest set of all formats read so far.
const (
	// KindUnknownEvent is an event record of an unknown kind; its payload is kept unparsed.
	KindUnknownEvent Kind = 1
	// KindEventRest is what a record of the source has besides the fields of the event after it: bytes behind them, as they are.
	KindEventRest Kind = 2
	// KindEventLocalID says that from the event after it on the source's id of a definition is another one of those that stand for
	// it on this location.
	KindEventLocalID Kind = 3
	// KindBufferFlush is a pause of the measurement, which wrote its memory to disk. The stop time has a source-time residual, as
	// times of records have, see [Batch].
	KindBufferFlush                   Kind = 10
	KindMeasurementOnOff              Kind = 11
	KindEnter                         Kind = 12
	KindLeave                         Kind = 13
	KindMpiSend                       Kind = 14
	KindMpiIsend                      Kind = 15
	KindMpiIsendComplete              Kind = 16
	KindMpiIrecvRequest               Kind = 17
	KindMpiRecv                       Kind = 18
	KindMpiIrecv                      Kind = 19
	KindMpiRequestTest                Kind = 20
	KindMpiRequestCancelled           Kind = 21
	KindMpiCollectiveBegin            Kind = 22
	KindMpiCollectiveEnd              Kind = 23
	KindOmpFork                       Kind = 24
	KindOmpJoin                       Kind = 25
	KindOmpAcquireLock                Kind = 26
	KindOmpReleaseLock                Kind = 27
	KindOmpTaskCreate                 Kind = 28
	KindOmpTaskSwitch                 Kind = 29
	KindOmpTaskComplete               Kind = 30
	KindMetric                        Kind = 31
	KindParameterString               Kind = 32
	KindParameterInt                  Kind = 33
	KindParameterUnsignedInt          Kind = 34
	KindRmaWinCreate                  Kind = 35
	KindRmaWinDestroy                 Kind = 36
	KindRmaCollectiveBegin            Kind = 37
	KindRmaCollectiveEnd              Kind = 38
	KindRmaGroupSync                  Kind = 39
	KindRmaRequestLock                Kind = 40
	KindRmaAcquireLock                Kind = 41
	KindRmaTryLock                    Kind = 42
	KindRmaReleaseLock                Kind = 43
	KindRmaSync                       Kind = 44
	KindRmaWaitChange                 Kind = 45
	KindRmaPut                        Kind = 46
	KindRmaGet                        Kind = 47
	KindRmaAtomic                     Kind = 48
	KindRmaOpCompleteBlocking         Kind = 49
	KindRmaOpCompleteNonBlocking      Kind = 50
	KindRmaOpTest                     Kind = 51
	KindRmaOpCompleteRemote           Kind = 52
	KindThreadFork                    Kind = 53
	KindThreadJoin                    Kind = 54
	KindThreadTeamBegin               Kind = 55
	KindThreadTeamEnd                 Kind = 56
	KindThreadAcquireLock             Kind = 57
	KindThreadReleaseLock             Kind = 58
	KindThreadTaskCreate              Kind = 59
	KindThreadTaskSwitch              Kind = 60
	KindThreadTaskComplete            Kind = 61
	KindThreadCreate                  Kind = 62
	KindThreadBegin                   Kind = 63
	KindThreadWait                    Kind = 64
	KindThreadEnd                     Kind = 65
	KindCallingContextEnter           Kind = 66
	KindCallingContextLeave           Kind = 67
	KindCallingContextSample          Kind = 68
	KindIoCreateHandle                Kind = 69
	KindIoDestroyHandle               Kind = 70
	KindIoDuplicateHandle             Kind = 71
	KindIoSeek                        Kind = 72
	KindIoChangeStatusFlags           Kind = 73
	KindIoDeleteFile                  Kind = 74
	KindIoOperationBegin              Kind = 75
	KindIoOperationTest               Kind = 76
	KindIoOperationIssued             Kind = 77
	KindIoOperationComplete           Kind = 78
	KindIoOperationCancelled          Kind = 79
	KindIoAcquireLock                 Kind = 80
	KindIoReleaseLock                 Kind = 81
	KindIoTryLock                     Kind = 82
	KindProgramBegin                  Kind = 83
	KindProgramEnd                    Kind = 84
	KindNonBlockingCollectiveRequest  Kind = 85
	KindNonBlockingCollectiveComplete Kind = 86
	KindCommCreate                    Kind = 87
	KindCommDestroy                   Kind = 88
)

var eventSpecs = []Spec{
	{ID: KindUnknownEvent, Name: "UnknownEvent", Fields: []Field{num("record", 32).key(), num("bigEndian", 8), payload("payload")}},
	{ID: KindEventRest, Name: "EventRest", Fields: []Field{num("obsolete", 32), num("bigEndian", 8), payload("payload")}},
	{ID: KindEventLocalID, Name: "EventLocalId", Fields: []Field{num("space", 8), num("localId", 64)}},
	{ID: KindBufferFlush, Name: "BufferFlush", Fields: []Field{timestamp("stopTime").value(), signed("stopResidual", 64).value()}},
	{ID: KindMeasurementOnOff, Name: "MeasurementOnOff", Fields: []Field{enum("measurementMode", 8, EnumMeasurementMode)}},
	{ID: KindEnter, Name: "Enter", Fields: []Field{ref("region", SpaceRegion, 32).key()}, Pairs: []Pair{opens(PairCall, ByKey, "region")}},
	{ID: KindLeave, Name: "Leave", Fields: []Field{ref("region", SpaceRegion, 32).key()}, Pairs: []Pair{closes(PairCall, ByKey, "region")}},
	{ID: KindMpiSend, Name: "MpiSend", Fields: []Field{rank("receiver").peer(), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64)}, Pairs: []Pair{opens(PairMessage, InOrder, "communicator", "msgTag")}},
	{ID: KindMpiIsend, Name: "MpiIsend", Fields: []Field{rank("receiver").peer(), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64), num("requestId", 64).value()}, Pairs: []Pair{opens(PairMessage, InOrder, "communicator", "msgTag"), opens(PairSendRequest, ByKey, "requestId")}},
	{ID: KindMpiIsendComplete, Name: "MpiIsendComplete", Fields: []Field{num("requestId", 64).value()}, Pairs: []Pair{closes(PairSendRequest, ByKey, "requestId")}},
	{ID: KindMpiIrecvRequest, Name: "MpiIrecvRequest", Fields: []Field{num("requestId", 64).value()}, Pairs: []Pair{opens(PairReceiveRequest, ByKey, "requestId")}},
	{ID: KindMpiRecv, Name: "MpiRecv", Fields: []Field{rank("sender").peer(), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64)}, Pairs: []Pair{closes(PairMessage, InOrder, "communicator", "msgTag")}},
	{ID: KindMpiIrecv, Name: "MpiIrecv", Fields: []Field{rank("sender").peer(), ref("communicator", SpaceComm, 32), num("msgTag", 32), num("msgLength", 64), num("requestId", 64).value()}, Pairs: []Pair{closes(PairMessage, InOrder, "communicator", "msgTag"), closes(PairReceiveRequest, ByKey, "requestId")}},
	{ID: KindMpiRequestTest, Name: "MpiRequestTest", Fields: []Field{num("requestId", 64).value()}},
	{ID: KindMpiRequestCancelled, Name: "MpiRequestCancelled", Fields: []Field{num("requestId", 64).value()}, Pairs: []Pair{closes(PairSendRequest, ByKey, "requestId"), closes(PairReceiveRequest, ByKey, "requestId")}},
	{ID: KindMpiCollectiveBegin, Name: "MpiCollectiveBegin", Fields: nil, Pairs: []Pair{opens(PairCollective, InOrder)}},
	{ID: KindMpiCollectiveEnd, Name: "MpiCollectiveEnd", Fields: []Field{enum("collectiveOp", 8, EnumCollectiveOp).key(), ref("communicator", SpaceComm, 32), rank("root"), num("sizeSent", 64), num("sizeReceived", 64)}, Pairs: []Pair{closes(PairCollective, InOrder)}},
	{ID: KindOmpFork, Name: "OmpFork", Fields: []Field{num("numberOfRequestedThreads", 32)}, Pairs: []Pair{opens(PairFork, InOrder)}},
	{ID: KindOmpJoin, Name: "OmpJoin", Fields: nil, Pairs: []Pair{closes(PairFork, InOrder)}},
	{ID: KindOmpAcquireLock, Name: "OmpAcquireLock", Fields: []Field{num("lockId", 32), num("acquisitionOrder", 32).value()}, Pairs: []Pair{opens(PairLock, ByKey, "lockId")}},
	{ID: KindOmpReleaseLock, Name: "OmpReleaseLock", Fields: []Field{num("lockId", 32), num("acquisitionOrder", 32).value()}, Pairs: []Pair{closes(PairLock, ByKey, "lockId")}},
	{ID: KindOmpTaskCreate, Name: "OmpTaskCreate", Fields: []Field{num("taskId", 64).value()}},
	{ID: KindOmpTaskSwitch, Name: "OmpTaskSwitch", Fields: []Field{num("taskId", 64).value()}},
	{ID: KindOmpTaskComplete, Name: "OmpTaskComplete", Fields: []Field{num("taskId", 64).value()}},
	{ID: KindMetric, Name: "Metric", Fields: []Field{ref("metric", SpaceMetric, 32).key(), count("numberOfMetrics", 8), typeCode("typeIds").each(), val("metricValues").value().each()}},
	{ID: KindParameterString, Name: "ParameterString", Fields: []Field{ref("parameter", SpaceParameter, 32).key(), ref("string", SpaceString, 32).value()}},
	{ID: KindParameterInt, Name: "ParameterInt", Fields: []Field{ref("parameter", SpaceParameter, 32).key(), signed("value", 64).value()}},
	{ID: KindParameterUnsignedInt, Name: "ParameterUnsignedInt", Fields: []Field{ref("parameter", SpaceParameter, 32).key(), num("value", 64).value()}},
	{ID: KindRmaWinCreate, Name: "RmaWinCreate", Fields: []Field{ref("win", SpaceRmaWin, 32)}},
	{ID: KindRmaWinDestroy, Name: "RmaWinDestroy", Fields: []Field{ref("win", SpaceRmaWin, 32)}},
	{ID: KindRmaCollectiveBegin, Name: "RmaCollectiveBegin", Fields: nil, Pairs: []Pair{opens(PairRmaCollective, InOrder)}},
	{ID: KindRmaCollectiveEnd, Name: "RmaCollectiveEnd", Fields: []Field{enum("collectiveOp", 8, EnumCollectiveOp).key(), flags("syncLevel", EnumRmaSyncLevel), ref("win", SpaceRmaWin, 32), rank("root"), num("bytesSent", 64), num("bytesReceived", 64)}, Pairs: []Pair{closes(PairRmaCollective, InOrder)}},
	{ID: KindRmaGroupSync, Name: "RmaGroupSync", Fields: []Field{flags("syncLevel", EnumRmaSyncLevel), ref("win", SpaceRmaWin, 32), ref("group", SpaceGroup, 32)}},
	{ID: KindRmaRequestLock, Name: "RmaRequestLock", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), num("lockId", 64), enum("lockType", 8, EnumLockType)}},
	{ID: KindRmaAcquireLock, Name: "RmaAcquireLock", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), num("lockId", 64), enum("lockType", 8, EnumLockType)}, Pairs: []Pair{opens(PairLock, ByKey, "win", "remote", "lockId")}},
	{ID: KindRmaTryLock, Name: "RmaTryLock", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), num("lockId", 64), enum("lockType", 8, EnumLockType)}},
	{ID: KindRmaReleaseLock, Name: "RmaReleaseLock", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), num("lockId", 64)}, Pairs: []Pair{closes(PairLock, ByKey, "win", "remote", "lockId")}},
	{ID: KindRmaSync, Name: "RmaSync", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), enum("syncType", 8, EnumRmaSyncType)}},
	{ID: KindRmaWaitChange, Name: "RmaWaitChange", Fields: []Field{ref("win", SpaceRmaWin, 32)}},
	{ID: KindRmaPut, Name: "RmaPut", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), num("bytes", 64), num("matchingId", 64).value()}, Pairs: []Pair{opens(PairRma, ByKey, "win", "matchingId")}},
	{ID: KindRmaGet, Name: "RmaGet", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), num("bytes", 64), num("matchingId", 64).value()}, Pairs: []Pair{opens(PairRma, ByKey, "win", "matchingId")}},
	{ID: KindRmaAtomic, Name: "RmaAtomic", Fields: []Field{ref("win", SpaceRmaWin, 32), rank("remote"), enum("type", 8, EnumRmaAtomicType), num("bytesSent", 64), num("bytesReceived", 64), num("matchingId", 64).value()}, Pairs: []Pair{opens(PairRma, ByKey, "win", "matchingId")}},
	{ID: KindRmaOpCompleteBlocking, Name: "RmaOpCompleteBlocking", Fields: []Field{ref("win", SpaceRmaWin, 32), num("matchingId", 64).value()}, Pairs: []Pair{closes(PairRma, ByKey, "win", "matchingId")}},
	{ID: KindRmaOpCompleteNonBlocking, Name: "RmaOpCompleteNonBlocking", Fields: []Field{ref("win", SpaceRmaWin, 32), num("matchingId", 64).value()}, Pairs: []Pair{closes(PairRma, ByKey, "win", "matchingId")}},
	{ID: KindRmaOpTest, Name: "RmaOpTest", Fields: []Field{ref("win", SpaceRmaWin, 32), num("matchingId", 64).value()}},
	{ID: KindRmaOpCompleteRemote, Name: "RmaOpCompleteRemote", Fields: []Field{ref("win", SpaceRmaWin, 32), num("matchingId", 64).value()}, Pairs: []Pair{closes(PairRma, ByKey, "win", "matchingId")}},
	{ID: KindThreadFork, Name: "ThreadFork", Fields: []Field{ref("model", SpaceParadigm, 8), num("numberOfRequestedThreads", 32)}, Pairs: []Pair{opens(PairFork, InOrder, "model")}},
	{ID: KindThreadJoin, Name: "ThreadJoin", Fields: []Field{ref("model", SpaceParadigm, 8)}, Pairs: []Pair{closes(PairFork, InOrder, "model")}},
	{ID: KindThreadTeamBegin, Name: "ThreadTeamBegin", Fields: []Field{ref("threadTeam", SpaceComm, 32)}, Pairs: []Pair{opens(PairTeam, InOrder, "threadTeam")}},
	{ID: KindThreadTeamEnd, Name: "ThreadTeamEnd", Fields: []Field{ref("threadTeam", SpaceComm, 32)}, Pairs: []Pair{closes(PairTeam, InOrder, "threadTeam")}},
	{ID: KindThreadAcquireLock, Name: "ThreadAcquireLock", Fields: []Field{ref("model", SpaceParadigm, 8), num("lockId", 32), num("acquisitionOrder", 32).value()}, Pairs: []Pair{opens(PairLock, ByKey, "model", "lockId")}},
	{ID: KindThreadReleaseLock, Name: "ThreadReleaseLock", Fields: []Field{ref("model", SpaceParadigm, 8), num("lockId", 32), num("acquisitionOrder", 32).value()}, Pairs: []Pair{closes(PairLock, ByKey, "model", "lockId")}},
	{ID: KindThreadTaskCreate, Name: "ThreadTaskCreate", Fields: []Field{ref("threadTeam", SpaceComm, 32), num("creatingThread", 32).value(), num("generationNumber", 32).value()}},
	{ID: KindThreadTaskSwitch, Name: "ThreadTaskSwitch", Fields: []Field{ref("threadTeam", SpaceComm, 32), num("creatingThread", 32).value(), num("generationNumber", 32).value()}},
	{ID: KindThreadTaskComplete, Name: "ThreadTaskComplete", Fields: []Field{ref("threadTeam", SpaceComm, 32), num("creatingThread", 32).value(), num("generationNumber", 32).value()}},
	{ID: KindThreadCreate, Name: "ThreadCreate", Fields: []Field{ref("threadContingent", SpaceComm, 32), num("sequenceCount", 64).value()}},
	{ID: KindThreadBegin, Name: "ThreadBegin", Fields: []Field{ref("threadContingent", SpaceComm, 32), num("sequenceCount", 64).value()}},
	{ID: KindThreadWait, Name: "ThreadWait", Fields: []Field{ref("threadContingent", SpaceComm, 32), num("sequenceCount", 64).value()}},
	{ID: KindThreadEnd, Name: "ThreadEnd", Fields: []Field{ref("threadContingent", SpaceComm, 32), num("sequenceCount", 64).value()}},
	{ID: KindCallingContextEnter, Name: "CallingContextEnter", Fields: []Field{ref("callingContext", SpaceCallingContext, 32).key(), num("unwindDistance", 32)}, Pairs: []Pair{opens(PairCall, ByKey, "callingContext")}},
	{ID: KindCallingContextLeave, Name: "CallingContextLeave", Fields: []Field{ref("callingContext", SpaceCallingContext, 32).key()}, Pairs: []Pair{closes(PairCall, ByKey, "callingContext")}},
	{ID: KindCallingContextSample, Name: "CallingContextSample", Fields: []Field{ref("callingContext", SpaceCallingContext, 32).key(), num("unwindDistance", 32), ref("interruptGenerator", SpaceInterruptGenerator, 32)}},
	{ID: KindIoCreateHandle, Name: "IoCreateHandle", Fields: []Field{ref("handle", SpaceIoHandle, 32), enum("mode", 8, EnumIoAccessMode), flags("creationFlags", EnumIoCreationFlag), flags("statusFlags", EnumIoStatusFlag)}},
	{ID: KindIoDestroyHandle, Name: "IoDestroyHandle", Fields: []Field{ref("handle", SpaceIoHandle, 32)}},
	{ID: KindIoDuplicateHandle, Name: "IoDuplicateHandle", Fields: []Field{ref("oldHandle", SpaceIoHandle, 32), ref("newHandle", SpaceIoHandle, 32), flags("statusFlags", EnumIoStatusFlag)}},
	{ID: KindIoSeek, Name: "IoSeek", Fields: []Field{ref("handle", SpaceIoHandle, 32), signed("offsetRequest", 64).value(), enum("whence", 8, EnumIoSeekOption), num("offsetResult", 64).value()}},
	{ID: KindIoChangeStatusFlags, Name: "IoChangeStatusFlags", Fields: []Field{ref("handle", SpaceIoHandle, 32), flags("statusFlags", EnumIoStatusFlag)}},
	{ID: KindIoDeleteFile, Name: "IoDeleteFile", Fields: []Field{ref("ioParadigm", SpaceIoParadigm, 8), ref("file", SpaceIoFile, 32)}},
	{ID: KindIoOperationBegin, Name: "IoOperationBegin", Fields: []Field{ref("handle", SpaceIoHandle, 32), enum("mode", 8, EnumIoOperationMode), flags("operationFlags", EnumIoOperationFlag), num("bytesRequest", 64).value(), num("matchingId", 64).value()}, Pairs: []Pair{opens(PairIo, ByKey, "handle", "matchingId")}},
	{ID: KindIoOperationTest, Name: "IoOperationTest", Fields: []Field{ref("handle", SpaceIoHandle, 32), num("matchingId", 64).value()}},
	{ID: KindIoOperationIssued, Name: "IoOperationIssued", Fields: []Field{ref("handle", SpaceIoHandle, 32), num("matchingId", 64).value()}},
	{ID: KindIoOperationComplete, Name: "IoOperationComplete", Fields: []Field{ref("handle", SpaceIoHandle, 32), num("bytesResult", 64).value(), num("matchingId", 64).value()}, Pairs: []Pair{closes(PairIo, ByKey, "handle", "matchingId")}},
	{ID: KindIoOperationCancelled, Name: "IoOperationCancelled", Fields: []Field{ref("handle", SpaceIoHandle, 32), num("matchingId", 64).value()}, Pairs: []Pair{closes(PairIo, ByKey, "handle", "matchingId")}},
	{ID: KindIoAcquireLock, Name: "IoAcquireLock", Fields: []Field{ref("handle", SpaceIoHandle, 32), enum("lockType", 8, EnumLockType)}, Pairs: []Pair{opens(PairLock, ByKey, "handle")}},
	{ID: KindIoReleaseLock, Name: "IoReleaseLock", Fields: []Field{ref("handle", SpaceIoHandle, 32), enum("lockType", 8, EnumLockType)}, Pairs: []Pair{closes(PairLock, ByKey, "handle")}},
	{ID: KindIoTryLock, Name: "IoTryLock", Fields: []Field{ref("handle", SpaceIoHandle, 32), enum("lockType", 8, EnumLockType)}},
	{ID: KindProgramBegin, Name: "ProgramBegin", Fields: []Field{ref("programName", SpaceString, 32), count("numberOfArguments", 32), ref("programArguments", SpaceString, 32).each()}},
	{ID: KindProgramEnd, Name: "ProgramEnd", Fields: []Field{signed("exitStatus", 64).value()}},
	{ID: KindNonBlockingCollectiveRequest, Name: "NonBlockingCollectiveRequest", Fields: []Field{num("requestId", 64).value()}, Pairs: []Pair{opens(PairCollectiveRequest, ByKey, "requestId")}},
	{ID: KindNonBlockingCollectiveComplete, Name: "NonBlockingCollectiveComplete", Fields: []Field{enum("collectiveOp", 8, EnumCollectiveOp).key(), ref("communicator", SpaceComm, 32), rank("root"), num("sizeSent", 64), num("sizeReceived", 64), num("requestId", 64).value()}, Pairs: []Pair{closes(PairCollectiveRequest, ByKey, "requestId")}},
	{ID: KindCommCreate, Name: "CommCreate", Fields: []Field{ref("communicator", SpaceComm, 32)}},
	{ID: KindCommDestroy, Name: "CommDestroy", Fields: []Field{ref("communicator", SpaceComm, 32)}},
}
