package edit

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
)

// saying is a source of which things were said.
type saying struct {
	trace.Source
	meta trace.Meta
}

func (s *saying) Meta() *trace.Meta { return &s.meta }

func said(src trace.Source, resolution uint64, properties []trace.Property, list ...annotation.Annotation) trace.Source {
	s := &saying{src, *src.Meta()}
	s.meta.Resolution, s.meta.Properties, s.meta.Annotations = resolution, properties, list
	return s
}

// TestMergeSaid: notes on which traces agree are one, others tell whose they are, and so do annotations of one name. Times, communicators and locations are those of the merged trace.
func TestMergeSaid(t *testing.T) {
	routine := func(last uint64) *annotation.Routine {
		return &annotation.Routine{Steps: []annotation.Step{{Region: "step", Count: 1}}, Least: 1, Most: 1, Locations: []annotation.Span{{First: 1, Last: last}}}
	}
	a := said(tracegen.Program(4, 1, 1), 1000, []trace.Property{{Name: "otf2.machine", Value: "x"}, {Name: "note.code", Value: "lu"}, {Name: "note.run", Value: "1"}, {Name: "note.first", Value: "y"}},
		annotation.Annotation{Name: "halo", From: 1, To: 2, Communicator: 0, Routine: routine(2)}, annotation.Annotation{Name: "once", From: -store.MaxTime, To: store.MaxTime, Communicator: annotation.NoCommunicator})
	b := said(tracegen.Program(4, 1, 2), 2000, []trace.Property{{Name: "otf2.machine", Value: "x"}, {Name: "note.code", Value: "lu"}, {Name: "note.run", Value: "2"}},
		annotation.Annotation{Name: "halo", From: 1, To: 2, Communicator: 0, Routine: routine(math.MaxUint64)}, annotation.Annotation{Name: "late", From: 0, To: store.MaxTime, Communicator: 1 << 40})
	merged, err := Merge(AlignClocks, a, b)
	if err != nil {
		t.Fatal(err)
	}
	m := merged.(*merge)
	if diff := cmp.Diff([]trace.Property{{Name: "merged.1.otf2.machine", Value: "x"}, {Name: "note.code", Value: "lu"}, {Name: "note.1.run", Value: "1"}, {Name: "note.first", Value: "y"},
		{Name: "merged.2.otf2.machine", Value: "x"}, {Name: "note.2.run", Value: "2"}}, m.meta.Properties); diff != "" {
		t.Error(diff)
	}
	first, second := routine(2), routine(3)
	ids := []uint64{}
	for id := uint64(1); id < 4; id++ {
		ids = append(ids, m.members[1].id(trace.SpaceLocation, id, 64))
	}
	second.Locations = annotation.Spans(ids)
	want := []annotation.Annotation{
		{Name: "1/halo", From: 2, To: 4, Communicator: 0, Routine: first},
		{Name: "2/halo", From: 1, To: 2, Communicator: m.members[1].id(trace.SpaceComm, 0, 32), Routine: second},
		{Name: "late", From: 0, To: store.MaxTime, Communicator: annotation.NoCommunicator},
		{Name: "once", From: -store.MaxTime / 2 * 2, To: store.MaxTime / 2 * 2, Communicator: annotation.NoCommunicator},
	}
	if diff := cmp.Diff(want, m.meta.Annotations); diff != "" {
		t.Error(diff)
	}
	if want[1].Communicator == 0 || second.Locations[0] == first.Locations[0] {
		t.Error("the second trace has the ids of the first: this tests nothing")
	}
	if err := annotation.Check(m.meta.Annotations); err != nil {
		t.Error(err)
	}
}
