package chrome

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// TestMarks writes a trace that was cut: calls, ends of messages and other events that were put in say when they were, no others do.
func TestMarks(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1_000_000})
	a, b := src.Location(1, src.Process("a")), src.Location(2, src.Process("b"))
	world, outer, inner := src.Comm(src.CommLocations(1, 2)), src.Region("outer"), src.Region("inner")
	put := func(b *trace.Batch, mark trace.Kind, at, was int64, kind trace.Kind, words ...uint64) {
		b.Append(mark, at, uint64(was))
		b.Append(kind, at, words...)
	}
	put(a, trace.KindCutBefore, 10, 3, trace.KindEnter, outer)
	a.SetAttrs([]trace.Attr{{ID: src.String("unknown"), Type: trace.ValueUint8, Value: 1}})
	put(a, trace.KindCutBefore, 10, 4, trace.KindMpiSend, 1, world, 7, 8)
	a.Append(trace.KindMpiSend, 12, 1, world, 7, 9)
	a.Append(trace.KindEnter, 15, inner)
	put(a, trace.KindCutAfter, 20, 25, trace.KindLeave, inner)
	put(a, trace.KindCutAfter, 20, 26, trace.KindMeasurementOnOff, 1)
	put(a, trace.KindCutAfter, 20, 27, trace.KindLeave, outer)
	b.Append(trace.KindMpiRecv, 13, 0, world, 7, 8)
	put(b, trace.KindCutAfter, 20, 30, trace.KindMpiRecv, 0, world, 7, 9)
	r := pandoOf(t, src)
	var file struct {
		TraceEvents []struct {
			Ph, Name string
			Ts       float64
			Args     map[string]any
		}
	}
	if err := json.Unmarshal(exported(t, r, r.All()), &file); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range file.TraceEvents {
		line := e.Ph + " " + e.Name + " " + strconv.FormatFloat(e.Ts, 'f', -1, 64)
		for _, name := range []string{"pando.cut.before", "pando.cut.after"} {
			if v, ok := e.Args[name].(float64); ok {
				line += " " + name[len("pando.cut."):] + " " + strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		if e.Ph != "M" {
			got = append(got, line)
		}
	}
	slices.Sort(got)
	want := []string{
		"B inner 15", "B outer 10 before 3", "E  20 after 25", "E  20 after 27", "f message 13", "f message 20 after 30",
		"i MeasurementOnOff 20 after 26", "s message 10 before 4", "s message 12",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
