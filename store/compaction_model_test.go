package store_test

import (
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// What is compacted is the naive model's calls, and all sends and receives.
func TestCompactionOfModel(t *testing.T) {
	t.Parallel()
	for _, name := range tracetest.Distinct(t) {
		checkCompaction(t, newSubject(t, func() trace.Source {
			src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return src
		}))
	}
	for seed := range uint64(10) {
		checkCompaction(t, randomSubject(t, seed))
	}
	checkCompaction(t, newSubject(t, func() trace.Source { return tracegen.Ring(3, 20, 1) }))
}

func checkCompaction(t *testing.T, s *subject) {
	t.Helper()
	var want store.Graph
	for i := range s.model.Locations {
		if len(s.model.Locations[i].Events) > 0 {
			want.Nodes++
		}
	}
	want.Nodes += uint64(len(s.calls))
	want.Edges = uint64(len(s.calls))
	for i := range s.events {
		switch s.events[i].Kind {
		case trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv:
			want.Messages++
		}
	}
	c, err := read(t, write(t, s.open(), store.Options{})).Compaction(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Before != want {
		t.Errorf("before: %+v, want %+v", c.Before, want)
	}
}
