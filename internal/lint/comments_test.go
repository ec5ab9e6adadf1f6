package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// checkComments reports exported identifiers of a public package that stand without a comment.
func checkComments(f *file) []string {
	internal := strings.Contains("/"+f.path, "/internal/")
	if !f.isGo() || internal || strings.HasSuffix(f.path, "_test.go") {
		return nil
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.path, f.text, parser.ParseComments)
	if err != nil {
		return []string{err.Error()}
	}
	if tree.Name.Name == "main" {
		return nil
	}
	var problems []string
	for _, name := range bareDecls(tree) {
		problems = append(problems, fmt.Sprintf("line %d: exported %s has no comment", fset.Position(name.Pos()).Line, name.Name))
	}
	return problems
}

// bareDecls returns the exported names that a file declares without a comment.
func bareDecls(tree *ast.File) (bare []*ast.Ident) {
	for _, decl := range tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil {
				bare = append(bare, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				bare = append(bare, bareSpec(d, spec)...)
			}
		}
	}
	return bare
}

// bareSpec does the same for one line of a declaration. The comment of a group is enough for its constants and
// variables, not for its types.
func bareSpec(d *ast.GenDecl, spec ast.Spec) (bare []*ast.Ident) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
			bare = append(bare, s.Name)
		}
		if s.Name.IsExported() {
			bare = append(bare, bareMethods(s.Type)...)
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
				bare = append(bare, name)
			}
		}
	}
	return bare
}

// bareMethods returns the exported methods without a comment if the type is an interface.
func bareMethods(typ ast.Expr) (bare []*ast.Ident) {
	face, ok := typ.(*ast.InterfaceType)
	if !ok {
		return nil
	}
	for _, m := range face.Methods.List {
		if len(m.Names) > 0 && m.Names[0].IsExported() && m.Doc == nil && m.Comment == nil {
			bare = append(bare, m.Names[0])
		}
	}
	return bare
}

// exportedReceiver reports whether a function is no method, or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	return d.Recv == nil || baseType(d.Recv.List[0].Type).IsExported()
}

// baseType returns the name in a receiver's type, without star and type parameters.
func baseType(typ ast.Expr) *ast.Ident {
	switch t := typ.(type) {
	case *ast.Ident:
		return t
	case *ast.StarExpr:
		return baseType(t.X)
	case *ast.IndexExpr:
		return baseType(t.X)
	case *ast.IndexListExpr:
		return baseType(t.X)
	}
	return ast.NewIdent("")
}

// checkPackages reports folders of Go files none of which has a package comment. A folder with only tests has its
// comment in a test.
func checkPackages(files []*file) (problems []string) {
	commented := map[string]bool{}
	for _, f := range files {
		if !f.isGo() {
			continue
		}
		dir := path.Dir(f.path)
		tree, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.ParseComments|parser.PackageClauseOnly)
		commented[dir] = commented[dir] || err == nil && tree.Doc != nil
	}
	for dir, ok := range commented {
		if !ok {
			problems = append(problems, dir+": no package comment")
		}
	}
	slices.Sort(problems)
	return problems
}
