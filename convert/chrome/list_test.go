package chrome

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/trace"
)

// listing reads all events of an archive as text, location by location.
func listing(t *testing.T, a *read.Archive) (list []string) {
	t.Helper()
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	defs := trace.NewDefinitions(log)
	for _, info := range a.Streams() {
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		process, _ := defs.Process(info.Location)
		list = append(list, fmt.Sprintf("-- %s, %s", defs.Name(trace.SpaceLocationGroup, process), defs.Name(trace.SpaceLocation, info.Location)))
		var b trace.Batch
		for err = s.Next(&b, 7); err == nil; err = s.Next(&b, 7) {
			if err := b.Check(trace.Standard); err != nil {
				t.Fatal(err)
			}
			for i := range b.Len() {
				list = append(list, line(defs, &b, i))
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
	return list
}

// line shows an event: time, kind, fields, attributes.
func line(defs *trace.Definitions, b *trace.Batch, i int) string {
	parts := []string{fmt.Sprint(b.Times[i]), b.Kinds[i].String()}
	trace.Standard.Spec(b.Kinds[i]).Walk(b.Fields(i), func(_ int, f *trace.Field, w uint64) {
		switch {
		case f.Type == trace.TypeRef && f.Undefined(w):
			parts = append(parts, "-")
		case f.Type == trace.TypeRef && f.Ref != trace.SpaceMetric:
			parts = append(parts, fmt.Sprintf("%q", defs.Name(f.Ref, w)))
		case f.Name == "phase":
			parts = append(parts, string(rune(w)))
		case f.Type == trace.TypeBytes:
			parts = append(parts, string(b.TextOf(w)))
		default:
			parts = append(parts, fmt.Sprint(w))
		}
	})
	for _, a := range b.AttrsOf(i) {
		value := a.Type.Format(a.Value)
		if a.Type == trace.ValueString {
			value = defs.Strings[a.Value]
		}
		d := defs.Attributes[a.ID]
		parts = append(parts, fmt.Sprintf("%s(%s)=%s", defs.Strings[d.Name], defs.Strings[d.Description], value))
	}
	return strings.Join(parts, " ")
}
