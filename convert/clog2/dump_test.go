package clog2

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

const (
	smallBlocks = "clog2.smallblk_4" // with the files of its processes
	quirks      = "clog2.quirks_5"
)

// traces are the bundled ones, and the larger ones if there are any.
func traces(t testing.TB) []string {
	t.Helper()
	names := tracetest.BundledOf(t, "clog2")
	if os.Getenv("PANDO_TRACES") == "" {
		return names
	}
	for _, name := range tracetest.LargerOf(t, "clog2") {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func mainFile(t testing.TB, name string) string {
	t.Helper()
	return tracetest.Files(t, name, ".clog2")[0]
}

func partFiles(t testing.TB, name string) []string {
	t.Helper()
	found, _ := filepath.Glob(filepath.Join(tracetest.Dir(t, name), "*", "clog2_taskID=????_??????"))
	if len(found) != 4 {
		t.Fatalf("trace %s has %d files of processes", name, len(found))
	}
	return found
}

func mustOpen(t testing.TB, paths ...string) *Archive {
	t.Helper()
	a, err := Open(Options{}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPlainDecoder holds the plain decoder that the other tests depend on against what clog2_print prints.
func TestPlainDecoder(t *testing.T) {
	for _, name := range traces(t) {
		t.Run(name, func(t *testing.T) {
			path := mainFile(t, name)
			f := readPlain(t, path)
			compareText(t, f.print(f.merged()), path+"_print.txt.zst")
		})
	}
	for _, path := range partFiles(t, smallBlocks) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := readPlain(t, path)
			compareText(t, f.print(f.shown()), path+".clog2_print.txt.zst")
		})
	}
}

func compareText(t *testing.T, got, dump string) {
	t.Helper()
	want := string(tracetest.Inflated(t, dump))
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("line %d:\n got %q\nwant %q", i+1, g[i], w[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(g), len(w))
}

// byLocation groups the records of a finished file by the process and thread that logged them.
func (f *plainFile) byLocation() map[uint64][]plain {
	type member struct{ comm, rank int32 }
	processes := map[member]int32{}
	threads := int32(1)
	for _, r := range f.records {
		if r.typ == 9 && r.ints[0] != 10 && r.ints[0] != 102 {
			processes[member{r.ints[1], r.ints[2]}] = r.ints[3]
		}
		threads = max(threads, r.thread+1)
	}
	list := map[uint64][]plain{}
	for _, r := range f.records {
		id := uint64(processes[member{r.comm, r.rank}]*threads + r.thread)
		list[id] = append(list[id], r)
	}
	return list
}

func compareRecords(t *testing.T, got, want map[uint64][]plain) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d locations, want %d", len(got), len(want))
	}
	for id, records := range want {
		if len(got[id]) != len(records) {
			t.Fatalf("location %d has %d records, want %d", id, len(got[id]), len(records))
		}
		for i := range records {
			if !got[id][i].equal(&records[i]) {
				t.Fatalf("location %d, record %d:\n got %+v\nwant %+v", id, i, got[id][i], records[i])
			}
		}
	}
}

// Every record of a file can be restored from the trace: all fields, and the very same float64 for its time.
func TestRecords(t *testing.T) {
	for _, name := range traces(t) {
		t.Run(name, func(t *testing.T) {
			path := mainFile(t, name)
			want := readPlain(t, path).byLocation()
			a := mustOpen(t, path)
			compareRecords(t, newRestorer(t, a).records(), want)
			for _, w := range a.Warnings() {
				if w.Kind != "states that do not nest" {
					t.Errorf("warning: %+v", w)
				}
			}
			t.Run("stored", func(t *testing.T) {
				compareRecords(t, newRestorer(t, stored(t, a)).records(), want)
			})
		})
	}
}

// The files of the processes together are the finished file.
func TestRecordsOfProcesses(t *testing.T) {
	want := readPlain(t, mainFile(t, smallBlocks))
	paths := partFiles(t, smallBlocks)
	slices.Reverse(paths)
	a := mustOpen(t, paths...)
	compareRecords(t, newRestorer(t, a).records(), want.byLocation())
	compareRecords(t, newRestorer(t, stored(t, a)).records(), want.byLocation())
	if w := a.Warnings(); len(w) > 1 {
		t.Errorf("warnings: %+v", w)
	}
}

// stored writes a trace and reads it back.
func stored(t testing.TB, src trace.Source) trace.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.pando")
	w, err := store.Create(t.Context(), path, src.Meta(), store.Options{SliceEvents: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Copy(t.Context(), w, src, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if n := fmt.Sprint(r.Info().Events); n == "0" {
		t.Fatal("no events")
	}
	return r.Source()
}
