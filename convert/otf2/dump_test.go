package otf2

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// The dump was made with the callbacks of the OTF2 library. Its lines begin with a letter: G global definitions, L local
// definitions (by the location's index), E events (location, time), S snapshots, M markers, A the anchor.

func TestDump(t *testing.T) {
	for _, name := range []string{allRecords, allRecordsBig} {
		t.Run(name, func(t *testing.T) { compareDump(t, name) })
	}
}

func compareDump(t *testing.T, name string) {
	text, ok := tracetest.Dump(t, allRecords, "dump.txt")
	if !ok {
		t.Fatal("the trace has no dump")
	}
	want := map[byte][]string{}
	for _, line := range lines(text) {
		want[line[0]] = append(want[line[0]], line)
	}
	got := dumpOf(t, mustOpen(t, name, Options{}))
	for _, class := range []byte("GLESMA") {
		compareLines(t, string(class), got[class], want[class])
	}
}

// dumpOf prints an archive in the form of the dump.
func dumpOf(t *testing.T, a *Archive) map[byte][]string {
	got := map[byte][]string{}
	add := func(class byte, format string, args ...any) {
		got[class] = append(got[class], string(class)+" "+fmt.Sprintf(format, args...))
	}
	defs, _ := a.Definitions(0)
	for i := range defs {
		add('G', "%s", dumpRecord(defs[i].Kind, defs[i].Words, defs[i].TextOf, 0))
	}
	for i, id := range streamsOf(a, trace.StreamLocalDefinitions) {
		records(t, a, id, 1000, func(b *trace.Batch, r int) {
			add('L', "%d %s", i, dumpRecord(b.Kinds[r], b.Fields(r), textOf(b), 0))
		})
	}
	epoch := a.Meta().Epoch
	timed := func(class byte) func(b *trace.Batch, i int) {
		return func(b *trace.Batch, i int) {
			add(class, "%d %d %s%s", b.Location, uint64(b.Times[i])+epoch,
				dumpRecord(b.Kinds[i], b.Fields(i), textOf(b), epoch), dumpAttrs(b.AttrsOf(i)))
		}
	}
	for _, id := range streamsOf(a, trace.StreamEvents) {
		records(t, a, id, 1000, timed('E'))
	}
	for _, id := range streamsOf(a, trace.StreamSnapshots) {
		records(t, a, id, 1000, timed('S'))
	}
	for _, id := range streamsOf(a, trace.StreamMarkers) {
		records(t, a, id, 1000, func(b *trace.Batch, i int) {
			add('M', "%s", dumpMarker(b.Kinds[i], b.Fields(i), textOf(b), epoch))
		})
	}
	for _, line := range dumpAnchor(a) {
		add('A', "%s", line)
	}
	return got
}

func textOf(b *trace.Batch) func(uint64) string {
	return func(w uint64) string { return string(b.TextOf(w)) }
}

// dumpRecord prints a record as the lower-cased name of its kind and its fields by name.
func dumpRecord(kind trace.Kind, words []uint64, text func(uint64) string, epoch uint64) string {
	spec := trace.Standard.Spec(kind)
	if kind == trace.KindMappingTable {
		return dumpMapping(words)
	}
	fields, repeated := map[string]string{}, map[string][]string{}
	code := trace.ValueNone
	for _, f := range spec.Fields {
		if f.Repeat {
			repeated[f.Name] = nil
		}
	}
	spec.Walk(words, func(_ int, f *trace.Field, w uint64) {
		if f.Type == trace.TypeCode {
			code = trace.ValueType(w)
		}
		s := dumpWord(kind, f, w, code, text, epoch)
		if f.Name == "stopResidual" {
			return // computed
		}
		if f.Repeat {
			repeated[f.Name] = append(repeated[f.Name], s)
		} else {
			fields[f.Name] = s
		}
	})
	for name, list := range repeated {
		fields[name] = "[" + strings.Join(list, ",") + "]"
	}
	if self, ok := fields["self"]; ok && kind == trace.KindParadigm {
		delete(fields, "self")
		fields["paradigm"] = self
	}
	var parts []string
	for name, s := range fields {
		parts = append(parts, " "+strings.ToLower(name)+"="+s)
	}
	slices.Sort(parts)
	name := strings.ToLower(spec.Name)
	if kind != trace.KindSnapshotStart && kind != trace.KindSnapshotEnd {
		name = strings.TrimPrefix(name, "snapshot")
	}
	return name + strings.Join(parts, "")
}

