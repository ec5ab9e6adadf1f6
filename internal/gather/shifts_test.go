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

// A cut goes through an operation that two of four ranks had left: operations behind it have the same numbers on all ranks nevertheless.
func TestCutThroughAnOperation(t *testing.T) {
	const barrier, bcast, allreduce = 0, 1, 11
	src := tracegen.New(trace.Meta{Resolution: 1000})
	var ranks []*trace.Batch
	for rank := range uint64(4) {
		ranks = append(ranks, src.Location(rank, src.Process("process")))
		ranks[rank].Append(trace.KindCutBefore, 100, 100)
	}
	src.CommLocations(0, 1, 2, 3)
	world := src.Comm(src.CommGroup(0, 1, 2, 3))
	for step, operation := range []uint64{bcast, barrier, allreduce, bcast, barrier, allreduce, barrier, bcast, allreduce} {
		for rank, b := range ranks {
			if step > 0 || rank >= 2 {
				at := int64(100 + 100*step + rank)
				b.Append(trace.KindMpiCollectiveBegin, at)
				b.Append(trace.KindMpiCollectiveEnd, at+10, operation, world, 0, 0, 0)
			}
		}
	}
	r := stored.Source(t, src, store.Options{})
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	shifts, err := ShiftsOf(r.Info(), defs, r.All())
	if err != nil {
		t.Fatal(err)
	}
	for rank := range uint64(4) {
		lacks := uint64(0)
		if rank < 2 {
			lacks = 1
		}
		list, whole := shifts.Of(world, rank, true), shifts.Of(world, 3, true)
		for step := uint64(1); step < 9; step++ {
			if got, want := list.Number(step-lacks), whole.Number(step); got != want {
				t.Errorf("rank %d: operation %d of the program has number %d, and %d on rank 3", rank, step, got, want)
			}
		}
	}
}
