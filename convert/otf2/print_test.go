package otf2

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// TestPrint compares every event of the bundled traces with the output of otf2-print, an independent reader.
func TestPrint(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		if name != allRecords && name != allRecordsBig { // otf2-print gives up on these: see TestDump
			t.Run(name, func(t *testing.T) { comparePrint(t, name) })
		}
	}
}

// TestLarger compares all traces below $PANDO_TRACES with the output of otf2-print, or the library's dump.
func TestLarger(t *testing.T) {
	for _, name := range tracetest.Larger(t) {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(name, "allrecords") {
				compareDump(t, name)
			} else {
				comparePrint(t, name)
			}
		})
	}
}

func comparePrint(t *testing.T, name string) {
	a := mustOpen(t, name, Options{})
	var out io.Reader
	if text, ok := tracetest.Dump(t, name, "print.txt"); ok {
		out = bytes.NewReader(text)
	} else {
		path := tracetest.Oracle(t, "otf2-print")
		program := exec.Command(path, tracetest.Anchor(t, name))
		pipe, err := program.StdoutPipe()
		if err == nil {
			err = program.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			io.Copy(io.Discard, pipe)
			if err := program.Wait(); err != nil {
				t.Errorf("otf2-print: %v", err)
			}
		}()
		out = pipe
	}
	events := newPrinter(t, a, trace.StreamEvents)
	snapshots := newPrinter(t, a, trace.StreamSnapshots)
	n := comparePrinted(t, out, events, snapshots)
	events.finish()
	snapshots.finish()
	if n == 0 {
		t.Errorf("nothing was compared")
	}
	t.Logf("%d lines", n)
}

