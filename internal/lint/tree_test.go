package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file is one file that people write; its path is relative to the repository's root.
type file struct {
	path string
	text []byte
}

func (f *file) isGo() bool { return path.Ext(f.path) == ".go" }

// isTable reports whether the file is one of the tables.
func (f *file) isTable() bool {
	return slices.ContainsFunc(tables, func(pattern string) bool {
		ok, _ := path.Match(pattern, f.path)
		return ok
	})
}

// named reports whether the file has one of the extensions or names.
func (f *file) named(names []string) bool {
	return slices.Contains(names, path.Ext(f.path)) || slices.Contains(names, path.Base(f.path))
}

// root returns the repository's root, two folders above this package.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// sources reads all files that people write. (By reading them in this process, go test knows when to run anew.)
func sources(t *testing.T) (files []*file) {
	t.Helper()
	repository := os.DirFS(root(t))
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		f := &file{path: name}
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains(skippedFolders, d.Name()) || slices.Contains(skippedFolders, name)):
			return fs.SkipDir
		case !d.Type().IsRegular() || !f.named(code) && !f.named(prose):
			return nil
		}
		f.text, err = fs.ReadFile(repository, name)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(files, func(f *file) bool { return f.path == "internal/lint/tree_test.go" }) {
		t.Fatalf("walked over %d files and missed this one", len(files))
	}
	return files
}

// run runs a command in a folder and returns its standard output; the error has what it wrote to standard error.
func run(dir string, command ...string) ([]byte, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, out, stderr.Bytes())
	}
	return out, err
}
