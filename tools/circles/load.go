package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
	Module                  *struct{ Path string }
}

// pack is a package with its syntax and types, tests left out.
type pack struct {
	folder string // within the module
	nodes  []*node
}

func (p *pack) circles() []circle { return components(p.nodes) }

// load returns packages by patterns of the go command. Imports come from what the compiler exports.
func load(patterns []string) ([]*pack, error) {
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly,Module", "--"}, patterns...)...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	exports := map[string]string{}
	var own []listed
	for decoder := json.NewDecoder(strings.NewReader(string(stdout))); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			own = append(own, l)
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []*pack
	for _, l := range own {
		p, err := check(fset, imports, l)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func check(fset *token.FileSet, imports types.Importer, l listed) (*pack, error) {
	var files []*ast.File
	for _, name := range l.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imports}
	if _, err := config.Check(l.ImportPath, fset, files, info); err != nil {
		return nil, err
	}
	folder := l.ImportPath
	if l.Module != nil {
		folder = strings.TrimPrefix(strings.TrimPrefix(folder, l.Module.Path), "/")
	}
	return &pack{folder: folder, nodes: graph(files, fset, info)}, nil
}
