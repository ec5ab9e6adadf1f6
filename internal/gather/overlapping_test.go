package gather_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// overlapping is a program whose ranks begin operations that do not block in the same order, on two communicators, and complete them in any order.
type overlapping struct {
	*tracegen.Trace
	numbers map[end]uint64 // of the operations, by the ends of parts
	last    int64
}

// drawOverlapping draws one. Several operations of the same name may be under way at once.
func drawOverlapping(t *rapid.T) *overlapping {
	o := &overlapping{Trace: tracegen.New(trace.Meta{Resolution: 1000}), numbers: map[end]uint64{}}
	ranks, steps := rapid.IntRange(2, 5).Draw(t, "ranks"), rapid.IntRange(2, 25).Draw(t, "steps")
	var ids, members []uint64
	var batches []*trace.Batch
	for rank := range ranks {
		id := uint64(100 + rank)
		batches = append(batches, o.Location(id, o.Process("process")))
		ids, members = append(ids, id), append(members, uint64(rank))
	}
	o.CommLocations(ids...)
	comms := []uint64{o.Comm(o.CommGroup(members...)), o.Comm(o.CommGroup(members...))}
	operations, on := make([]uint64, steps), make([]uint64, steps)
	for step := range steps {
		operations[step] = rapid.SampledFrom([]uint64{bcast, allreduce}).Draw(t, "operation")
		on[step] = rapid.SampledFrom(comms).Draw(t, "communicator")
	}
	for rank, b := range batches {
		now, counts := int64(0), map[uint64]uint64{}
		var open []int // steps
		numbers := make([]uint64, steps)
		complete := func() {
			i := rapid.IntRange(0, len(open)-1).Draw(t, "completed")
			step := open[i]
			open = slices.Delete(open, i, i+1)
			now += 5
			root := uint64(none)
			if operations[step] == bcast {
				root = 0
			}
			b.Append(trace.KindNonBlockingCollectiveComplete, now+int64(rank), operations[step], on[step], root, 0, 0, uint64(step%9))
			o.numbers[end{ids[rank], now + int64(rank)}] = numbers[step]
		}
		for step := range steps {
			for len(open) == 9 || len(open) > 0 && rapid.Bool().Draw(t, "complete") {
				complete()
			}
			for slices.ContainsFunc(open, func(s int) bool { return s%9 == step%9 }) {
				complete() // whose request is taken next
			}
			now += 5
			b.Append(trace.KindNonBlockingCollectiveRequest, now+int64(rank), uint64(step%9))
			numbers[step] = counts[on[step]]
			counts[on[step]]++
			open = append(open, step)
		}
		for len(open) > 0 {
			complete()
		}
		o.last = max(o.last, now+int64(rank))
	}
	return o
}

// Parts belong to the operations that ranks began, whatever was completed first: by counts, naively, in tables of windows, and for a check.
func TestOverlapping(t *testing.T) {
	moved := 0
	rapid.Check(t, func(t *rapid.T) {
		o := drawOverlapping(t)
		r := stored.Source(t, o, store.Options{SliceEvents: rapid.IntRange(2, 60).Draw(t, "slice")})
		defs, err := r.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		shifts, err := gather.ShiftsOf(r.Info(), defs, r.All())
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Load(o)
		if err != nil {
			t.Fatal(err)
		}
		naive, counts := m.OperationNumbers(), map[[2]uint64]uint64{}
		for _, e := range m.Events() {
			if e.Kind != trace.KindNonBlockingCollectiveComplete {
				continue
			}
			comm, want := e.Words[1], o.numbers[end{e.Location, e.Time}]
			rank, _, _ := defs.OwnRank(comm, e.Location)
			count, list := counts[[2]uint64{comm, rank}], shifts.Of(comm, rank, false)
			counts[[2]uint64{comm, rank}]++
			if got := list.Number(count); got != want || naive[e.ID()] != want {
				t.Fatalf("rank %d at %d: operation %d, naively %d, want %d", rank, e.Time, got, naive[e.ID()], want)
			}
			if got, ok := list.Count(want); !ok || got != count {
				t.Fatalf("rank %d: operation %d has %d completed before it (%v), want %d", rank, want, got, ok, count)
			}
			if count != want {
				moved++
			}
		}
		checkRows(t, r, o)
		found, err := check.Of(context.Background(), o, check.Options{})
		if err != nil || len(found.Counts) > 0 {
			t.Fatalf("%v; found %+v", err, found.Findings)
		}
	})
	if moved == 0 {
		t.Error("all are completed in the order in which they were begun: the test tells nothing")
	}
}

// checkRows compares the numbers of a window's table with those that are known.
func checkRows(t *rapid.T, r *store.Reader, o *overlapping) {
	from := min(r.Info().Last, rapid.Int64Range(0, o.last).Draw(t, "from"))
	left := 0
	for e := range o.numbers {
		if e.time >= from {
			left++
		}
	}
	for _, row := range rows(t, r, "collective_ranks", from, "location", "end_ticks", "number") {
		location, _ := strconv.ParseUint(row[0], 10, 64)
		ticks, _ := strconv.ParseInt(row[1], 10, 64)
		if n := o.numbers[end{location, ticks + r.Info().First}]; row[2] != fmt.Sprint(n) {
			t.Fatalf("from %d: location %s at %s: operation %s, want %d", from, row[0], row[1], row[2], n)
		}
		left--
	}
	if left != 0 {
		t.Fatalf("%d parts are not in the table", left)
	}
}
