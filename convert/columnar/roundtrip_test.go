package columnar

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// largeTrace is the number of events from which on a trace is not worth its time in all formats.
const largeTrace = 50_000

// smallTrace is the number of events up to which it is written in the two formats that are made of others, too.
const smallTrace = 2_000

// TestTraces holds what the three formats say of each bundled trace against each other and against the naive model. Of the large ones it takes one;
// with PANDO_SOAK all.
func TestTraces(t *testing.T) {
	const large = "otf2.amg.8.piece" // some of its calls have more than a thousand calls directly inside
	for _, name := range tracetest.Distinct(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := bundled(t, name)
			r := stored(t, src)
			if r.Info().Events > largeTrace {
				if name != large && os.Getenv("PANDO_SOAK") == "" {
					t.Skipf("%d events; %s stands for it unless PANDO_SOAK is set", r.Info().Events, large)
				}
				checkCallsOnly(t, src, r)
				return
			}
			checkAll(t, src, r)
		})
	}
}

func checkAll(t *testing.T, src trace.Source, r *store.Reader) {
	w := load(t, src)
	contents := allFormats(t, r)
	contents["events"] = canonicalColumns(t, contents["events"])
	contents["pipit"] = canonicalColumns(t, exported(t, r, "pipit", Options{Format: Arrow}))
	for name, want := range map[string][]map[string]string{
		"calls": w.calls(), "messages": w.messages(), "events": w.events(), "metrics": w.metrics(), "locations": w.locations(),
		"parameters": w.parameters(), "collectives": w.collectives(), "collective_ranks": w.collectiveRanks(), "pipit": w.pipit(),
	} {
		if contents[name] == nil && len(want) == 0 {
			continue // there are no events of its kinds
		}
		if contents[name] == nil {
			t.Fatalf("table %s is missing", name)
		}
		checkRows(t, contents[name], want)
	}
	for _, spec := range trace.Standard.All() {
		if c := contents[tableNameInWords(spec.Name)]; c != nil {
			checkRows(t, c, w.definitions(spec))
		}
	}
}

func checkCallsOnly(t *testing.T, src trace.Source, r *store.Reader) {
	if testing.Short() {
		t.Skip("a large trace")
	}
	w := load(t, src)
	checkRows(t, exported(t, r, "calls", Options{Format: Parquet}), w.calls())
	checkRows(t, exported(t, r, "messages", Options{Format: Parquet}), w.messages())
}

func load(t *testing.T, src trace.Source) *wants {
	t.Helper()
	m, err := model.Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return newWants(m)
}

// allFormats exports all tables in all formats and returns them by name; all formats must say the same.
func allFormats(t *testing.T, r *store.Reader) map[string]*contents {
	t.Helper()
	contents := map[string]*contents{}
	for _, f := range export(t, r, Options{Format: Parquet}) {
		contents[f.Table] = read(t, f)
	}
	for _, f := range export(t, r, Options{Format: Arrow}) {
		same(t, f.Table+" in Arrow and Parquet", read(t, f), contents[f.Table])
	}
	for _, f := range export(t, r, Options{Format: CSV}) {
		same(t, f.Table+" in CSV and Parquet", read(t, f), withoutEmpty(contents[f.Table]))
	}
	if r.Info().Events > smallTrace {
		return contents
	}
	for _, f := range export(t, r, Options{Format: ArrowStream}) {
		same(t, f.Table+" in a stream of Arrow and Parquet", read(t, f), contents[f.Table])
	}
	for _, f := range export(t, r, Options{Format: JSON}) {
		if got := read(t, f); len(got.rows) > 0 {
			same(t, f.Table+" in JSON and Parquet", got, contents[f.Table])
		} else if len(contents[f.Table].rows) > 0 {
			t.Errorf("table %s has no rows in JSON", f.Table)
		}
	}
	return contents
}

// withoutEmpty is what CSV can say of a table: it has no empty texts, and lines within texts end without \r.
func withoutEmpty(c *contents) *contents {
	e := &contents{columns: c.columns}
	for _, row := range c.rows {
		row = slices.Clone(row)
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "\r\n", "\n")
			if row[i] == "" {
				row[i] = null
			}
		}
		e.rows = append(e.rows, row)
	}
	return e
}

func same(t *testing.T, what string, got, want *contents) {
	t.Helper()
	if !slices.Equal(got.columns, want.columns) {
		t.Errorf("%s: columns %q and %q", what, got.columns, want.columns)
		return
	}
	checkCells(t, what, got, want.rows)
}

// checkRows holds a table against rows whose cells are given by the names of their columns. Events of one instant that is
// larger than a slice come slice by slice: rows with a number are compared in the order of it.
func checkRows(t *testing.T, got *contents, want []map[string]string) {
	t.Helper()
	rows := make([][]string, len(want))
	for i, w := range want {
		if len(w) != len(got.columns) {
			t.Fatalf("%d columns expected, %d found: %q", len(w), len(got.columns), got.columns)
		}
		for _, c := range got.columns {
			cell, ok := w[c]
			if !ok {
				t.Fatalf("column %s was not expected", c)
			}
			rows[i] = append(rows[i], cell)
		}
	}
	sortBy(got.columns, []string{"end_event", "event", "call", "send_event", "last_end_ticks"}, got.rows, rows)
	checkCells(t, "table", got, rows)
}

// sortBy sorts lists of rows by the first of the columns that they have; rows that are equal there keep their order.
func sortBy(columns, by []string, lists ...[][]string) {
	at := slices.IndexFunc(columns, func(c string) bool { return slices.Contains(by, c) })
	if at < 0 {
		return
	}
	for _, rows := range lists {
		slices.SortStableFunc(rows, func(a, b []string) int {
			return cmp.Or(cmp.Compare(len(a[at]), len(b[at])), cmp.Compare(a[at], b[at])) // decimal numbers
		})
	}
}

func checkCells(t *testing.T, what string, got *contents, want [][]string) {
	t.Helper()
	if len(got.rows) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(got.rows), len(want))
		return
	}
	for i := range want {
		if !slices.Equal(got.rows[i], want[i]) {
			t.Errorf("%s: columns %q, row %d (-want +got):\n%s", what, got.columns, i, diff.Diff(want[i], got.rows[i]))
			return
		}
	}
}

// TestRandomTraces does the same with adversarial traces, whose ticks are not nanoseconds.
func TestRandomTraces(t *testing.T) {
	seeds := uint64(8)
	if os.Getenv("PANDO_SOAK") != "" {
		seeds = 12
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
			src.Meta().Resolution = []uint64{1_000_000_000, 1_193_182, 3, 7_000_000_001}[seed%4]
			checkAll(t, src, stored(t, src))
		})
	}
}

// TestDeterministic writes everything twice.
func TestDeterministic(t *testing.T) {
	r := stored(t, bundled(t, "otf2.synthetic.allrecords"))
	for _, f := range []Format{Parquet, Arrow, CSV} {
		once, again := export(t, r, Options{Format: f}), export(t, r, Options{Format: f})
		for i := range once {
			a, errA := os.ReadFile(once[i].Path)
			b, errB := os.ReadFile(again[i].Path)
			if errA != nil || errB != nil || string(a) != string(b) {
				t.Errorf("%s of table %s differs from one time to the next (%v, %v)", f, once[i].Table, errA, errB)
			}
		}
	}
}
