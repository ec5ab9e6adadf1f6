package otf

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// unknown prints a value without a name.
func unknown(v uint64) string { return fmt.Sprintf("UNKNOWN <%d>", v) }

func named(names []string, v uint64) string {
	if v < uint64(len(names)) && names[v] != "" {
		return names[v]
	}
	return unknown(v)
}

var (
	attributeNames  = []string{"", "IsMPIRank", "IsPThread", "IsOMPThread", "IsCellSPUThread", "hasGroupCounters", "hasEnterLeaveRecords", "IsCommunicator", "IsCUDAThread", "IsMasterThread"}
	typeNames       = []string{"CHAR", "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "FLOAT", "DOUBLE", "BYTE_ARRAY"}
	collectiveNames = []string{"", "BARRIER", "ONE2ALL", "ALL2ONE", "ALL2ALL"}
	sampleNames     = []string{"SNAPSHOT", "SUMMARY", "INLINE_SNAPSHOT"}
	kindNames       = []string{"ACC", "ABS"}
	scopeNames      = []string{"START", "POINT", "LAST", "NEXT"}
	fileNames       = []string{"OPEN", "CLOSE", "READ", "WRITE", "SEEK", "UNLINK", "RENAME", "DUP", "SYNC", "LOCK", "UNLOCK"}
	flagNames       = []string{"IOFAILED", "ASYNC", "COLL", "DIRECT", "SYNC", "ISREADLOCK"}
	severityNames   = []string{unknown(0), "HINT", "WARNING", "ERROR"}
	valueNames      = map[uint64]string{0: "UNSIGNED8", 32: "SIGNED8", 64: "UNSIGNED4", 96: "SIGNED4", 128: "UNSIGNED2", 160: "SIGNED2", 256: "FLOAT", 288: "DOUBLE"}
)

func listed(list []uint64) string {
	var s []string
	for _, v := range list {
		s = append(s, fmt.Sprint(v))
	}
	return strings.Join(s, ", ")
}

// definitions prints the log.
func (p *printer) definitions(log []trace.Record) {
	epoch := p.src.Meta().Epoch
	var list []string
	for i := range log {
		r := &log[i]
		w := r.Words
		text := func(word int) string { return r.TextOf(w[word]) }
		stream := func(format string, args ...any) string {
			return fmt.Sprintf("stream %d, ", w[0]) + fmt.Sprintf(format, args...)
		}
		var line string
		switch r.Kind {
		case trace.KindOtfKeyValue:
			list = append(list, fmt.Sprintf("%d:%s", w[1], printValue(trace.ValueType(w[2]), w[3])))
			continue
		case trace.KindOtfKeyBytes:
			list = slices.Insert(list, int(w[2]), fmt.Sprintf("%d:byte-array(%d)", w[1], len(text(3))))
			continue
		case trace.KindOtfVersion:
			line = "DefVersion: " + stream("version: %d.%d.%d %q", w[1], w[2], w[3], text(4))
		case trace.KindOtfUniqueID:
			line = "DefUniqueId: " + stream("uid: %d", w[1])
		case trace.KindOtfCreator:
			line = "DefCreator: " + stream("creator \"%s\"", text(1))
		case trace.KindOtfComment:
			line = "DefComment: " + stream("comment \"%s\"", text(1))
		case trace.KindOtfTimerResolution:
			line = "DefTimerResolution: " + stream("TicksPerSecond %d", w[1])
		case trace.KindOtfTimeRange:
			line = "DefTimeRange: " + stream("[%d, %d]", w[1]+epoch, w[2]+epoch)
		case trace.KindOtfProcess:
			line = "DefProcess: " + stream("process %d, name \"%s\", parent %d", w[1], text(2), w[3])
		case trace.KindOtfProcessGroup:
			line = "DefProcessGroup: " + stream("group %d, name \"%s\", procs %s", w[1], text(len(w)-1), listed(w[3:len(w)-1]))
		case trace.KindOtfAttributeList:
			var names []string
			for _, v := range w[3:] {
				names = append(names, named(attributeNames, v))
			}
			line = "DefAttributeList: " + stream("attr_token %d, attributes %s", w[1], strings.Join(names, ", "))
		case trace.KindOtfProcessOrGroupAttributes:
			line = "DefProcessOrGroupAttributes: " + stream("process %d, attr_token %d", w[1], w[2])
		case trace.KindOtfProcessSubstitutes:
			line = "DefProcessSubstitutes: " + stream("representative process %d, procs %s", w[1], listed(w[3:]))
		case trace.KindOtfFunctionGroup:
			line = "DefFunctionGroup: " + stream("group %d, name \"%s\"", w[1], text(2))
		case trace.KindOtfFunction:
			line = "DefFunction: " + stream("function %d, name \"%s\", group %d, source %d", w[1], text(3), w[2], w[4])
		case trace.KindOtfCollective:
			line = "DefCollective: " + stream("collective %d, name \"%s\", type %s", w[1], text(2), named(collectiveNames, w[3]))
		case trace.KindOtfCounterGroup:
			line = "DefCounterGroup: " + stream("group %d, name \"%s\"", w[1], text(2))
		case trace.KindOtfCounter:
			typ, ok := valueNames[w[4]&480]
			if !ok {
				typ = unknown(w[4] & 480)
			}
			line = "DefCounter: " + stream("counter %d, name \"%s\", properties %s/%s/%s, group %d, unit \"%s\"", w[1], text(3),
				named(kindNames, w[4]&3), scopeNames[w[4]>>2&3], typ, w[2], text(5))
		case trace.KindOtfCounterAssignments:
			line = "DefCounterAssignments: " + stream("counter_token %d, assignees %s", w[1], listed(w[3:]))
		case trace.KindOtfSourceFile:
			line = "DefSclFile: " + stream("file %d, name \"%s\"", w[1], text(2))
		case trace.KindOtfSourceLocation:
			line = "DefScl: " + stream("source %d, file %d, line %d", w[1], w[2], w[3])
		case trace.KindOtfFile:
			line = fmt.Sprintf("DefFile: %s, stream %d, token %d, group %d", text(2), w[0], w[1], w[3])
		case trace.KindOtfFileGroup:
			line = fmt.Sprintf("DefFileGroup: %s, token %d, stream %d", text(2), w[1], w[0])
		case trace.KindOtfKey:
			line = "DefKeyValue: " + stream("token %d, type %s, name \"%s\", desc \"%s\"", w[1], named(typeNames, w[2]), text(3), text(4))
		case trace.KindOtfSamplePoint:
			line = "DefAuxSamplePoint: " + stream("time %d, type %s", w[1]+epoch, named(sampleNames, w[2]))
		default:
			continue // of the model
		}
		if list != nil {
			line += ", KeyValue: " + strings.Join(list, ", ")
		}
		list = nil
		p.dump.definitions = append(p.dump.definitions, line)
	}
}

func flagsOf(flags uint64) string {
	var names []string
	for i, name := range flagNames {
		if flags&(32<<i) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "EMPTY"
	}
	return strings.Join(names, ", ")
}

func (p *printer) value(typ, v uint64) string {
	switch trace.ValueType(typ) {
	case trace.ValueFloat:
		return fmt.Sprintf("%f", math.Float32frombits(uint32(v)))
	case trace.ValueDouble:
		return fmt.Sprintf("%f", math.Float64frombits(v))
	}
	return trace.ValueType(typ).Format(v)
}

// event prints an event; "" for those that otfprint has no line for.
func (p *printer) event(process uint64, r *record) string {
	w := r.words
	region := func(id uint64) uint64 { return p.number(process, trace.SpaceRegion, id) }
	file := func(id uint64) uint64 { return p.number(process, trace.SpaceIoFile, id) }
	comm := func(id uint64) uint64 { return p.number(process, trace.SpaceComm, id) }
	source := p.source(process, r)
	line := func(format string, args ...any) string {
		return fmt.Sprintf("%d ", uint64(r.time)+p.src.Meta().Epoch) + fmt.Sprintf(format, args...)
	}
	const (
		whole = "Collective: process %d, collective %d, group %d, root %d, sent %d, received %d, duration %d, source %d"
		begin = "BeginCollective: process %d, collective %d, group %d, matchingId %d, root %d, sent %d, received %d, source %d"
	)
	switch r.kind {
	case trace.KindEnter:
		return line("Enter: function %d, process %d, source %d", region(w[0]), process, source)
	case trace.KindLeave:
		return line("Leave: function %d, process %d, source %d", region(w[0]), process, source)
	case trace.KindMpiSend:
		group, peer := p.peer(process, r, w[1], w[0])
		return line("SendMessage: sender %d, receiver %d, group %d, type %d, length %d, source %d", process, peer, group, w[2], w[3], source)
	case trace.KindMpiRecv:
		group, peer := p.peer(process, r, w[1], w[0])
		return line("ReceiveMessage: receiver %d, sender %d, group %d, type %d, length %d, source %d", process, peer, group, w[2], w[3], source)
	case trace.KindMetric:
		return line("Counter: process %d, counter %d, value %s", process, p.number(process, trace.SpaceMetric, w[0]), p.value(w[2], w[3]))
	case trace.KindCollective:
		return line(whole, process, w[0], comm(w[1]), w[2], w[3], w[4], w[5], source)
	case joinedWhole:
		op, group, root := p.operation(process, r)
		return line(whole, process, op, group, root, w[3], w[4], w[5], source)
	case joinedUnended:
		return line(begin, process, w[1], comm(w[2]), w[0], w[3], w[4], w[5], source)
	case joinedBegin:
		op, group, root := p.operation(process, &record{words: w[1:], attrs: r.attrs})
		return line(begin, process, op, group, w[0], root, w[4], w[5], source)
	case trace.KindMpiCollectiveEnd:
		id, _ := p.attr(r, "otf.matchId")
		return line("EndCollective: process %d, matchingId %d", process, id)
	case trace.KindCollectiveUnbegun:
		return line("EndCollective: process %d, matchingId %d", process, w[0])
	case trace.KindComment:
		return line("EventComment: process %d, comment \"%s\"", process, r.texts[0])
	case trace.KindNoOperation:
		return line("NoOp: process %d", process)
	case trace.KindProcessBegin:
		return line("BeginProcess: process %d", process)
	case trace.KindProcessEnd:
		return line("EndProcess: process %d", process)
	case trace.KindFileOperation:
		return line("FileOperation: file ID %d, process %d, handle ID %d, operation %s, flags %s, bytes %d, duration %d, source %d",
			file(w[0]), process, w[1], named(fileNames, w[2]), flagsOf(w[3]), w[4], w[5], source)
	case trace.KindFileOperationBegin:
		return line("BeginFileOperation: process %d, matching ID %d, source %d", process, w[0], source)
	case trace.KindFileOperationEnd:
		return line("EndFileOperation: process %d, file ID %d, matching ID %d, handle ID %d, operation %s, flags %s, bytes %d, source %d",
			process, file(w[0]), w[1], w[2], named(fileNames, w[3]), flagsOf(w[4]), w[5], source)
	case trace.KindProcessRmaPut, trace.KindProcessRmaPutRemoteEnd, trace.KindProcessRmaGet:
		name := map[trace.Kind]string{trace.KindProcessRmaPut: "RMAPut", trace.KindProcessRmaPutRemoteEnd: "RMAPutRemoteEnd", trace.KindProcessRmaGet: "RMAGet"}[r.kind]
		return line("%s: initiator %d, origin %d, target %d, communicator %d, tag %d, bytes %d, source %d", name, process, w[0], w[1], comm(w[2]), w[3], w[4], source)
	case trace.KindProcessRmaEnd:
		return line("RMAEnd: initiator %d, remote %d, communicator %d, tag %d, source %d", process, w[0], comm(w[1]), w[2], source)
	case trace.KindUnknownEvent:
		return line("Unknown: process %d, record \"%s\"", process, r.texts[0])
	}
	p.t.Errorf("an event of kind %s", r.kind)
	return ""
}

// snapshot prints a record of a snapshot.
func (p *printer) snapshot(process uint64, r *record) string {
	w, source, epoch := r.words, p.source(process, r), p.src.Meta().Epoch
	number := func(space trace.Space, id uint64) uint64 { return p.number(process, space, id) }
	line := func(format string, args ...any) string {
		return fmt.Sprintf("%d ", uint64(r.time)+epoch) + fmt.Sprintf(format, args...)
	}
	switch r.kind {
	case trace.KindComment:
		return line("SnapComment: process %d, comment \"%s\"", process, r.texts[0])
	case trace.KindSnapshotEnter:
		return line("SnapEnter: otime %d, process %d, function %d, source %d", w[0]+epoch, process, number(trace.SpaceRegion, w[1]), source)
	case trace.KindSnapshotMpiSend:
		group, peer := p.peer(process, r, w[2], w[1])
		return line("SnapSend: otime %d, sender %d, receiver %d, group %d, tag %d, length %d, source %d", w[0]+epoch, process, peer, group, w[3], w[4], source)
	case trace.KindSnapshotOpenFile:
		return line("SnapOpenFile: otime %d, process %d, fileid %d, handle ID %d, source %d", w[0]+epoch, process, number(trace.SpaceIoFile, w[1]), w[2], source)
	case trace.KindSnapshotCollective:
		return line("SnapBeginCollop: otime %d, process %d, collOp %d, matchingID %d, group %d, root %d, sent %d, received %d, source %d",
			w[0]+epoch, process, w[1], w[2], number(trace.SpaceComm, w[3]), w[4], w[5], w[6], source)
	case trace.KindSnapshotFileOperationBegin:
		return line("SnapBeginFileOp: otime %d, process %d, matchingID %d, source %d", w[0]+epoch, process, w[1], source)
	case trace.KindSnapshotCollectiveCount:
		return line("SnapCollopCount: process %d, communicator %d, count %d", process, number(trace.SpaceComm, w[0]), w[1])
	case trace.KindSnapshotMetric:
		return line("SnapCounter: otime %d, process %d, counter %d, value %s", w[0]+epoch, process, number(trace.SpaceMetric, w[1]), p.value(w[3], w[4]))
	}
	p.t.Errorf("a snapshot of kind %s", r.kind)
	return ""
}

// statistics prints a record of statistics. Comments and files have no line with otfprint.
func (p *printer) statistics(process uint64, r *record) string {
	w := r.words
	number := func(space trace.Space, id uint64) uint64 { return p.number(process, space, id) }
	line := func(format string, args ...any) string {
		return fmt.Sprintf("%d ", uint64(r.time)+p.src.Meta().Epoch) + fmt.Sprintf(format, args...)
	}
	switch r.kind {
	case trace.KindComment, trace.KindStatisticsFile, trace.KindStatisticsFileGroup:
		return ""
	case trace.KindStatisticsRegion:
		return line("StatFunction: process %d, function %d, invocations %d, excltime %d, incltime %d", process, number(trace.SpaceRegion, w[0]), w[1], w[2], w[3])
	case trace.KindStatisticsRegionGroup:
		return line("StatFunctionGroup: process %d, group %d, invocations %d, excltime %d, incltime %d", process, w[0], w[1], w[2], w[3])
	case trace.KindStatisticsMessages:
		return line("StatMessage: process %d, peer %d, group %d, type %d, numsent %d, numreceived %d, bytessent %d, bytesreceived %d",
			process, w[0], number(trace.SpaceComm, w[1]), w[2], w[3], w[4], w[5], w[6])
	case trace.KindStatisticsCollectives:
		return line("StatCollOp: process %d, group %d, col %d, numsent %d, numreceived %d, bytessent %d, bytesreceived %d",
			process, number(trace.SpaceComm, w[0]), w[1], w[2], w[3], w[4], w[5])
	}
	p.t.Errorf("statistics of kind %s", r.kind)
	return ""
}

// marker prints a record of a marker file.
func (p *printer) marker(_ uint64, r *record) string {
	w := r.words
	switch r.kind {
	case trace.KindDefMarker:
		return fmt.Sprintf("DefMarker: ID %d, name \"%s\", type %s", w[0], r.texts[1], severityNames[w[1]])
	case trace.KindMarker:
		return fmt.Sprintf("%d Marker: ID %d, process %d, text \"%s\"", w[0]+p.src.Meta().Epoch, w[2], w[4], r.texts[0])
	}
	p.t.Errorf("a marker of kind %s", r.kind)
	return ""
}
