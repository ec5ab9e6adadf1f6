package waits_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/waits"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

func question(t *testing.T, r *store.Reader) *waits.Question {
	t.Helper()
	f, err := report.NewTrace(r, "run.pando")
	if err != nil {
		t.Fatal(err)
	}
	return &waits.Question{Trace: f, Window: r.All()}
}

func real(t *testing.T, name string) *waits.Question {
	t.Helper()
	return question(t, stored.Trace(t, tracetest.Anchor(t, name)))
}

// answers returns both reports.
func answers(t *testing.T, q *waits.Question) (*waits.Report, *waits.Path) {
	t.Helper()
	r, err := waits.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	p, err := waits.Critical(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r, p
}

// column returns the numbers of a column of a table, which is made as CSV.
func column(t *testing.T, q *waits.Question, table, name string) (list []int64) {
	t.Helper()
	set, err := waits.Tables(t.Context(), q, []string{table})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := set.Write(t.Context(), &out, set.Tables[0], columnar.Options{Format: columnar.CSV}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for i, head := range rows[0] {
		if head == name {
			at = i
		}
	}
	for _, row := range rows[1:] {
		n, err := strconv.ParseInt(row[at], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

func total(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// All parts of a report, and its tables, add up to the same.
func TestSums(t *testing.T) {
	q := real(t, "otf2.mg.S.8.snapmark")
	r, p := answers(t, q)
	var kinds, rows int64
	for _, k := range r.Kinds {
		kinds += k.Ticks
	}
	for _, row := range r.Rows {
		rows += row.Ticks
		var on, by int64
		for _, x := range row.On {
			on += x.Ticks
		}
		for _, x := range row.For {
			by += x.Ticks
		}
		if on != row.Ticks || by != row.Ticks {
			t.Errorf("%s in %v: %d ticks, on locations %d, by cause %d", row.Kind, row.Path, row.Ticks, on, by)
		}
	}
	durations := column(t, q, "waits", "duration_ticks")
	if w := r.Waits; kinds != w.Ticks || rows != w.Ticks || total(durations) != w.Ticks || uint64(len(durations)) != w.Count || w.Count == 0 {
		t.Errorf("%d ticks in %d waits; by kind %d, by path %d, in the table %d in %d", w.Ticks, w.Count, kinds, rows, total(durations), len(durations))
	}
	starts, ends := column(t, q, "critical_path", "start_ticks"), column(t, q, "critical_path", "end_ticks")
	for i := range starts {
		if want := append([]int64{p.FromTicks}, ends...)[i]; starts[i] != want {
			t.Fatalf("stretch %d begins at %d, not %d", i, starts[i], want)
		}
	}
	if ends[len(ends)-1] != p.ToTicks {
		t.Errorf("the path ends at %d, want %d", ends[len(ends)-1], p.ToTicks)
	}
	var regions, places, activities float64
	for _, x := range p.Regions {
		regions += float64(x.Share)
	}
	for _, x := range p.Ranks {
		places += float64(x.Share)
	}
	for _, x := range p.Activities {
		activities += float64(x.Share)
	}
	if math.Abs(regions-1)+math.Abs(places-1)+math.Abs(activities-1) > 1e-9 {
		t.Errorf("shares add up to %v, %v, %v", regions, places, activities)
	}
}

// plain returns a trace of some locations with a call of a region each.
func plain(locations int) *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	region := t.Region("MPI_Send")
	for i := range locations {
		b := t.Location(uint64(i), t.Process("process"))
		b.Append(trace.KindEnter, int64(i), region)
		b.Append(trace.KindLeave, int64(i+10), region)
	}
	return t
}

// Each trace without an answer has a sentence that says why, and so have traces with something odd.
func TestNotes(t *testing.T) {
	for name, c := range map[string]struct {
		q    *waits.Question
		want string
	}{
		"no location":   {question(t, stored.Source(t, plain(0), store.Options{})), "the trace has no events"},
		"one location":  {question(t, stored.Source(t, plain(1), store.Options{})), "the trace has one location"},
		"no messages":   {question(t, stored.Source(t, plain(2), store.Options{})), "records no messages and no collective operations"},
		"operations":    {real(t, "otf2.ep.S.4.metric"), "the trace records no messages: late senders"},
		"skewed clocks": {real(t, "otf2.mg.S.16.skew"), "the clocks of locations disagree"},
		"lost receives": {real(t, "otf2.ez.hello.4.io"), "have no receive"},
	} {
		r, p := answers(t, c.q)
		var out bytes.Buffer
		if err := r.Write(&out, report.Text); err != nil {
			t.Fatal(err)
		}
		if err := p.Write(&out, report.Text); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, out.String())
		}
		for _, v := range []any{r, p} {
			if text, err := json.Marshal(v); err != nil || bytes.Contains(text, []byte("null")) {
				t.Errorf("%s: %.300s, %v", name, text, err)
			}
		}
	}
	q := question(t, stored.Source(t, plain(2), store.Options{}))
	q.Window = q.Trace.Window(5, 6)
	if _, p := answers(t, q); p.Found || !strings.Contains(strings.Join(p.Notes, "\n"), "no event lies in the window") {
		t.Errorf("a window without events: %v", p.Notes)
	}
}

// pipeline returns a trace in which rank 1 waits twice for messages of rank 0.
func pipeline() *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	work, send, receive := t.Region("work"), t.Region("MPI_Send"), t.Region("MPI_Recv")
	a, b := t.Location(0, t.Process("rank 0")), t.Location(1, t.Process("rank 1"))
	t.CommLocations(0, 1)
	world := t.Comm(t.CommGroup(0, 1))
	for i := range int64(2) {
		now := 1000 * i
		a.Append(trace.KindEnter, now, work)
		a.Append(trace.KindLeave, now+600+100*i, work)
		a.Append(trace.KindEnter, now+600+100*i, send)
		a.Append(trace.KindMpiSend, now+600+100*i, 1, world, 0, 8)
		a.Append(trace.KindLeave, now+720, send)
		b.Append(trace.KindEnter, now+100, receive)
		b.Append(trace.KindMpiRecv, now+750, 0, world, 0, 8)
		b.Append(trace.KindLeave, now+800, receive)
	}
	return t
}

// The text names who waits, for whom, and where.
func TestText(t *testing.T) {
	r, p := answers(t, question(t, stored.Source(t, pipeline(), store.Options{})))
	var out bytes.Buffer
	if err := r.Write(&out, report.Text); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(&out, report.Text); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"run.pando: 2 locations, 1.800 s; they wait for each other 1.100 s of 3.600 s, 30.6 %",
		"1.100 s  30.6 %      2  600.0 ms  1.100 s  late sender  rank 1 100 %  rank 0 100 %  MPI_Recv",
		"1.100 s      2  600.0 ms  1.100 s  rank 0    late sender 100 %",
		"run.pando: critical path of 1.800 s, on 2 of 2 locations, in 2 steps; it ends on rank 1",
		"changes of location: late sender 1",
		" 1.300 s  72.2 %          2  rank 0 100 %",
	}
	for _, line := range want {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in\n%s", line, out.String())
		}
	}
}

