package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestComponents finds circles through methods, instances of generic types, variables and aliases, and none where uses go one way.
func TestComponents(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"one way":         {"type A struct{ b B }\ntype B struct{}\nfunc (B) m() {}\nfunc f(A) { g() }\nfunc g() {}", ""},
		"itself":          {"type A struct{ next *A }\nfunc f() { f() }", ""},
		"a method":        {"type A struct{}\nfunc (*A) m() { f() }\nfunc f() { new(A).m() }\ntype C struct{ a A }", "[A f] 3"},
		"a field":         {"type A struct{ b *B }\ntype B struct{\n\ta *A\n}", "[A B] 4"},
		"a generic type":  {"type A[T any] struct{ x T }\nfunc (a *A[T]) m() { f() }\nfunc f() { var a A[int]; a.m() }", "[A f] 3"},
		"a table":         {"var table = []func(){f}\nfunc f() { _ = len(other) }\nvar other []int\nfunc init() { g() }\nfunc g() { table[0]() }", ""},
		"three, by turns": {"type A struct{}\nfunc (A) m(B) {}\ntype B struct{ c []C }\ntype C interface{ n(A) }", "[A B C] 4"},
		"two circles":     {"func a() { b() }\nfunc b() { a() }\nfunc c() { d(); a() }\nfunc d() { c() }", "[a b] 2, [c d] 2"},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "a.go", "package a\n"+test.source, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{}).Check("a", fset, []*ast.File{f}, info); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got []string
		for _, c := range components(graph([]*ast.File{f}, fset, info)) {
			var names []string
			for _, n := range c.nodes {
				names = append(names, n.name)
			}
			slices.Sort(names)
			got = append(got, fmt.Sprint(names, " ", c.lines))
		}
		slices.Sort(got)
		if got := strings.Join(got, ", "); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestRecords: a record allows a circle by the package and its largest node, in one line.
func TestRecords(t *testing.T) {
	r := records("| `store/internal/read` | `File`; plans and followers | 5 |\n| `trace` | kinds |\n")
	for _, test := range []struct {
		folder, node string
		want         bool
	}{{"store/internal/read", "File", true}, {"store/internal/read", "Plan", false}, {"store/internal", "File", false}, {"trace", "File", false}} {
		if got := r.names(test.folder, test.node); got != test.want {
			t.Errorf("%s %s: %v", test.folder, test.node, got)
		}
	}
}
