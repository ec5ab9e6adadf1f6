package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// generate runs the command and opens what it wrote.
func generate(t *testing.T, args ...string) (info *store.Info, out string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.pando")
	var stdout, stderr bytes.Buffer
	if err := run(append(args, "-out", path), &stdout, &stderr); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, stderr.Bytes())
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Info(), stdout.String()
}

func TestBase(t *testing.T) {
	info, out := generate(t, "-base", tracetest.Anchor(t, "otf2.mg.S.8.snapmark"), "-events", "5e5", "-ranks", "9")
	if info.Locations != 16 || info.Events < 400_000 || info.Events > 600_000 || info.UnmatchedSends+info.UnmatchedReceives+info.OpenCalls > 0 {
		t.Errorf("%+v", info)
	}
	if !strings.Contains(out, "2 copies of 8 processes") || !strings.Contains(out, "bits per event") {
		t.Errorf("printed %q", out)
	}
}

func TestExtreme(t *testing.T) {
	info, _ := generate(t, "-extreme", "open-calls", "-events", "1e4", "-ranks", "20", "-depth", "7")
	if info.Locations != 20 || info.Events < 8000 || info.Events > 10_000 || info.MaxDepth != 8 {
		t.Errorf("%+v", info)
	}
}

func TestRing(t *testing.T) {
	info, _ := generate(t, "-ring", "-events", "5e4", "-ranks", "40")
	if info.Locations != 40 || info.Events < 30_000 || info.Events > 60_000 || info.Messages == 0 || info.UnmatchedSends+info.UnmatchedReceives > 0 {
		t.Errorf("%+v", info)
	}
}

func TestRefinement(t *testing.T) {
	info, _ := generate(t, "-refinement", "-events", "2e4", "-ranks", "20")
	if info.Locations != 20 || info.Events < 19_000 || info.Events > 25_000 || info.OpenCalls > 0 {
		t.Errorf("%+v", info)
	}
}

// Texts of many definitions are traces that convert reads, each with as many names or threads as it has events.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name               string
		regions, locations int
	}{{"names", 50, 1}, {"threads", 1, 50}, {"named-threads", 10, 50}} {
		path := filepath.Join(t.TempDir(), "out.json")
		if err := run([]string{"-text", c.name, "-events", "50", "-out", path}, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
			t.Fatal(err)
		}
		src, err := convert.Open(t.Context(), path, convert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		log, err := src.Definitions(0)
		d := trace.NewDefinitions(log)
		if err != nil || len(d.Regions()) != c.regions || len(d.Locations) != c.locations {
			t.Errorf("%s: %d regions, %d locations, %v", c.name, len(d.Regions()), len(d.Locations), err)
		}
		src.Close()
	}
}

func TestBadArguments(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "x.pando")
	for _, args := range [][]string{
		{}, {"-extreme", "deep"}, {"-extreme", "deep", "-base", "x", "-out", out}, {"-extreme", "mild", "-out", out},
		{"-extreme", "deep", "-ring", "-out", out}, {"-ring"},
		{"-base", filepath.Join(dir, "none"), "-out", out}, {"-extreme", "deep", "-events", "0", "-out", out},
		{"-extreme", "deep", "-out", filepath.Join(dir, "none", "x")}, {"-extreme", "deep", "-out", out, "more"}, {"-sed", "1"},
	} {
		if err := run(args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
