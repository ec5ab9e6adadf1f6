package query_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// usesTotals reports whether no rows are read.
func usesTotals(t stored.Failer, r *store.Reader, w *store.Window, q query.Query) bool {
	p, err := query.New(context.Background(), r, w, q)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(p.Steps, func(s query.Step) bool { return s.Name == "totals" })
}

// asked are lists of groups and of what they add up to, and whether sums of nodes tell all of it, of the whole trace and of windows.
var asked = []struct {
	table, by, show string
	whole, within   bool
}{
	{"calls", "name", "count(), sum(duration), mean(exclusive)", true, false},
	{"calls", "region, rank", "sum(exclusive_ticks), count()", true, false},
	{"calls", "process_name", "count(), min(rank), max(location), count(thread)", true, true},
	{"calls", "", "count(), sum(duration_ns), sum(duration_ticks)", true, false},
	{"calls", "len(name) % 3, rank > 3", "count()", true, true},
	{"calls", "name", "count(), sum(depth)", false, false},
	{"calls", "name", "max(duration)", false, false},
	{"calls", "depth", "count()", true, true},
	{"calls", "depth, name, rank", "count(), max(depth), min(region)", true, true},
	{"calls", "name", "count(), max(depth)", true, true},
	{"calls", "depth", "count(), sum(duration)", false, false},
	{"calls", "depth, children", "count()", false, false},
	{"calls", "name", "sum(rank)", false, false},
	{"calls", "name", "sum(duration + exclusive)", false, false},
	{"messages", "send_rank, receive_rank", "count(), sum(send_bytes), mean(send_bytes)", true, true},
	{"messages", "receive_process", "count(), count(send_location)", true, true},
	{"messages", "tag", "count()", false, false},
	{"messages", "send_rank", "sum(receive_bytes)", false, false},
}

// Sums of nodes, and counts from the structure of calls, give the same groups as rows do, of the whole trace and of windows, with conditions on locations and regions.
func TestTotals(t *testing.T) {
	skew := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.16.skew"))
	k := tracegen.RandomKnobs(7)
	k.Processes, k.Threads, k.Length, k.Messages, k.Recursion, k.Contexts, k.Start = 4, 2, 300, 300, 3, true, 0
	for name, r := range map[string]*store.Reader{
		"skew": skew, "io": stored.Trace(t, tracetest.Anchor(t, "otf2.ez.hello.4.io")), "random": stored.Source(t, tracegen.Random(7, k), store.Options{SliceEvents: 100}),
	} {
		info := r.Info()
		rapid.Check(t, func(t *rapid.T) {
			w, within := r.All(), rapid.Bool().Draw(t, "within")
			if within {
				from := rapid.Int64Range(info.First+1, info.Last).Draw(t, "from")
				w = r.Window(from, rapid.Int64Range(from, info.Last).Draw(t, "to"))
			}
			a := rapid.SampledFrom(asked).Draw(t, "asked")
			if name == "random" && a.table == "messages" {
				return // whose lengths add up to more than 64 bits
			}
			q := query.Query{Table: a.table, By: a.by, Show: a.show}
			if a.table == "calls" {
				q.Where = rapid.SampledFrom([]string{"", "rank < 2", "name contains \"a\"", "location != 1 && name startsWith \"MPI\"", "depth > 1", "depth % 2 == 0 && name contains \"a\" && rank != 1", "depth < 2 || rank == 3"}).Draw(t, "where")
			}
			plain := q
			plain.Plain = true
			got, want := answer(t, r, w, q), answer(t, r, w, plain)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %+v has\n%v, and not\n%v", name, q, got, want)
			}
			if tells := a.whole && !within || a.within; name == "skew" && q.Where == "" && usesTotals(t, r, w, q) != tells {
				t.Fatalf("%+v: sums tell it: %v", q, tells)
			}
			if usesTotals(t, r, w, plain) {
				t.Fatal("all rows were to be read")
			}
		})
	}
}

// Rows of a window of few events are read, and the answer is the same; those of the whole trace are not.
func TestFewEvents(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.16.skew"))
	info := r.Info()
	w := r.Window(info.First+1, info.First+(info.Last-info.First)/2)
	touched, err := w.TouchedEvents()
	if err != nil {
		t.Fatal(err)
	}
	q := query.Query{Table: "calls", By: "process_name", Show: "count()"}
	want := answer(t, r, w, q)
	for few, sums := range map[uint64]bool{touched - 1: true, touched: false} {
		before := query.RowsOf(few)
		got, whole, part := answer(t, r, w, q), usesTotals(t, r, r.All(), q), usesTotals(t, r, w, q)
		if query.RowsOf(before); !slices.Equal(got, want) || !whole || part != sums {
			t.Errorf("up to %d of %d events: %v, want %v; sums for the trace %v, for the window %v", few, touched, got, want, whole, part)
		}
	}
}

// A tick that is no whole number of nanoseconds is rounded in each row: sums of ticks do not tell the sum of that.
func TestTotalsOfOddClocks(t *testing.T) {
	g := tracegen.New(trace.Meta{Resolution: 3_000_000_000})
	region := g.Region("f")
	b := g.Location(0, g.Process("p"))
	for i := range int64(50) {
		b.Append(trace.KindEnter, 10*i, region)
		b.Append(trace.KindLeave, 10*i+4, region)
	}
	r := stored.Source(t, g, store.Options{})
	q := query.Query{Table: "calls", By: "name", Show: "sum(duration), sum(duration_ticks)"}
	if got := fmt.Sprint(answer(t, r, r.All(), q)); got != "[f 50 200]" || usesTotals(t, r, r.All(), q) {
		t.Errorf("got %s: 1.33 ns are 1 ns, 50 times", got)
	}
	if q.Show = "sum(duration_ticks)"; !usesTotals(t, r, r.All(), q) {
		t.Error("rows are read for a sum of ticks")
	}
}

// A condition on depths that the file decides leaves no row to be read, and none to be looked at.
func TestDepths(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.16.skew"))
	deepest := r.Info().MaxDepth
	for _, c := range []struct {
		where         string
		reads, filter bool
	}{
		{fmt.Sprintf("depth >= %d", deepest), false, true},
		{fmt.Sprintf("depth >= %d", deepest-1), true, true},
		{fmt.Sprintf("depth < %d", deepest), true, false},
		{"depth * depth < 0", false, true},
		{fmt.Sprintf("depth < %d && duration > 1ms", deepest), true, true},
		{"depth == nil", false, true},
	} {
		p, err := query.New(t.Context(), r, r.All(), query.Query{Table: "calls", Where: c.where})
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := p.Touches()
		filter := slices.ContainsFunc(p.Steps, func(s query.Step) bool { return s.Name == "rows" })
		if err != nil || (events > 0) != c.reads || filter != c.filter && c.reads {
			t.Errorf("%s: %d events are read (%v), and rows are looked at: %v", c.where, events, err, filter)
		}
	}
}