// comparePrinted compares the lines of otf2-print, which merges the locations, with those of the printers, by location.
func comparePrinted(t *testing.T, out io.Reader, events, snapshots *printer) (lines int) {
	scanner := bufio.NewScanner(out)
	scanner.Buffer(nil, 1<<20)
	p, last := events, uint64(0)
	for scanner.Scan() {
		line := scanner.Bytes()
		if bytes.HasPrefix(line, []byte("=== Snapshots")) {
			p = snapshots
		}
		want, location, ok := commonForm(line, last)
		if !ok {
			continue
		}
		last = location
		lines++
		if got := p.next(location); !bytes.Equal(got, want) {
			t.Fatalf("location %d:\n got %s\nwant %s", location, got, want)
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

const moreAttributes = "ADDITIONAL ATTRIBUTES: "

// commonForm makes "NAME LOCATION TIME REST" of a line of otf2-print, and leaves out what it resolves ranks to: that is
// no part of the event. The line of an attribute list belongs to the location of the line before it.
func commonForm(line []byte, last uint64) (form []byte, location uint64, ok bool) {
	if attrs := bytes.TrimLeft(line, " "); bytes.HasPrefix(attrs, []byte(moreAttributes)) {
		return attrs, last, true
	}
	if len(line) == 0 || line[0] < 'A' || line[0] > 'Z' {
		return nil, 0, false // titles and rules
	}
	name, rest, _ := bytes.Cut(line, []byte(" "))
	id, rest, _ := bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	time, rest, _ := bytes.Cut(bytes.TrimLeft(rest, " "), []byte(" "))
	location, err := strconv.ParseUint(string(id), 10, 64)
	if err != nil {
		return nil, 0, false // column titles
	}
	form = append(append(append(append(form, name...), ' '), id...), ' ')
	form = append(append(append(form, time...), ' '), bytes.TrimLeft(rest, " ")...)
	if bytes.HasPrefix(name, []byte("MPI_")) {
		if from := bytes.Index(form, []byte(" (")); from >= 0 {
			to := bytes.Index(form[from:], []byte(")")) + from
			form = append(form[:from], form[to+1:]...)
		}
	}
	return form, location, true
}

// printer prints the streams of a class in the common form, each at its own pace.
type printer struct {
	t       *testing.T
	a       *Archive
	names   map[definitionID]int64
	strings map[uint64]string
	members map[uint64][]uint64 // of metric classes and instances
	streams map[uint64]*printedStream
	line    []byte
}

type definitionID struct {
	space trace.Space
	id    uint64
}

type printedStream struct {
	trace.Stream
	batch trace.Batch
	i     int
	attrs bool // the next line is that of the attributes of record i-1
}

// newPrinter notes the names of all definitions. Of several with one id, otf2-print takes the last.
func newPrinter(t *testing.T, a *Archive, class trace.StreamClass) *printer {
	p := &printer{t: t, a: a, names: map[definitionID]int64{}, strings: map[uint64]string{},
		members: map[uint64][]uint64{}, streams: map[uint64]*printedStream{}}
	for _, id := range streamsOf(a, class) {
		s, err := a.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		p.streams[id.Location] = &printedStream{Stream: s}
	}
	defs, _ := a.Definitions(0)
	for i := range defs {
		p.define(&defs[i])
	}
	return p
}

func (p *printer) define(r *trace.Record) {
	spec := trace.Standard.Spec(r.Kind)
	if self, name := spec.Field("self"), spec.Field("name"); self >= 0 && name >= 0 {
		p.names[definitionID{spec.Fields[self].Ref, r.Words[self]}] = int64(r.Words[name])
	}
	switch r.Kind {
	case trace.KindString:
		p.strings[r.Words[0]] = r.TextOf(r.Words[1])
		p.names[definitionID{trace.SpaceString, r.Words[0]}] = int64(r.Words[0])
	case trace.KindMetricClass:
		p.members[r.Words[0]] = r.Words[2 : 2+r.Words[1]]
	case trace.KindMetricInstance:
		p.members[r.Words[0]] = p.members[r.Words[1]]
	}
}

// next returns the next line of a location.
func (p *printer) next(location uint64) []byte {
	s := p.streams[location]
	if s == nil {
		return []byte("(no such stream)")
	}
	if s.attrs {
		s.attrs = false
		return p.attributes(s.batch.AttrsOf(s.i - 1))
	}
	if s.i == s.batch.Len() {
		s.i = 0
		if err := s.Next(&s.batch, 500); err != nil {
			return []byte(err.Error())
		}
	}
	s.i++
	if s.batch.Kinds[s.i-1] == trace.KindEventLocalID {
		return p.next(location) // it says what the archive calls a thing, which otf2-print does not
	}
	s.attrs = len(s.batch.AttrsOf(s.i-1)) > 0
	return p.record(&s.batch, s.i-1)
}

// finish makes sure that there is nothing that otf2-print did not print.
func (p *printer) finish() {
	for location, s := range p.streams {
		if s.i < s.batch.Len() || s.attrs {
			p.t.Errorf("location %d has records that otf2-print does not have", location)
		}
		if err := s.Next(&s.batch, 1); err != io.EOF {
			p.t.Errorf("location %d has records that otf2-print does not have: %v", location, err)
		}
	}
}

// printed says how otf2-print prints a kind: its name, and labels for the fields.
type printed struct {
	name string
	line string // {FIELD} stands for a field
}

var send = "Receiver: {receiver}, Communicator: {communicator}, Tag: {msgTag}, Length: {msgLength}"
var receive = strings.Replace(send, "Receiver: {receiver}", "Sender: {sender}", 1)

var printedKinds = map[trace.Kind]printed{
	trace.KindBufferFlush:          {"BUFFER_FLUSH", "Stop Time: {stopTime}"},
	trace.KindMeasurementOnOff:     {"MEASUREMENT_ON_OFF", "Mode: {measurementMode}"},
	trace.KindEnter:                {"ENTER", "Region: {region}"},
	trace.KindLeave:                {"LEAVE", "Region: {region}"},
	trace.KindMpiSend:              {"MPI_SEND", send},
	trace.KindMpiIsend:             {"MPI_ISEND", send + ", Request: {requestId}"},
	trace.KindMpiIsendComplete:     {"MPI_ISEND_COMPLETE", "Request: {requestId}"},
	trace.KindMpiIrecvRequest:      {"MPI_IRECV_REQUEST", "Request: {requestId}"},
	trace.KindMpiRecv:              {"MPI_RECV", receive},
	trace.KindMpiIrecv:             {"MPI_IRECV", receive + ", Request: {requestId}"},
	trace.KindMpiRequestTest:       {"MPI_REQUEST_TEST", "Request: {requestId}"},
	trace.KindMpiCollectiveBegin:   {"MPI_COLLECTIVE_BEGIN", ""},
	trace.KindMpiCollectiveEnd:     {"MPI_COLLECTIVE_END", "Operation: {collectiveOp}, Communicator: {communicator}, Root: {root}, Sent: {sizeSent}, Received: {sizeReceived}"},
	trace.KindMetric:               {"METRIC", ""},
	trace.KindParameterUnsignedInt: {"PARAMETER_UINT64", "Parameter: {parameter}, Value: {value}"},
	trace.KindThreadFork:           {"THREAD_FORK", "Model: {model}, # Requested Threads: {numberOfRequestedThreads}"},
	trace.KindThreadJoin:           {"THREAD_JOIN", "Model: {model}"},
	trace.KindThreadTeamBegin:      {"THREAD_TEAM_BEGIN", "Thread Team: {threadTeam}"},
	trace.KindThreadTeamEnd:        {"THREAD_TEAM_END", "Thread Team: {threadTeam}"},
	trace.KindThreadBegin:          {"THREAD_BEGIN", "Thread Contingent: {threadContingent}, Sequence Count: {sequenceCount}"},
	trace.KindThreadEnd:            {"THREAD_END", "Thread Contingent: {threadContingent}, Sequence Count: {sequenceCount}"},
	trace.KindIoCreateHandle:       {"IO_CREATE_HANDLE", "Handle: {handle}, Access Mode: {mode}, Creation Flags: {creationFlags}, Status Flags: {statusFlags}"},
	trace.KindIoDestroyHandle:      {"IO_DESTROY_HANDLE", "Handle: {handle}"},
	trace.KindProgramBegin:         {"PROGRAM_BEGIN", ""},
	trace.KindProgramEnd:           {"PROGRAM_END", "Exit status: {exitStatus}"},
	trace.KindCommCreate:           {"COMM_CREATE", "Communicator: {communicator}"},
	trace.KindCommDestroy:          {"COMM_DESTROY", "Communicator: {communicator}"},
	trace.KindUnknownEvent:         {"UNKNOWN", ""},
	trace.KindSnapshotStart:        {"SNAPSHOT_START", "# Events: {numberOfRecords}"},
	trace.KindSnapshotEnd:          {"SNAPSHOT_END", "Cont. Read Position: {contReadPos}"},
	trace.KindSnapshotEnter:        {"ENTER", "Region: {region}"},
}

func (p *printer) record(b *trace.Batch, i int) []byte {
	kind, words := b.Kinds[i], b.Fields(i)
	spec := trace.Standard.Spec(kind)
	form, ok := printedKinds[kind]
	if !ok {
		p.t.Fatalf("the test does not know how otf2-print prints a %s", kind)
	}
	time := uint64(b.Times[i])
	if len(words) > 0 && spec.Fields[0].Name == "origEventTime" {
		time = words[0]
	}
	out := append(p.line[:0], form.name...)
	out = strconv.AppendUint(append(out, ' '), b.Location, 10)
	out = strconv.AppendUint(append(out, ' '), time+p.a.Meta().Epoch, 10)
	out = append(out, ' ')
	switch kind {
	case trace.KindMetric:
		out = p.metric(out, words)
	case trace.KindProgramBegin:
		out = p.programBegin(out, words)
	default:
		out = p.fields(out, form.line, spec, words)
	}
	p.line = out
	return out
}

func (p *printer) fields(out []byte, form string, spec *trace.Spec, words []uint64) []byte {
	for {
		before, rest, ok := strings.Cut(form, "{")
		out = append(out, before...)
		if !ok {
			return out
		}
		name, after, _ := strings.Cut(rest, "}")
		i := spec.Field(name)
		out = p.word(out, &spec.Fields[i], words[i])
		form = after
	}
}

func (p *printer) word(out []byte, f *trace.Field, w uint64) []byte {
	switch f.Type {
	case trace.TypeRef:
		return p.ref(out, f.Ref, f.Undefined(w), w)
	case trace.TypeEnum:
		return append(out, f.Enum.Format(w)...)
	case trace.TypeFlags:
		if w == 0 {
			return append(out, "NONE"...)
		}
		return append(out, "{"+strings.ReplaceAll(f.Enum.FormatFlags(w), "|", ", ")+"}"...)
	case trace.TypeSigned:
		return strconv.AppendInt(out, int64(w), 10)
	case trace.TypeTime:
		return strconv.AppendUint(out, w+p.a.Meta().Epoch, 10)
	case trace.TypeRank:
		if w == form.Undefined32 {
			return append(out, "NONE"...)
		}
	}
	return strconv.AppendUint(out, w, 10)
}

// ref prints a reference: a definition without a name by its id alone.
func (p *printer) ref(out []byte, space trace.Space, undefined bool, id uint64) []byte {
	if undefined {
		return append(out, "UNDEFINED"...)
	}
	name, ok := p.names[definitionID{space, id}]
	text, named := p.strings[uint64(name)]
	switch {
	case !ok:
		out = append(out, "INVALID"...)
	case !named:
		return strconv.AppendUint(out, id, 10)
	default:
		out = append(append(append(out, '"'), text...), '"')
	}
	return append(strconv.AppendUint(append(out, " <"...), id, 10), '>')
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s: ", n, what)
}

func (p *printer) programBegin(out []byte, words []uint64) []byte {
	out = p.ref(append(out, "Name: "...), trace.SpaceString, false, words[0])
	out = append(out, ", "+plural(len(words)-2, "Argument")...)
	for i, w := range words[2:] {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = p.ref(out, trace.SpaceString, false, w)
	}
	return out
}

func (p *printer) metric(out []byte, words []uint64) []byte {
	members := p.members[words[0]]
	n := int(words[1])
	out = fmt.Appendf(out, "Metric: %d, %s", words[0], plural(n, "Value"))
	for i := range n {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = p.ref(append(out, '('), trace.SpaceMetricMember, false, members[i])
		out = p.value(out, trace.ValueType(words[2+2*i]), words[3+2*i])
	}
	return out
}

// value prints the type and a value as otf2-print does, which prints doubles with six digits.
func (p *printer) value(out []byte, t trace.ValueType, v uint64) []byte {
	text := t.Format(v)
	if t == trace.ValueDouble {
		text = fmt.Sprintf("%.6g", math.Float64frombits(v))
	}
	return append(out, "; "+t.String()+"; "+text+")"...)
}

func (p *printer) attributes(attrs []trace.Attr) []byte {
	out := append(p.line[:0], moreAttributes...)
	for i, a := range attrs {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = p.ref(append(out, '('), trace.SpaceAttribute, false, a.ID)
		out = p.value(out, a.Type, a.Value)
	}
	p.line = out
	return out
}
