package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// TestWindow writes a window and counts, with the JSON parser of the standard library, what must be in it: whole calls, both
// ends of messages, and nothing else's.
func TestWindow(t *testing.T) {
	src, err := otf2.Open(tracetest.Anchor(t, "otf2.mg.S.8.snapmark"), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := pandoOf(t, src)
	first, last := r.Info().First, r.Info().Last
	ids, err := r.LocationIDs()
	if err != nil {
		t.Fatal(err)
	}
	w := r.Window(first+(last-first)*95/100, first+(last-first)*97/100).WithLocations(ids[3], ids[5])
	want := map[string]int{}
	for c, err := range w.Calls() {
		if err != nil {
			t.Fatal(err)
		}
		want["B"]++
		if c.Flags&trace.CallOpen == 0 {
			want["E"]++
		}
	}
	for _, err := range w.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		want["s"]++
		want["f"]++
	}
	var file struct{ TraceEvents []struct{ Ph, Name string } }
	if err := json.Unmarshal(exported(t, r, w), &file); err != nil {
		t.Fatal(err)
	}
	for _, e := range file.TraceEvents {
		want[e.Ph]--
	}
	for _, ph := range []string{"B", "E", "s", "f"} {
		if want[ph] != 0 {
			t.Errorf("%s: %d missing", ph, want[ph])
		}
	}
	if n := len(file.TraceEvents); n < 1000 {
		t.Errorf("only %d events", n)
	}
}

// TestExport writes files, compressed and not, and stops when its context ends.
func TestExport(t *testing.T) {
	a, err := read.Open(t.Context(), "testdata/phases.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := pandoOf(t, a)
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "a.json"), filepath.Join(dir, "a.json.gz")
	for _, path := range []string{plain, packed} {
		size, err := Export(context.Background(), r, r.All(), path, ExportOptions{})
		if info, _ := os.Stat(path); err != nil || info.Size() != size {
			t.Errorf("%s: %d bytes, %v", path, size, err)
		}
	}
	if text := plainText(t, packed); !bytes.Equal(text, plainText(t, plain)) || !json.Valid(text) {
		t.Errorf("compressed is something else, or no JSON:\n%s", text)
	}
	if _, err := Export(context.Background(), r, r.All(), filepath.Join(dir, "none", "a.json"), ExportOptions{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	mg, err := otf2.Open(tracetest.Anchor(t, "otf2.mg.S.8.snapmark"), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r = pandoOf(t, mg)
	_, err = Export(ctx, r, r.All(), filepath.Join(dir, "b.json"), ExportOptions{Progress: func(int64, int64) { cancel() }})
	if left, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(left) != 2 {
		t.Errorf("%v, %d files", err, len(left))
	}
}

// TestSecondTime writes what was read from trace events as such, and reads that: no event changes.
func TestSecondTime(t *testing.T) {
	for _, path := range []string{"testdata/node.json", "testdata/clang.json.gz"} {
		a, err := read.Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := eventsOf(listing(t, a))
		r := pandoOf(t, a)
		b, err := openText(exported(t, r, r.All()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, eventsOf(listing(t, b))); diff != "" {
			t.Errorf("%s: %.3000s", path, diff)
		}
	}
}

// eventsOf leaves out the lines that name threads: those without an event are not written.
func eventsOf(list []string) []string {
	return slices.DeleteFunc(list, func(line string) bool { return strings.HasPrefix(line, "--") })
}
