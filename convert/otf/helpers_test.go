package otf

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

const (
	allRecords = "otf1.allrec.half"
	ep         = "otf1.ep.S.32.z"
)

// indices returns the index files of all traces that the tests have.
func indices(t testing.TB) []string {
	t.Helper()
	var paths []string
	for _, name := range tracetest.BundledOf(t, "otf1") {
		paths = append(paths, tracetest.Files(t, name, ".otf")...)
	}
	return paths
}

// larger returns those below $PANDO_TRACES.
func larger(t testing.TB) []string {
	t.Helper()
	var paths []string
	for _, name := range tracetest.LargerOf(t, "otf1") {
		paths = append(paths, tracetest.Files(t, name, ".otf")...)
	}
	return paths
}

// label is a short name of an index file for subtests.
func label(path string) string {
	dir, file := filepath.Split(path)
	return filepath.Base(dir) + "/" + file
}

func mustOpen(t testing.TB, path string, opt Options) *Archive {
	t.Helper()
	a, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// write makes a trace of files by the ends of their names (".otf", ".1.events"), and returns its index.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "t")
	for end, content := range files {
		if err := os.WriteFile(stem+end, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return stem + ".otf"
}

// record is a record of a stream, out of its batch.
type record struct {
	time  int64
	kind  trace.Kind
	words []uint64
	texts []string // of text and byte fields, in order
	attrs []trace.Attr
}

// recordsOf reads a stream in batches of at most max records.
func recordsOf(src trace.Source, id trace.StreamID, max int) ([]record, error) {
	s, err := src.Open(id)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var list []record
	var b trace.Batch
	for {
		err := s.Next(&b, max)
		if err == io.EOF && b.Len() == 0 {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		if list, err = appendBatch(list, src, &b); err != nil {
			return list, err
		}
	}
}

func appendBatch(list []record, src trace.Source, b *trace.Batch) ([]record, error) {
	if err := b.Check(src.Meta().Table()); err != nil {
		return list, err
	}
	for i := range b.Len() {
		r := record{time: b.Times[i], kind: b.Kinds[i]}
		r.attrs = append(r.attrs, b.AttrsOf(i)...)
		trace.Standard.Spec(r.kind).Walk(b.Fields(i), func(_ int, f *trace.Field, w uint64) {
			if f.Type.InText() {
				r.texts = append(r.texts, string(b.TextOf(w)))
			} else {
				r.words = append(r.words, w)
			}
		})
		list = append(list, r)
	}
	return list, nil
}

// compareLines reports the first differences of two texts.
func compareLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	bad := 0
	for i := range max(len(got), len(want)) {
		g, w := "(nothing)", "(nothing)"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("%s, line %d:\n got %.600s\nwant %.600s", what, i+1, g, w)
			if bad++; bad == 3 {
				t.Fatalf("%s: %d lines, want %d; and so on", what, len(got), len(want))
			}
		}
	}
}

func eventsOf(process uint64) trace.StreamID { return trace.StreamID{Location: process} }

func statisticsOf(process uint64) trace.StreamID {
	return trace.StreamID{Class: trace.StreamStatistics, Location: process}
}
