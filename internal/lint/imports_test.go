package lint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/pandotrace/pando"

// listed is a package as `go list -json` has it.
type listed struct {
	ImportPath   string
	Standard     bool
	Name         string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

// folder returns the path of one of our packages within the module, "." for the root.
func folder(importPath string) (string, bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

// unit returns the part of pkg that belongs to a rule's folder ("convert/otf2" for "convert/*" and "convert/otf2/x"),
// or "" if the folder does not hold the package.
func unit(pkg, folder string) string {
	if folder == "*" {
		return pkg
	}
	have, want := strings.Split(pkg, "/"), strings.Split(folder, "/")
	if len(have) < len(want) {
		return ""
	}
	for i, w := range want {
		if w != "*" && w != have[i] {
			return ""
		}
	}
	return strings.Join(have[:len(want)], "/")
}

// in reports whether one of the space-separated folders holds the package.
func in(pkg, folders string) bool {
	return slices.ContainsFunc(strings.Fields(folders), func(f string) bool { return unit(pkg, f) != "" })
}

// below reports whether an import path is prefix or lies below it.
func below(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

// checkImports returns what the package imports against the rules.
func checkImports(p listed) (problems []string) {
	pkg, ours := folder(p.ImportPath)
	if !ours {
		return nil
	}
	complain := func(imp string, err error) {
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s imports %s: %v", pkg, imp, err))
		}
	}
	for _, imp := range p.Imports {
		complain(imp, checkImport(pkg, imp, in(pkg, helpers)))
		if dep, ok := folder(imp); ok {
			complain(dep, checkLayer(pkg, dep))
		}
	}
	for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
		complain(imp, checkImport(pkg, imp, true))
	}
	for _, dep := range p.Deps {
		if slices.ContainsFunc(unlinked, func(u string) bool { return below(dep, u) }) {
			complain(dep, errors.New("must not be linked"))
		}
		if dep == network && in(pkg, offline) && !in(pkg, online) {
			complain(dep, errors.New("a package that opens no URL links it"))
		}
	}
	return problems
}

// checkLayer decides whether files of pkg that are no tests may import dep, both of them ours.
func checkLayer(pkg, dep string) error {
	if in(dep, helpers) && !in(pkg, helperUsers) {
		return errors.New("a test helper, for tests only")
	}
	for _, l := range layers {
		if own := unit(pkg, l.folder); own != "" {
			if in(dep, l.may) || in(dep, own) || in(pkg, helpers) && in(dep, helpers) {
				return nil
			}
			return fmt.Errorf("%s may import only: %s", l.folder, cmp.Or(l.may, "the standard library"))
		}
	}
	return errors.New("no row in layers says what it may import")
}

// checkImport decides whether pkg may import a package that is not ours; inTest says that a test or helper does.
func checkImport(pkg, imp string, inTest bool) error {
	switch first, _, _ := strings.Cut(imp, "/"); {
	case below(imp, modulePath):
		return nil // a matter of layers
	case !strings.Contains(first, "."):
		return checkStandard(pkg, imp, inTest)
	}
	for _, m := range testModules {
		if below(imp, m) && !inTest {
			return errors.New("for tests only")
		} else if below(imp, m) {
			return nil
		}
	}
	for _, m := range modules {
		if below(imp, m.module) && !in(pkg, m.by) {
			return fmt.Errorf("only for %s", m.by)
		} else if below(imp, m.module) {
			return nil
		}
	}
	return errors.New("not a module that we use directly")
}

func checkStandard(pkg, imp string, inTest bool) error {
	if !inTest && in(pkg, pure) && slices.ContainsFunc(impure, func(i string) bool { return below(imp, i) }) {
		return errors.New("a pure package does no I/O")
	}
	return nil
}

func TestImports(t *testing.T) {
	out, err := run(root(t), "go", "list", "-deps",
		"-json=ImportPath,Name,Standard,Imports,TestImports,XTestImports,Deps", "./...")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if pkg, ours := folder(p.ImportPath); ours {
			found++
			if !slices.ContainsFunc(layers, func(l struct{ folder, may string }) bool { return unit(pkg, l.folder) != "" }) {
				t.Errorf("%s: no row in layers says what it may import", pkg)
			}
		}
		for _, problem := range checkImports(p) {
			t.Error(problem)
		}
	}
	if found < 2 {
		t.Fatalf("go list found %d of our packages", found)
	}
}

