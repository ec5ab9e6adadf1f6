package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// places matches a Go file in a document, and the name that may follow it.
	places = regexp.MustCompile("`([a-z0-9_/]+\\.go)`(?: `([A-Za-z_.]+)`)?")
	// guides are the documents that lead through the source.
	guides = []string{architecture, "CONTRIBUTING.md"}
)

// declared lists what a Go file declares: functions, types, variables and constants by name, methods as Type.Method.
func declared(text []byte) (names []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, receiver(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names, nil
}

// receiver returns the type of a method and a dot.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch of := t.(type) {
		case *ast.StarExpr:
			t = of.X
		case *ast.IndexExpr:
			t = of.X
		case *ast.Ident:
			return of.Name + "."
		default:
			return ""
		}
	}
}

// checkPlaces reports Go files, and names in them, that a document mentions and that do not exist.
func checkPlaces(text []byte, repository fs.FS) (problems []string) {
	for _, m := range places.FindAllStringSubmatch(string(text), -1) {
		source, err := fs.ReadFile(repository, m[1])
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		if m[2] == "" || !strings.Contains(m[1], "/") {
			continue
		}
		if names, err := declared(source); err != nil || !slices.Contains(names, m[2]) {
			problems = append(problems, fmt.Sprintf("%s does not declare %s (%v)", m[1], m[2], err))
		}
	}
	return problems
}

// TestGuides holds the documents that lead through the source against the source.
func TestGuides(t *testing.T) {
	repository := os.DirFS(root(t))
	named := 0
	for _, name := range guides {
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range checkPlaces(text, repository) {
			t.Errorf("%s: %s", name, problem)
		}
		named += len(places.FindAll(text, -1))
	}
	if named < 30 {
		t.Errorf("the guides name %d places", named)
	}
}

func TestPlaceRule(t *testing.T) {
	text := []byte("`internal/lint/walk_test.go` `checkPlaces`, `internal/lint/walk_test.go` `gone`, `internal/lint/gone.go`")
	if got := checkPlaces(text, os.DirFS(root(t))); len(got) != 2 {
		t.Errorf("got %q, want two problems", got)
	}
}
