package main

import (
	"fmt"
	"strings"
)

// words are those of an event of each kind that may stand in a recording, from spec/v1/registry.md: name, number, words.
const words = `
MeasurementOnOff 11: 1
MpiSend 14: 0 0 7 64
MpiIsend 15: 0 0 7 64 1
MpiIsendComplete 16: 1
MpiIrecvRequest 17: 2
MpiRecv 18: 0 0 7 64
MpiIrecv 19: 0 0 7 64 2
MpiRequestTest 20: 2
MpiRequestCancelled 21: 3
MpiCollectiveBegin 22:
MpiCollectiveEnd 23: 12 0 0 8 8
OmpFork 24: 4
OmpJoin 25:
OmpAcquireLock 26: 9 1
OmpReleaseLock 27: 9 1
OmpTaskCreate 28: 11
OmpTaskSwitch 29: 11
OmpTaskComplete 30: 11
ParameterString 32: 0 0
ParameterInt 33: 0 18446744073709551611
ParameterUnsignedInt 34: 0 5
RmaWinCreate 35: 0
RmaWinDestroy 36: 0
RmaCollectiveBegin 37:
RmaCollectiveEnd 38: 0 3 0 4294967295 0 0
RmaGroupSync 39: 2 0 0
RmaRequestLock 40: 0 0 0 0
RmaAcquireLock 41: 0 0 0 0
RmaTryLock 42: 0 0 0 1
RmaReleaseLock 43: 0 0 0
RmaSync 44: 0 0 0
RmaWaitChange 45: 0
RmaPut 46: 0 0 64 1
RmaGet 47: 0 0 64 2
RmaAtomic 48: 0 0 0 8 8 3
RmaOpCompleteBlocking 49: 0 1
RmaOpCompleteNonBlocking 50: 0 2
RmaOpTest 51: 0 3
RmaOpCompleteRemote 52: 0 3
ThreadFork 53: 3 4
ThreadJoin 54: 3
ThreadTeamBegin 55: 0
ThreadTeamEnd 56: 0
ThreadAcquireLock 57: 3 9 1
ThreadReleaseLock 58: 3 9 1
ThreadTaskCreate 59: 0 0 1
ThreadTaskSwitch 60: 0 0 1
ThreadTaskComplete 61: 0 0 1
ThreadCreate 62: 0 1
ThreadBegin 63: 0 1
ThreadWait 64: 0 1
ThreadEnd 65: 0 1
CallingContextEnter 66: 0 1
CallingContextLeave 67: 0
CallingContextSample 68: 0 1 0
IoCreateHandle 69: 0 2 0 0
IoDestroyHandle 70: 0
IoDuplicateHandle 71: 0 1 0
IoSeek 72: 0 18446744073709551615 1 100
IoChangeStatusFlags 73: 0 0
IoDeleteFile 74: 0 0
IoOperationBegin 75: 0 1 0 4096 1
IoOperationTest 76: 0 1
IoOperationIssued 77: 0 1
IoOperationComplete 78: 0 4096 1
IoOperationCancelled 79: 0 2
IoAcquireLock 80: 0 0
IoReleaseLock 81: 0 0
IoTryLock 82: 0 1
ProgramBegin 83: 0 2 0 0
ProgramEnd 84: 0
NonBlockingCollectiveRequest 85: 4
NonBlockingCollectiveComplete 86: 11 0 4294967295 8 8 4
CommCreate 87: 0
CommDestroy 88: 0
`

var everyKind = kinds()

// kinds makes an event of each kind, ten ticks apart.
func kinds() vector {
	var list []event
	expected := "resolution 1000000000\nwindow 0 w of communicator 0\nlocation main of rank 0\n"
	for i, line := range strings.Split(strings.TrimSpace(words), "\n") {
		name, rest, _ := strings.Cut(line, ":")
		e := event{since: 10}
		if _, err := fmt.Sscan(name, &name, &e.kind); err != nil {
			panic(err)
		}
		for _, w := range strings.Fields(rest) {
			var v uint64
			if _, err := fmt.Sscan(w, &v); err != nil {
				panic(err)
			}
			e.words = append(e.words, v)
		}
		list = append(list, e)
		switch name { // their last words are numbers of the recording
		case "RmaGroupSync":
			rest = " 2 0 {0}"
		case "IoDeleteFile":
			rest = " 0 /tmp/a"
		}
		expected += fmt.Sprintf("%d %s%s\n", 1010+10*i, name, rest)
	}
	return vector{"kinds", "an event of each kind that may stand in a recording, but those of calls and metrics", []*file{one(
		definitions(0, location(0, "main"), window(0, 0, "w"), group(0, 0), path(0, "/tmp/a")), idle, events(eventsBin, 0, 1000, list...),
	)}, expected}
}
