package gather

import (
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Sums of a damaged file may lack a communicator, or a rank that takes part: its parts are passed over.
func TestPartsThatSumsLack(t *testing.T) {
	r := stored.Source(t, tracegen.Ring(4, 20, 1), store.Options{})
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.All().Summary(store.SummaryCollectives)
	if err != nil || len(all.Collectives) < 2 {
		t.Fatal(len(all.Collectives), err)
	}
	for _, sums := range [][]trace.CollectiveTotals{nil, all.Collectives[:1], all.Collectives} {
		f := newFinder(defs)
		f.open(sums)
		for e, err := range r.All().WithKinds(trace.KindMpiCollectiveBegin, trace.KindMpiCollectiveEnd).Events() {
			if err != nil {
				t.Fatal(err)
			}
			f.take(&e)
		}
		f.end()
		parts := uint64(0)
		for _, n := range f.counts {
			parts += n
		}
		if (parts == 0) != (len(sums) == 0) {
			t.Errorf("%d parts with %d sums", parts, len(sums))
		}
	}
}
