package lint

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// unmapped are the folders with packages that the map of ARCHITECTURE.md has no names for: one for each format, and what one package alone uses.
var unmapped = []string{
	"bench/", "convert/", "encode/internal/", "index/internal/", "internal/tracegen/", "internal/tracetest/", "internal/view/", "spec/vectors/", "fuzz/", "examples/",
}

// TestMapIsComplete: the map of the source names each folder with a package, as the last part of a path in backquotes.
func TestMapIsComplete(t *testing.T) {
	text, err := fs.ReadFile(os.DirFS(root(t)), architecture)
	if err != nil {
		t.Fatal(err)
	}
	_, after, begins := strings.Cut(string(text), "\n## Map\n")
	chart, _, ends := strings.Cut(after, "\n## ")
	if !begins || !ends {
		t.Fatal("no map")
	}
	named := map[string]bool{}
	for i, name := range strings.Split(chart, "`") {
		if i%2 == 1 {
			named[path.Base(name)] = true
		}
	}
	folders := map[string]bool{}
	for _, f := range sources(t) {
		if f.isGo() && !strings.HasSuffix(f.path, "_test.go") {
			folders[path.Dir(f.path)] = true
		}
	}
	if len(folders) < 60 {
		t.Errorf("%d folders have packages", len(folders))
	}
	for folder := range folders {
		under := func(prefix string) bool { return strings.HasPrefix(folder, prefix) }
		if folder != "." && !slices.ContainsFunc(unmapped, under) && !named[path.Base(folder)] {
			t.Errorf("%s: the map does not name %s", architecture, folder)
		}
	}
}
