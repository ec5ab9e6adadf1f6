package view

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestSize: the page is small enough for slow tunnels, at most 120 kB, and 45 kB compressed.
func TestSize(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	all := 0
	for _, f := range files {
		w := gzip.NewWriter(&zipped)
		if _, err := w.Write(f.Bytes); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all += len(f.Bytes)
	}
	if all == 0 || all > 120_000 || zipped.Len() > 45_000 {
		t.Errorf("the page has %d bytes, %d compressed", all, zipped.Len())
	}
}

// TestSource: no text of a trace can become HTML, script or a style, and no other site is named but the one that the user is asked about.
func TestSource(t *testing.T) {
	files, err := filepath.Glob("web/src/*.ts*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	dangerous := regexp.MustCompile(`(?i)innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|https?://`)
	for _, file := range append(files, "web/index.html", "web/view.css") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if what := dangerous.Find(bytes.ReplaceAll(text, []byte("https://ui.perfetto.dev"), nil)); what != nil {
			t.Errorf("%s has %s", file, what)
		}
	}
}

// TestParts: the page loads what is there, and each part has a media type.
func TestParts(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	loads := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	has := func(path string) bool { return slices.ContainsFunc(files, func(f File) bool { return f.Path == path }) }
	if !has("/") {
		t.Error("there is no page")
	}
	for _, f := range files {
		if f.Type == "" {
			t.Errorf("%s has no media type", f.Path)
		}
		if f.Path != "/" {
			continue
		}
		list := loads.FindAllSubmatch(f.Bytes, -1)
		if len(list) == 0 {
			t.Error("the page loads nothing")
		}
		for _, m := range list {
			if path := string(m[1]); !has(path) {
				t.Errorf("the page loads %s, which is not there", path)
			}
		}
	}
}
