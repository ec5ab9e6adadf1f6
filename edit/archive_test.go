package edit

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// archived are the traces that are cut: clocks that differ, every record, another writer's habits.
var archived = []string{"otf2.mg.S.16.skew", "otf2.synthetic.allrecords", "otf2.ez.hello.4.io"}

// thirds are the parts of a trace that is cut at two times.
func thirds(i *store.Info, a, b int64) []Selection {
	return []Selection{{From: i.First, To: a}, {From: a, To: b}, {From: b, To: i.Last + 1}}
}

// A trace that was cut in three, each part written as an archive, is the same again when the archives are read and joined.
func TestConcatOfArchives(t *testing.T) {
	for n, name := range archived {
		if !slices.Contains(tracetest.Bundled(t), name) {
			t.Fatalf("%s is not among %v", name, tracetest.Bundled(t))
		}
		original, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		whole := writtenAs(t, original, store.Options{})
		rnd := rand.New(rand.NewPCG(uint64(n), 9))
		a, b := bounds(rnd, whole.Info())
		var windows []trace.Source
		for _, s := range thirds(whole.Info(), a, b) {
			src, err := Cut(whole, s)
			if err != nil {
				t.Fatal(err)
			}
			anchor := filepath.Join(t.TempDir(), "part.otf2")
			if warnings, err := otf2.Write(context.Background(), src, anchor, otf2.WriteOptions{}); err != nil {
				t.Fatal(err, warnings)
			}
			again, err := otf2.Open(anchor, otf2.Options{})
			if err != nil {
				t.Fatal(err)
			}
			window := writtenAs(t, again, store.Options{})
			if name != "otf2.synthetic.allrecords" { // otf2-print crashes, on the original too
				printed(t, anchor, window)
			}
			windows = append(windows, window.Source())
		}
		joined, err := Concat(windows...)
		if err != nil {
			t.Fatal(err)
		}
		again := writtenAs(t, joined, store.Options{})
		r, err := equal.Traces(context.Background(), whole.Source(), again.Source(), nil)
		if err != nil || !r.Equal || again.Info().SHA256 != whole.Info().SHA256 {
			t.Errorf("%s, cut at %d and %d: %+v, %v", name, a, b, r, err)
		}
	}
}

// printed checks that the OTF2 library reads an archive, and that it shows the marks of a window's events.
func printed(t *testing.T, anchor string, window *store.Reader) {
	t.Helper()
	program, err := exec.LookPath("otf2-print")
	if err != nil {
		t.Logf("there is no otf2-print: %v", err)
		return
	}
	text, err := exec.Command(program, anchor).Output()
	if err != nil {
		t.Fatal(err)
	}
	for kind, name := range map[trace.Kind]string{trace.KindCutBefore: "pando.cut.before", trace.KindCutAfter: "pando.cut.after"} {
		want := 0
		for _, k := range window.Info().Kinds {
			if k.Kind == kind {
				want = int(k.Count)
			}
		}
		if got := bytes.Count(text, []byte(name)); got != want {
			t.Errorf("%s: %d times %s, want %d", anchor, got, name, want)
		}
	}
}
