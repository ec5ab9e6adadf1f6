package columnar

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// An empty trace makes complete files without rows.
func TestEmptyTrace(t *testing.T) {
	r := stored(t, tracegen.New(trace.Meta{Resolution: 1}))
	for _, f := range []Format{Parquet, Arrow, CSV} {
		files := export(t, r, Options{Format: f})
		if len(files) < 16 {
			t.Errorf("%s: %d files", f, len(files))
		}
		for _, file := range files {
			c := read(t, file)
			table := Tables()[slices.IndexFunc(Tables(), func(t table.Schema) bool { return t.Name == file.Table })]
			if len(c.rows) > 0 || len(c.columns) != len(table.Columns) || file.Rows != 0 {
				t.Errorf("%s: %d rows, %d columns of %d", file.Path, len(c.rows), len(c.columns), len(table.Columns))
			}
		}
	}
}

// Without a choice, tables of rare kinds of definitions are written only if the trace has such; by choice always.
func TestChoice(t *testing.T) {
	r := stored(t, handmade())
	has := func(files []File, table string) bool {
		return slices.ContainsFunc(files, func(f File) bool { return f.Table == table })
	}
	files := export(t, r, Options{Format: CSV})
	if !has(files, "calls") || !has(files, "parameter_definitions") || has(files, "pipit") || has(files, "io") || has(files, "io_handles") {
		t.Errorf("all tables: %v", files)
	}
	files = export(t, r, Options{Format: CSV, Tables: []string{"io_handles", "events", "io_handles"}})
	if len(files) != 2 || files[0].Table != "events" || files[1].Table != "io_handles" {
		t.Errorf("tables chosen: %v", files)
	}
	if files := export(t, r, Options{Format: CSV, Tables: []string{}}); len(files) != 0 {
		t.Errorf("no tables chosen: %v", files)
	}
}

// A kind of definition that only the trace knows has a table too.
func TestPrivateDefinitions(t *testing.T) {
	kinds := &trace.Table{}
	for _, spec := range trace.Standard.All() {
		if err := kinds.Add(spec); err != nil {
			t.Fatal(err)
		}
	}
	private := &trace.Spec{ID: trace.FirstPrivateKind, Name: "DeviceQueue", Fields: []trace.Field{
		{Name: "label", Type: trace.TypeText, Bits: 64}, {Name: "host", Type: trace.TypeRef, Bits: 64, Ref: trace.SpaceLocation},
	}}
	if err := kinds.Add(private); err != nil {
		t.Fatal(err)
	}
	src := tracegen.New(trace.Meta{Resolution: 1, Kinds: kinds})
	src.Location(4, src.Process("p"))
	d := trace.Record{Kind: trace.FirstPrivateKind}
	d.Words = []uint64{d.PutText("queue"), 4}
	src.DefineRecord(d)
	got := shown(exported(t, stored(t, src), "device_queues", Options{Format: Arrow}))
	if want := "label host host_name\nqueue 4 location\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRefusals(t *testing.T) {
	r := stored(t, handmade())
	occupied := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(occupied, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for problem, opt := range map[string]Options{
		`no table format "xls"`:         {Format: "xls"},
		`no table "calls "`:             {Format: CSV, Tables: []string{"calls "}},
		"ends (3) before it begins (4)": {Format: CSV, From: 4, To: 3},
		"not a directory":               {Format: CSV, Dir: occupied, Whole: true},
	} {
		if opt.Dir == "" {
			opt.Dir = filepath.Join(t.TempDir(), "never")
		}
		files, err := exporting(context.Background(), r, opt)
		if err == nil || !strings.Contains(err.Error(), problem) || len(files) > 0 {
			t.Errorf("%v, %v, want %q", files, err, problem)
		}
		if _, err := os.Stat(filepath.Dir(opt.Dir) + "/never"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: the folder was made", problem)
		}
	}
}

// A cancelled export leaves the tables that were complete, and nothing half-written.
func TestCancelled(t *testing.T) {
	r := stored(t, tracegen.Ring(4, 400, 1))
	for _, f := range []Format{Parquet, Arrow, CSV} {
		ctx, cancel := context.WithCancel(context.Background())
		dir := t.TempDir()
		calls := int64(-1)
		files, err := exporting(ctx, r, Options{Dir: dir, Format: f, Whole: true, Progress: func(rows, _ int64) {
			if calls < 0 {
				calls = rows
			} else if rows > calls+20_000 { // well inside of the table of events
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "table ") {
			t.Errorf("%s: %v", f, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != len(files) || len(files) == 0 {
			t.Errorf("%s: %d files left, %d named, %v", f, len(entries), len(files), err)
		}
		for _, file := range files {
			read(t, file)
		}
	}
}

// Exports from one reader do not disturb each other.
func TestConcurrentExports(t *testing.T) {
	r := stored(t, tracegen.Ring(4, 200, 1))
	want := exported(t, r, "events", Options{Format: CSV})
	var group errgroup.Group
	formats := []Format{Parquet, Arrow, CSV, CSV}
	files := make([][]File, len(formats))
	for i, f := range formats {
		dir := t.TempDir()
		group.Go(func() (err error) {
			files[i], err = exporting(context.Background(), r, Options{Dir: dir, Format: f, Whole: true, Tables: []string{"events"}})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range files {
		same(t, string(formats[i]), withoutEmpty(read(t, files[i][0])), want)
	}
}

func TestProgress(t *testing.T) {
	r := stored(t, tracegen.Ring(4, 400, 1))
	var seen []int64
	files := export(t, r, Options{Format: CSV, Tables: []string{"calls", "events"}, Progress: func(rows, _ int64) { seen = append(seen, rows) }})
	if !slices.IsSorted(seen) || len(seen) < 4 || seen[len(seen)-1] != files[0].Rows+files[1].Rows {
		t.Errorf("progress %v for %v", seen, files)
	}
	if files[1].Rows != int64(r.Info().Events) || files[1].Rows < 2*table.PageRows {
		t.Errorf("%d rows of %d events", files[1].Rows, r.Info().Events)
	}
}

// fullDisk is an encoder that fails after some batches.
type fullDisk struct{ space int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(*table.Batch) error {
	if d.space--; d.space < 0 {
		return errFull
	}
	return nil
}

func (d *fullDisk) Close() error { return nil }

// An encoder that fails ends the reading of rows, and its error is the one that is returned.
func TestEncoderFails(t *testing.T) {
	r := stored(t, tracegen.Ring(4, 400, 1))
	x, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	events, err := choose(x.catalog, []string{"events"})
	if err != nil {
		t.Fatal(err)
	}
	for space := range 3 {
		e := exporter{Exporter: x, window: r.All()}
		f, err := e.rowsTo(context.Background(), &fullDisk{space}, events[0])
		if !errors.Is(err, errFull) || f.Rows/table.PageRows != int64(space)+1 {
			t.Errorf("%d rows, %v", f.Rows, err)
		}
	}
}

// A page ends early if it has much text.
func TestMuchText(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1})
	b := src.Location(1, src.Process("p"))
	for i := range int64(40) {
		b.Append(trace.KindUnknownEvent, i, 200, 0, b.PutText(strings.Repeat("x", 1<<19)))
	}
	pages := 0
	r := storedIn(t, src, 3)
	export(t, r, Options{Format: CSV, Tables: []string{"events"}, Progress: func(int64, int64) { pages++ }})
	if pages != 3 { // 40 times 1 MiB in hexadecimal, 3 at a time
		t.Errorf("%d pages", pages)
	}
}
