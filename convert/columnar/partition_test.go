package columnar

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// TestPartitioned puts the parts of partitioned tables together: they have the rows of the table in one file, each in the folder of its
// location group and time.
func TestPartitioned(t *testing.T) {
	r := stored(t, bundled(t, "otf2.patched.mg.S.4.unknown-id"))
	checkPartitions(t, r, (r.Info().Last-r.Info().First)/7)
	for seed := range uint64(3) {
		src := tracegen.Random(seed, tracegen.RandomKnobs(seed))
		src.Meta().Resolution = 1_000_000_000
		r := stored(t, src)
		checkPartitions(t, r, max((r.Info().Last-r.Info().First)/3, 1))
	}
}

func checkPartitions(t *testing.T, r *store.Reader, period int64) {
	t.Helper()
	dir := t.TempDir()
	whole, parts := map[string]*contents{}, map[string]*contents{}
	for _, f := range export(t, r, Options{Format: Arrow}) {
		whole[f.Table] = read(t, f)
	}
	for _, f := range export(t, r, Options{Format: Arrow, Dir: dir, Period: period}) {
		c := read(t, f)
		path, err := filepath.Rel(dir, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		checkPlace(t, path, c, period)
		if parts[f.Table] == nil {
			parts[f.Table] = &contents{columns: c.columns}
		}
		parts[f.Table].rows = append(parts[f.Table].rows, c.rows...)
	}
	for table, c := range whole {
		if parts[table] == nil {
			t.Fatalf("table %s is missing", table)
		}
		for _, rows := range [][][]string{c.rows, parts[table].rows} {
			slices.SortFunc(rows, func(a, b []string) int { return cmp.Compare(strings.Join(a, "\x1f"), strings.Join(b, "\x1f")) })
		}
		same(t, table+" in parts", parts[table], c)
	}
}

var partitionPath = regexp.MustCompile(`^(\w+)(?:/location_group=(\w+))?(?:/period=(-?\d+))?/part-\d+\.arrow$`)

// checkPlace looks whether rows are in the right folder.
func checkPlace(t *testing.T, path string, c *contents, period int64) {
	t.Helper()
	m := partitionPath.FindStringSubmatch(filepath.ToSlash(path))
	if m == nil {
		t.Fatalf("%s is not the path of a part", path)
	}
	group := map[string]string{"messages": "send_process"}[m[1]]
	times := map[string][]string{
		"calls": {"start_ns"}, "messages": {"send_ns", "receive_ns"}, "events": {"ns"}, "metrics": {"ns"}, "parameters": {"ns"},
		"collectives": {"last_end_ns"}, "collective_ranks": {"end_ns"}, "io": {"begin_ns", "end_ns"},
	}[m[1]]
	if m[2] != "" {
		for _, got := range c.column(t, cmp.Or(group, "process")) {
			if strings.ReplaceAll(got, null, "__HIVE_DEFAULT_PARTITION__") != m[2] {
				t.Fatalf("%s has a row of location group %s", path, got)
			}
		}
	}
	if len(c.rows) > 0 && (times == nil) != (m[3] == "") {
		t.Fatalf("%s: a table is divided by time if its rows have one", path)
	}
	var cells [][]string
	for _, name := range times {
		cells = append(cells, c.column(t, name))
	}
	for i := range c.rows {
		if times == nil {
			break
		}
		first := int64(0)
		for j := range cells {
			if cell := cells[j][i]; cell != null && (j == 0 || number64(t, cell) < first) {
				first = number64(t, cell)
			}
		}
		if n, err := strconv.ParseInt(m[3], 10, 64); err != nil || first < n*period || first >= (n+1)*period {
			t.Fatalf("%s has a row of time %d ns", path, first)
		}
	}
}

// TestManyGroups writes more location groups and periods than there are files open at once.
func TestManyGroups(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	region := src.Region("f")
	for i := range uint64(3 * passGroups / 2) {
		b := src.Location(i, src.Process(fmt.Sprint("p", i)))
		for j := range int64(4) {
			b.Append(trace.KindEnter, 10*j, region)
			b.Append(trace.KindLeave, 10*j+1, region)
		}
	}
	r := storedIn(t, src, 100)
	files := export(t, r, Options{Format: CSV, Tables: []string{"calls"}, Period: 10})
	rows := int64(0)
	for _, f := range files {
		rows += f.Rows
	}
	if len(files) < 4*3*passGroups/2 || rows != 4*3*passGroups/2 {
		t.Errorf("%d rows in %d files", rows, len(files))
	}
}

// TestPartitionedTwice: what is in a folder already would be read as a part of the table.
func TestPartitionedTwice(t *testing.T) {
	r := stored(t, handmade())
	opt := Options{Format: CSV, Dir: t.TempDir(), Tables: []string{"calls"}, Period: 1000, Whole: true}
	if _, err := exporting(t.Context(), r, opt); err != nil {
		t.Fatal(err)
	}
	if _, err := exporting(t.Context(), r, opt); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("written twice: %v", err)
	}
}

func TestTooManyRows(t *testing.T) {
	r := stored(t, handmade())
	x, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int64]error{5: nil, 4: ErrTooManyRows} {
		var out strings.Builder
		if _, err := x.Write(t.Context(), &out, "calls", Options{Format: JSON, Whole: true, MaxRows: limit}); !strings.Contains(fmt.Sprint(err), fmt.Sprint(want)) {
			t.Errorf("limit %d: %v, want %v", limit, err, want)
		}
	}
}