// Limits leave out rows, and say so.
func TestLimit(t *testing.T) {
	r, p := answers(t, real(t, "otf2.mg.S.8.snapmark"))
	rows, late, regions := len(r.Rows), len(r.Late), len(p.Regions)
	if r.Limit(2); len(r.Rows) != 2 || len(r.Late) != 2 || r.OmittedRows != rows+late-4 {
		t.Errorf("%d rows, %d late, %d omitted", len(r.Rows), len(r.Late), r.OmittedRows)
	}
	if p.Limit(2); len(p.Regions) != 2 || p.OmittedRows < regions-2 {
		t.Errorf("%d regions, %d omitted", len(p.Regions), p.OmittedRows)
	}
}

// Unknown tables are refused, and errors of reading reach who writes a table.
func TestTables(t *testing.T) {
	q := real(t, "otf2.mg.S.8.snapmark")
	if _, err := waits.Tables(t.Context(), q, []string{"wait"}); err == nil || !strings.Contains(err.Error(), `did you mean "waits"`) {
		t.Errorf("%v", err)
	}
	q.Memory = 1000
	set, err := waits.Tables(t.Context(), q, []string{"waits"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Write(t.Context(), &bytes.Buffer{}, set.Tables[0], columnar.Options{Format: columnar.CSV}); !errors.Is(err, memory.ErrExceeded) {
		t.Errorf("with 1000 bytes: %v", err)
	}
	q.Memory = 0
	if set, err = waits.Tables(t.Context(), q, []string{"critical_path"}); err != nil {
		t.Fatal(err)
	}
	if f, err := set.Write(t.Context(), &bytes.Buffer{}, set.Tables[0], columnar.Options{Format: columnar.CSV, Limit: 10}); err != nil || f.Rows != 10 || !f.More {
		t.Errorf("10 rows: %+v, %v", f, err)
	}
}

// TestTablesOfLocations: tables of chosen locations have the rows of all that are theirs.
func TestTablesOfLocations(t *testing.T) {
	q := real(t, "otf2.mg.S.8.snapmark")
	ids := stored.LocationIDs(t, q.Trace.Reader)[2:5]
	chosen := *q
	chosen.Window = q.Window.WithLocations(ids...)
	for _, table := range waits.TableNames() {
		var want []int64
		durations := column(t, q, table, "duration_ticks")
		for i, location := range column(t, q, table, "location") {
			if slices.Contains(ids, uint64(location)) {
				want = append(want, durations[i])
			}
		}
		if got := column(t, &chosen, table, "duration_ticks"); len(want) == 0 || len(want) == len(durations) || !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d of %d", table, len(got), len(want), len(durations))
		}
	}
}
