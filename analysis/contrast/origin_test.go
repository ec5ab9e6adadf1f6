package contrast_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// origins are formats that can be written, and read again.
var origins = map[string]string{"OTF2": "run.otf2", "Chrome": "run.json"}

// through returns a trace as it comes back from a file of another format.
func through(t fatal, dir string, src trace.Source, name string) *subject {
	t.Helper()
	ctx := context.Background()
	dir, err := os.MkdirTemp(dir, "origin")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if name == origins["OTF2"] {
		_, err = otf2.Write(ctx, src, path, otf2.WriteOptions{})
	} else {
		from := filepath.Join(dir, "run.pando")
		var found *convert.Trace
		if err = os.WriteFile(from, stored.Bytes(t, src, store.Options{}), 0o666); err == nil {
			if found, err = convert.Find(ctx, from, convert.Options{}); err == nil {
				_, err = convert.OutputAt(path).Write(ctx, found, path, convert.WriteOptions{})
				found.Close()
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := convert.Open(ctx, path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	return newSubject(t, name, again, store.Options{})
}

// A run that went through another format, or is divided in another way, is the same run: it is equal to itself, and differs from another one in the
// same calls and ticks.
func TestOriginOfRandomRuns(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(f *rapid.T) {
		var programs, others [][]*statement
		for range rapid.IntRange(1, 3).Draw(f, "locations") {
			p := closed(drawProgram(f, 3))
			programs, others = append(programs, p), append(others, closed(edited(f, p)))
		}
		first, second := timed(f, programs, 1), timed(f, others, 1)
		a, b := newSubject(f, "a", first, drawStore(f)), newSubject(f, "b", second, drawStore(f))
		opt := contrast.Options{Match: contrast.ByOrder, Level: rapid.SampledFrom([]align.Level{align.Tree, align.Wrap}).Draw(f, "level")}
		want := sumsOf(compare(f, a, b, opt))
		file := origins[rapid.SampledFrom(slices.Sorted(maps.Keys(origins))).Draw(f, "format")]
		alsoA, alsoB := through(f, dir, first, file), through(f, dir, second, file)
		checkEqual(f, compare(f, a, alsoA, opt))
		for _, sides := range [][2]*subject{{alsoA, b}, {a, alsoB}, {alsoA, alsoB}, {newSubject(f, "a divided otherwise", first, drawStore(f)), b}} {
			if got := sumsOf(compare(f, sides[0], sides[1], opt)); !maps.Equal(got, want) {
				f.Fatalf("%s and %s:\n%v\nnot\n%v", sides[0].Name, sides[1].Name, got, want)
			}
		}
	})
}

// closed leaves all calls.
func closed(list []*statement) []*statement {
	for _, s := range list {
		s.open = false
		closed(s.inside)
	}
	return list
}

// checkEqual fails unless two runs have the same calls and the same times.
func checkEqual(t fatal, c *contrast.Comparison) {
	t.Helper()
	if len(c.Lone[0])+len(c.Lone[1]) > 0 {
		t.Fatalf("locations without a partner: %v", c.Lone)
	}
	for i := range c.Pairs {
		if p := &c.Pairs[i]; !p.Equal() || len(p.Segments) != 1 {
			t.Fatalf("%s differs: %v", p.A.Label, p.Segments)
		}
	}
	for i := range c.Paths {
		if p := &c.Paths[i].Tally; p.Slower+p.Faster > 0 || p.LoneCalls != [2]uint64{} {
			t.Fatalf("%s: %d of %d pairs differ, %d calls are alone", c.Forest.NameOf(c.Paths[i].Name), p.Slower+p.Faster, p.Pairs, p.LoneCalls)
		}
	}
}

// Recorded traces of all formats that hold calls are equal to what becomes of them as OTF2.
func TestOriginOfRecordedTraces(t *testing.T) {
	for name, ending := range map[string]string{
		"otf1.ep.S.32.z": ".otf", "clog2.cpilog_4": ".clog2", "clog2.smallblk_4": ".slog2", "clog2.threads_4": ".clog2", "otf2.mg.S.8.snapmark": ".otf2",
	} {
		t.Run(name+ending, func(t *testing.T) {
			ctx := t.Context()
			found, err := convert.Find(ctx, tracetest.Files(t, name, ending)[0], convert.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer found.Close()
			path := filepath.Join(t.TempDir(), "run.otf2")
			if _, err := convert.OutputAt(path).Write(ctx, found, path, convert.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			a, b := recorded(t, found.Path), recorded(t, path)
			c, err := contrast.Compare(ctx, a, b, contrast.Options{Level: align.Tree})
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Pairs) == 0 || len(c.Paths) < 2 {
				t.Fatalf("%d pairs of locations, %d paths", len(c.Pairs), len(c.Paths))
			}
			checkEqual(t, c)
		})
	}
}

func recorded(t *testing.T, path string) contrast.Side {
	t.Helper()
	src, err := convert.Open(t.Context(), path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := stored.Source(t, src, store.Options{})
	return contrast.Side{Name: path, Reader: r, Window: r.All()}
}
