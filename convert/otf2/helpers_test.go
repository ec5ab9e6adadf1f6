package otf2

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

const (
	allRecords    = "otf2.synthetic.allrecords"
	allRecordsBig = "otf2.patched.allrecords.bigendian"
)

func mustOpen(t testing.TB, name string, opt Options) *Archive {
	t.Helper()
	a, err := Open(tracetest.Anchor(t, name), opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// records gives each record of a stream to visit, with the batch it is in and its index there.
func records(t testing.TB, a *Archive, id trace.StreamID, max int, visit func(b *trace.Batch, i int)) {
	t.Helper()
	if err := walk(a, id, max, visit); err != nil {
		t.Fatalf("stream %v: %v", id, err)
	}
}

func walk(a *Archive, id trace.StreamID, max int, visit func(b *trace.Batch, i int)) error {
	s, err := a.Open(id)
	if err != nil {
		return err
	}
	defer s.Close()
	var b trace.Batch
	for {
		err := s.Next(&b, max)
		if err == io.EOF && b.Len() == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if err := b.Check(a.Meta().Table()); err != nil {
			return err
		}
		for i := range b.Len() {
			visit(&b, i)
		}
	}
}

func streamsOf(a *Archive, class trace.StreamClass) []trace.StreamID {
	var ids []trace.StreamID
	for _, s := range a.Streams() {
		if s.Class == class {
			ids = append(ids, s.StreamID)
		}
	}
	return ids
}

// copyOf returns the anchor of a copy of a trace that the test may damage.
func copyOf(t testing.TB, name string) string {
	t.Helper()
	from, to := tracetest.Dir(t, name), t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	rel := tracetest.Anchor(t, name)[len(from):]
	return to + rel
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
	if len(want) == 0 {
		t.Errorf("%s: nothing to compare", what)
	}
}

func lines(text []byte) []string {
	var list []string
	for line := range bytes.Lines(text) {
		list = append(list, string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	return list
}
