package gather_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// end is the end of a part: of a location, at a time.
type end struct {
	location uint64
	time     int64
}

// faulty is a program of collective operations of which one part was left out, or one added.
type faulty struct {
	trace.Source
	numbers map[end]uint64 // of the operations, by the ends of parts
	steps   int
}

const (
	barrier, bcast, allreduce, reduce = 0, 1, 11, 10
	none                              = trace.Undefined >> 32
)

// draw draws a program. Ranks that wait for each other end together. Two operations in a row in which nobody waits are different ones: nothing could tell
// which of two like ones is missing.
func draw(t *rapid.T) *faulty {
	g := tracegen.New(trace.Meta{Resolution: 1000})
	ranks, steps := rapid.IntRange(3, 9).Draw(t, "ranks"), rapid.IntRange(8, 60).Draw(t, "steps")
	var members, ids []uint64
	var batches []*trace.Batch
	for rank := range ranks {
		id := uint64(100 + rank)
		batches = append(batches, g.Location(id, g.Process("process")))
		members, ids = append(members, uint64(rank)), append(ids, id)
	}
	g.CommLocations(ids...)
	world := g.Comm(g.CommGroup(members...))
	victim, at := rapid.IntRange(0, ranks-1).Draw(t, "victim"), rapid.IntRange(0, steps-7).Draw(t, "at")
	add := rapid.Bool().Draw(t, "add")
	f := &faulty{numbers: map[end]uint64{}, steps: steps}
	before, number := -1, uint64(0)
	part := func(rank, operation int, begin, end_ int64) {
		root := uint64(none)
		if operation == bcast || operation == reduce {
			root = 0
		}
		batches[rank].Append(trace.KindMpiCollectiveBegin, begin)
		batches[rank].Append(trace.KindMpiCollectiveEnd, end_, uint64(operation), world, root, 0, 0)
		f.numbers[end{ids[rank], end_}] = number
	}
	for step := range steps {
		now := int64(100 * (step + 1))
		if add && step == at {
			part(victim, 17, now-40, now-30) // which none of the others does
			number++
		}
		operation := rapid.SampledFrom([]int{barrier, bcast, allreduce, reduce}).Filter(func(op int) bool {
			return op != before || op == barrier || op == allreduce
		}).Draw(t, "operation")
		before = operation
		for rank := range ranks {
			if add || step != at || rank != victim {
				part(rank, operation, now+int64(rapid.IntRange(0, 20).Draw(t, "begin")), now+20+int64(rank))
			}
		}
		number++
	}
	f.Source = g
	return f
}

// One part that is missing, or that only one rank has, does not move others to operations that they are not of.
func TestOneFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t)
		r := stored.Source(t, f, store.Options{SliceEvents: rapid.IntRange(5, 200).Draw(t, "slice")})
		defs, err := r.Definitions()
		if err != nil {
			t.Fatal(err)
		}
		shifts, err := gather.ShiftsOf(r.Info(), defs, r.All())
		if err != nil {
			t.Fatal(err)
		}
		if shifts == nil {
			t.Fatal("nothing is odd")
		}
		m, err := model.Load(f)
		if err != nil {
			t.Fatal(err)
		}
		naive, counts := m.OperationNumbers(), map[uint64]uint64{}
		for _, e := range m.Events() {
			if e.Kind != trace.KindMpiCollectiveEnd {
				continue
			}
			rank, _, _ := defs.OwnRank(e.Words[1], e.Location)
			list := shifts.Of(e.Words[1], rank, true)
			want, got := f.numbers[end{e.Location, e.Time}], list.Number(counts[rank])
			if got != want || naive[e.ID()] != want {
				t.Errorf("rank %d at %d: operation %d, naively %d, want %d", rank, e.Time, got, naive[e.ID()], want)
			}
			if count, ok := list.Count(want); !ok || count != counts[rank] {
				t.Errorf("rank %d: operation %d has %d before it (%v), want %d", rank, want, count, ok, counts[rank])
			}
			counts[rank]++
		}
	})
}

// rows returns columns of a table of a window, without the head.
func rows(t *rapid.T, r *store.Reader, name string, from int64, columns ...string) [][]string {
	x, err := columnar.New(r)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := x.Write(context.Background(), &text, name, columnar.Options{Format: columnar.CSV, From: from, To: r.Info().Last + 1, Columns: columns}); err != nil {
		t.Fatal(err)
	}
	list, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list[1:]
}

// Tables have one row for each operation, and those of windows the same numbers: all but the wrong one are complete.
func TestTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t)
		r := stored.Source(t, f, store.Options{SliceEvents: rapid.IntRange(5, 200).Draw(t, "slice")})
		from := min(r.Info().Last, int64(100*rapid.IntRange(0, f.steps).Draw(t, "from")+rapid.IntRange(0, 40).Draw(t, "within")))
		want := 0
		for e := range f.numbers {
			if e.time >= from {
				want++
			}
		}
		for _, row := range rows(t, r, "collective_ranks", from, "location", "end_ticks", "number") {
			location, _ := strconv.ParseUint(row[0], 10, 64)
			ticks, _ := strconv.ParseInt(row[1], 10, 64)
			if n := f.numbers[end{location, ticks + r.Info().First}]; row[2] != fmt.Sprint(n) {
				t.Errorf("from %d: location %s at %s: operation %s, want %d", from, row[0], row[1], row[2], n)
			}
			want--
		}
		if want != 0 {
			t.Errorf("%d parts are not in the table", want)
		}
		incomplete := 0
		for _, row := range rows(t, r, "collectives", r.Info().First, "complete") {
			if row[0] != "true" {
				incomplete++
			}
		}
		if incomplete != 1 {
			t.Errorf("%d operations are not complete, want 1", incomplete)
		}
	})
}