func dumpWord(kind trace.Kind, f *trace.Field, w uint64, code trace.ValueType, text func(uint64) string, epoch uint64) string {
	switch {
	case f.Type == trace.TypeText:
		return dumpText(text(w))
	case f.Type == trace.TypeTime:
		return strconv.FormatUint(w+epoch, 10)
	case f.Type == trace.TypeSigned:
		return strconv.FormatInt(int64(w), 10)
	case f.Type == trace.TypeDouble:
		return dumpValue(trace.ValueDouble, w)
	case f.Type == trace.TypeValue && kind != trace.KindMetric && kind != trace.KindSnapshotMetric:
		return dumpValue(code, w)
	}
	return strconv.FormatUint(w, 10)
}

func dumpValue(code trace.ValueType, w uint64) string {
	switch code {
	case trace.ValueDouble:
		return "d" + strconv.FormatUint(w, 16)
	case trace.ValueFloat:
		return "f" + strconv.FormatUint(w, 16)
	}
	return code.Format(w)
}

func dumpAttrs(attrs []trace.Attr) string {
	var parts []string
	for _, a := range attrs {
		parts = append(parts, fmt.Sprintf("%d:%d:%s", a.ID, uint8(a.Type), dumpValue(a.Type, a.Value)))
	}
	if parts == nil {
		return ""
	}
	return " attrs=" + strings.Join(parts, ",")
}

func dumpMapping(words []uint64) string {
	var s strings.Builder
	fmt.Fprintf(&s, "mappingtable idmap=%d:", words[1])
	for i := 3; i < len(words); i += 2 {
		fmt.Fprintf(&s, "%d>%d,", words[i], words[i+1])
	}
	fmt.Fprintf(&s, " mappingtype=%d", words[0])
	return s.String()
}

func dumpMarker(kind trace.Kind, w []uint64, text func(uint64) string, epoch uint64) string {
	if kind == trace.KindDefMarker {
		return fmt.Sprintf("def %d %s %s %d", w[0], dumpText(text(w[1])), dumpText(text(w[2])), w[3])
	}
	return fmt.Sprintf("marker %d %d %d %d %d %s", w[0]+epoch, w[1], w[2], w[3], w[4], dumpText(text(w[5])))
}

// dumpText quotes a string; blanks and bytes that are not printable ASCII stand as \xNN.
func dumpText(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\x%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

func dumpAnchor(a *Archive) []string {
	p := map[string]string{}
	var own []string
	for _, q := range a.Meta().Properties {
		p[q.Name] = q.Value
		if name, ok := strings.CutPrefix(q.Name, "otf2.property."); ok {
			own = append(own, "property "+name+"="+q.Value)
		}
	}
	return append([]string{
		"version " + p["otf2.version"],
		"chunk " + p["otf2.eventChunkSize"] + " " + p["otf2.definitionChunkSize"],
		"machine " + p["otf2.machine"], "creator " + p["otf2.creator"], "description " + p["otf2.description"],
		"traceid " + p["otf2.traceId"], "locations " + p["otf2.numberOfLocations"],
		"globaldefs " + p["otf2.numberOfGlobalDefinitions"],
		"snapshots " + p["otf2.numberOfSnapshots"], "thumbnails " + p["otf2.numberOfThumbnails"],
	}, own...)
}
