package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// figures are methods that return one number or name of a file; examples need not show them.
var figures = map[string]bool{"BytesRead": true, "ReadStats": true, "ID": true, "FormatVersion": true, "Advance": true, "AppendAux": true}

// TestEveryEntryPointHasAnExample: each exported function, and each method of an exported type, is called by an example.
func TestEveryEntryPointHasAnExample(t *testing.T) {
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	parse := func(wanted func(name string) bool) (files []*ast.File) {
		for _, name := range names {
			if !wanted(name) {
				continue
			}
			f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		return files
	}
	isTest := func(name string) bool { return strings.HasSuffix(name, "_test.go") }
	called := map[string]bool{}
	for _, f := range parse(func(name string) bool { return isTest(name) && strings.HasPrefix(name, "example_") }) {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if s, ok := call.Fun.(*ast.SelectorExpr); ok {
					called[s.Sel.Name] = true
				}
			}
			return true
		})
	}
	entries := 0
	for _, f := range parse(func(name string) bool { return !isTest(name) }) {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() && !figures[d.Name.Name] {
				entries++
				if !called[d.Name.Name] {
					t.Errorf("no example calls %s", d.Name.Name)
				}
			}
		}
	}
	if entries < 50 {
		t.Errorf("%d entry points: the package was not read", entries)
	}
}
