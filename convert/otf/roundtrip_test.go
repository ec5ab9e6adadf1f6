package otf

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// TestRoundTrip converts traces and holds what comes back against the archive, record by record, and against otfprint.
func TestRoundTrip(t *testing.T) {
	for _, path := range indices(t) {
		t.Run(label(path), func(t *testing.T) { roundTrip(t, path) })
	}
}

// TestRoundTripLarger does the same with the traces below $PANDO_TRACES.
func TestRoundTripLarger(t *testing.T) {
	for _, path := range larger(t) {
		t.Run(label(path), func(t *testing.T) { roundTrip(t, path) })
	}
}

func roundTrip(t *testing.T, path string) {
	a := mustOpen(t, path, Options{})
	file := converted(t, a)
	compareSources(t, file, mustOpen(t, path, Options{}))
	text := tracetest.Inflated(t, strings.TrimSuffix(path, ".otf")+".otfprint.zst")
	compareDumps(t, printed(t, file), parseDump(string(text)))
}

// converted returns the source of a Pando file made of another one.
func converted(t *testing.T, src trace.Source) trace.Source {
	t.Helper()
	return written(t, src).Source()
}

// compareSources compares definitions and all streams. The one that is wanted is read first, so that it knows all its streams.
func compareSources(t *testing.T, got, want trace.Source) {
	t.Helper()
	g, err := got.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	w, err := want.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, "definitions", describeAll(g), describeAll(w))
	compareLines(t, "properties", []string{fmt.Sprint(got.Meta().Properties)}, []string{fmt.Sprint(want.Meta().Properties)})
	for _, class := range []trace.StreamClass{trace.StreamEvents, 1, 2, 3, 4, 5} {
		ids := streamsOf(want, class)
		if others := streamsOf(got, class); !slices.Equal(ids, others) {
			t.Errorf("streams %v, want %v", others, ids)
		}
		for _, id := range ids {
			w, err := recordsOf(want, id, 777)
			if err != nil {
				t.Fatal(err)
			}
			g, err := recordsOf(got, id, 1000)
			if err != nil {
				t.Fatal(err)
			}
			compareLines(t, fmt.Sprint(id), describeRecords(g), describeRecords(w))
		}
	}
}

func streamsOf(src trace.Source, class trace.StreamClass) (ids []trace.StreamID) {
	for _, s := range src.Streams() {
		if s.Class == class {
			ids = append(ids, s.StreamID)
		}
	}
	return ids
}

func describeAll(log []trace.Record) (lines []string) {
	for _, r := range log {
		lines = append(lines, fmt.Sprintf("%s %v %q", r.Kind, r.Words, r.Text))
	}
	return lines
}

func describeRecords(list []record) (lines []string) {
	for _, r := range list {
		lines = append(lines, fmt.Sprintf("%d %s %v %q %v", r.time, r.kind, r.words, r.texts, r.attrs))
	}
	return lines
}

// TestAnyOrder reads the streams of a trace in any order, at once and one after the other, a lot or a little at a time, to the
// end or not: they are the same.
func TestAnyOrder(t *testing.T) {
	index, defs := programDefinitions(7)
	text := program(7, 200<<10, 1, false)
	path := write(t, map[string]string{".otf": index, ".0.def": defs, ".1.events": text})
	want := map[uint64][]string{}
	for _, id := range streamsOf(mustOpen(t, path, Options{}), trace.StreamEvents) {
		list, err := recordsOf(mustOpen(t, path, Options{}), id, 100)
		if err != nil {
			t.Fatal(err)
		}
		want[id.Location] = describeRecords(list)
	}
	for seed := range uint64(25) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := mustOpen(t, path, Options{WindowBytes: 1 << (4 + r.IntN(14))})
		anyOrder(t, a, r, want)
	}
}

// reading is a stream that is being read.
type reading struct {
	trace.Stream
	id   uint64
	got  []record
	left int // records to read before it is given up; -1 for all
}

func anyOrder(t *testing.T, a *Archive, r *rand.Rand, want map[uint64][]string) {
	var open []*reading
	ids := streamsOf(a, trace.StreamEvents)
	again := 3
	for len(ids) > 0 || len(open) > 0 {
		if len(ids) > 0 && (len(open) == 0 || r.IntN(8) == 0) {
			i := r.IntN(len(ids))
			s, err := a.Open(ids[i])
			if err != nil {
				t.Fatal(err)
			}
			o := &reading{Stream: s, id: ids[i].Location, left: -1}
			if again--; again > 0 { // this one is opened another time
				o.left = r.IntN(3000)
			} else {
				ids = slices.Delete(ids, i, i+1)
			}
			open = append(open, o)
			continue
		}
		i := r.IntN(len(open))
		if o := open[i]; !o.read(t, a, r) {
			o.Close()
			open = slices.Delete(open, i, i+1)
			got := describeRecords(o.got)
			compareLines(t, fmt.Sprint("process ", o.id), got, want[o.id][:min(len(got), len(want[o.id]))])
			if o.left < 0 && len(got) != len(want[o.id]) {
				t.Fatalf("process %d: %d records, want %d", o.id, len(got), len(want[o.id]))
			}
		}
	}
}

// read reads on, and returns false when the stream is at its end or given up.
func (o *reading) read(t *testing.T, a *Archive, r *rand.Rand) bool {
	var b trace.Batch
	most := 1 + r.IntN(500)
	var err error
	if r.IntN(2) == 0 {
		err = o.Next(&b, most)
	} else {
		var covered int64
		covered, err = trace.Step(o.Stream, &b, most)
		if n := b.Len(); err == nil && n > 0 && b.Times[n-1] > covered {
			t.Fatalf("covered %d, but there is a record at %d", covered, b.Times[n-1])
		}
	}
	if err == io.EOF {
		return false
	}
	if err != nil || b.Len() > most {
		t.Fatalf("%d records, at most %d were asked for, %v", b.Len(), most, err)
	}
	if o.got, err = appendBatch(o.got, a, &b); err != nil {
		t.Fatal(err)
	}
	return o.left < 0 || len(o.got) < o.left
}

// TestStepping checks that a stream that is asked to step says truly up to when it has nothing, and that no more waits in
// memory than a window's worth if all streams keep pace.
func TestStepping(t *testing.T) {
	index, defs := programDefinitions(5)
	text := program(4, 300<<10, 0, false) // the fifth process has nothing
	a := mustOpen(t, write(t, map[string]string{".otf": index, ".0.def": defs, ".1.events": text}), Options{WindowBytes: 1 << 10})
	var open []*stream
	covered := make([]int64, 5)
	for _, id := range streamsOf(a, trace.StreamEvents) {
		s, err := a.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s.(*stream))
	}
	pass, most := open[0].members[0].pass, 0
	var b trace.Batch
	for steps := 0; ; steps++ {
		i := slices.Index(covered, slices.Min(covered))
		c, err := open[i].Step(&b, 100)
		if err == io.EOF {
			if steps < 1000 {
				t.Errorf("%d steps", steps)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.Len() > 0 && b.Times[0] < covered[i] {
			t.Fatalf("process %d: a record at %d after %d was covered", i+1, b.Times[0], covered[i])
		}
		covered[i] = max(c, covered[i])
		waiting := 0
		for _, m := range pass.members {
			if m.lost {
				t.Fatal("a stream that keeps pace was left behind")
			}
			waiting += m.sink.batch.Len()
		}
		most = max(most, waiting)
	}
	if most > 500 { // a window of 1 KiB has at most 200 events
		t.Errorf("%d records waited at once", most)
	}
}
