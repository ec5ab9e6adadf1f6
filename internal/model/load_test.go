package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// Load keeps everything that a record has, whatever batch it came in, and asks for late definitions.
func TestLoad(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1000})
	src.String("early")
	b := src.Events(3)
	b.Append(trace.KindUnknownEvent, 5, 200, 0, b.PutText("first"))
	b.SetAttrs([]trace.Attr{{ID: 1, Type: trace.ValueUint8, Value: 2}})
	b.Append(trace.KindUnknownEvent, 6, 201, 1, b.PutText(""))
	b.SetResidual(-4)
	b.Append(trace.KindMetric, 6, 9, 2, 4, 40, 10, 50)
	src.Location(8, src.Process("p"))
	markers := trace.StreamID{Class: trace.StreamMarkers}
	src.Stream(markers).Append(trace.KindMarker, 0, 7, 0, 1, 0, 0, src.Stream(markers).PutText("here"))
	late := trace.Record{Kind: trace.KindString}
	late.Words = []uint64{50, late.PutText("late")}
	src.DefineLate(late)

	m := load(t, src)
	want := []model.Location{{ID: 8}, {ID: 3, Events: []model.Record{
		{Kind: trace.KindUnknownEvent, Time: 5, Words: []uint64{200, 0, 0}, Texts: []string{"first"},
			Attrs: []trace.Attr{{ID: 1, Type: trace.ValueUint8, Value: 2}}},
		{Kind: trace.KindUnknownEvent, Time: 6, Words: []uint64{201, 1, 0}, Texts: []string{""}, Residual: -4},
		{Kind: trace.KindMetric, Time: 6, Words: []uint64{9, 2, 4, 40, 10, 50}},
	}}}
	if diff := cmp.Diff(want, m.Locations); diff != "" {
		t.Errorf("locations (-want +got):\n%s", diff)
	}
	aux := []model.Stream{{ID: markers, Records: []model.Record{
		{Kind: trace.KindMarker, Words: []uint64{7, 0, 1, 0, 0, 0}, Texts: []string{"here"}}}}}
	if diff := cmp.Diff(aux, m.Auxiliary); diff != "" {
		t.Errorf("auxiliary streams (-want +got):\n%s", diff)
	}
	if m.Definitions.Strings[0] != "early" || m.Definitions.Strings[50] != "late" || m.Meta.Resolution != 1000 {
		t.Errorf("definitions %v, resolution %d", m.Definitions.Strings, m.Meta.Resolution)
	}
}