// TestImportRules holds each rule against an import that breaks it and one beside it that does not.
func TestImportRules(t *testing.T) {
	const (
		source = iota
		test
		linked
	)
	tests := []struct {
		pkg, imp string
		where    int
		ok       bool
	}{
		{"trace", "fmt", source, true},
		{"trace", "os", source, false},
		{"trace", "os", test, true},
		{"index", "net/http", source, false},
		{"store", "os", source, true},
		{"trace", "./format", source, false},
		{"format", "./trace", source, false},
		{"encode/shape", "./trace", source, true},
		{"encode/shape", "./index", source, false},
		{"encode/slice", "./encode/shape", source, true},
		{"encode/shape", "./encode/slice", source, false},
		{"encode/column", "./encode/shape", source, false},
		{"index", "./encode/column", source, true},
		{"index", "./store", source, false},
		{"index", "./store", test, true},
		{"store", "./spec", source, true},
		{"store", "./convert", source, false},
		{"convert/otf2", "./store", source, true},
		{"convert/otf2", "./format", source, false},
		{"convert/otf2", "./convert/otf2/anchor", source, true},
		{"convert/otf2", "./convert/otf", source, false},
		{"convert/otf2", "./convert", source, false},
		{"convert", "./convert/otf2", source, true},
		{"convert", "./encode", source, false},
		{"internal/serve", "./convert/chrome", source, true},
		{"internal/serve", "./index", source, false},
		{"internal/draw", "./internal/serve", source, false},
		{"cmd/pando", "./internal/draw", source, true},
		{"cmd/pando", "./internal/model", source, false},
		{"cmd/pando", "./internal/model", test, true},
		{"store", "./internal/tracegen", source, false},
		{"store", "./internal/tracegen", test, true},
		{"fuzz", "./internal/tracegen", source, true},
		{"internal/model", "./store", source, false},
		{"internal/tracetest", "./internal/tracegen", source, true},
		{"convert/columnar", "./convert/columnar/content", source, true},
		{"convert/columnar/content", "./convert/columnar/encode", source, false},
		{"convert/columnar/encode", "./convert/columnar/table", source, true},
		{"convert/columnar/encode", "./convert/columnar/content", source, false},
		{"convert/columnar/table", "./convert/columnar/content", source, false},
		{"convert/otf2", "./convert/otf2/internal/write", source, true},
		{"convert/otf2/internal/write", "./convert/otf2/internal/read", source, false},
		{"convert/otf2/internal/form", "./convert/otf2/internal/read", source, false},
		{"convert", "./edit", source, true},
		{"convert/otf2", "./edit", source, false},
		{"edit", "./convert/otf2", source, false},
		{"edit", "./convert/otf2", test, true},
		{"analysis/equal", "./edit", source, false},
		{"analysis/equal", "./analysis/align", source, true},
		{"store", "./analysis/equal", source, false},
		{"record", "./store", source, false},
		{"recorder", "./record", source, false},
		{"sidecar", "./index", source, true},
		{"sidecar", "./convert/otf2", source, false},
		{"cloud", "./convert", source, false},
		{"python", "./convert", source, true},
		{"python", "./index", source, false},
		{"beam", "./encode", source, false},
		{"newcomer", "./trace", source, false},
		{".", "./trace", source, false},
		{"encode/records", "github.com/klauspost/compress/zstd", source, true},
		{"format", "github.com/klauspost/compress/zstd", source, false},
		{"format", "github.com/klauspost/compress/zstd", test, false},
		{"index", "github.com/RoaringBitmap/roaring/v2", source, true},
		{"store", "github.com/RoaringBitmap/roaring/v2", source, false},
		{"convert/columnar", "github.com/apache/arrow/go/v15/arrow", source, true},
		{"convert/chrome", "github.com/apache/arrow/go/v15/arrow", source, false},
		{"convert/columnar", "github.com/parquet-go/parquet-go", source, true},
		{"store", "github.com/parquet-go/parquet-go", source, false},
		{"cmd/pando", "github.com/spf13/cobra", source, true},
		{"internal/serve", "github.com/spf13/cobra", source, false},
		{"store", "github.com/vbauerster/mpb/v8", source, false},
		{"internal/draw", "github.com/jedib0t/go-pretty/v6/table", source, false},
		{"trace", "golang.org/x/sync/errgroup", source, true},
		{"store", "golang.org/x/sync/semaphore", source, false},
		{"encode", "pgregory.net/rapid", source, false},
		{"encode", "pgregory.net/rapid", test, true},
		{"internal/tracegen", "pgregory.net/rapid", source, true},
		{"store", "github.com/google/go-cmp/cmp", source, false},
		{"cmd/pando", "github.com/rogpeppe/go-internal/testscript", source, false},
		{"cmd/pando", "github.com/rogpeppe/go-internal/testscript", test, true},
		{"store", "example.com/left/pad", source, false},
		{"store", "example.com/left/pad", test, false},
		{"convert/columnar", "google.golang.org/grpc/codes", linked, false},
		{"store", "net/http", linked, false},
		{"store/remote", "net/http", linked, true},
		{"convert/columnar", "github.com/apache/arrow/go/v15/parquet/pqarrow", linked, false},
		{"convert/columnar", "github.com/apache/arrow/go/v15/arrow/ipc", linked, true},
	}
	for _, tt := range tests {
		p := listed{ImportPath: strings.TrimSuffix(modulePath+"/"+tt.pkg, "/.")}
		imp := []string{strings.Replace(tt.imp, "./", modulePath+"/", 1)}
		switch tt.where {
		case source:
			p.Imports = imp
		case test:
			p.XTestImports = imp
		case linked:
			p.Deps = imp
		}
		if got := checkImports(p); (len(got) == 0) != tt.ok {
			t.Errorf("%s imports %s (%d): %q, want ok = %v", tt.pkg, tt.imp, tt.where, got, tt.ok)
		}
	}
}
