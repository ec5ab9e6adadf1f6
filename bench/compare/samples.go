package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/store"
)

// sample is a trace to measure with.
type sample struct {
	name   string
	format string
	path   string // its main file
	bytes  int64  // of all its files
	file   string // what Pando makes of it
	calls  string // the table of its calls, once it is exported
	*store.Info
}

// root returns the folder of the source tree that the working directory lies in.
func root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("not in the source tree: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// program builds one of our programs and returns its path.
func (b *bench) program(folder string) (string, error) {
	if path, ok := b.built[folder]; ok {
		return path, nil
	}
	path := filepath.Join(b.work, filepath.Base(folder))
	cmd := exec.Command("go", "build", "-pgo="+cmp.Or(b.profile, "off"), "-o", path, "./"+folder)
	cmd.Dir = b.root
	if err := runQuietly(cmd); err != nil {
		return "", err
	}
	b.built[folder] = path
	return path, nil
}

// pando runs the program itself.
func (b *bench) pando(args ...string) (usage, error) {
	path, err := b.program("cmd/pando")
	if err != nil {
		return usage{}, err
	}
	return b.measured(nil, cores(b.threads), append([]string{path}, args...)...)
}

// cores is the environment that makes a Go program use n processors.
func cores(n int) []string { return []string{fmt.Sprint("GOMAXPROCS=", n)} }

// samples prepares the traces that were asked for.
func (b *bench) samples() ([]*sample, error) {
	names := b.traces
	if len(names) == 0 {
		for _, folder := range b.archives() {
			names, _ = filepath.Glob(filepath.Join(folder, "otf2.*.tar.*"))
			if len(names) > 0 {
				break
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("there are no archives of OTF2 in %s", strings.Join(b.archives(), ", "))
	}
	var all []*sample
	for _, name := range names {
		s, err := b.sample(name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// archives are the folders where traces are found by name.
func (b *bench) archives() []string {
	bundled := filepath.Join(b.root, "internal", "tracetest", "testdata")
	if larger := os.Getenv("PANDO_TRACES"); larger != "" {
		return []string{larger, bundled}
	}
	return []string{bundled}
}

// sample prepares a trace: unpacks it, if it is packed, and converts it once.
func (b *bench) sample(name string) (*sample, error) {
	if s, ok := b.prepared[name]; ok {
		return s, nil
	}
	b.say("preparing %s", name)
	s, err := b.find(name)
	if err != nil {
		return nil, err
	}
	s.file = filepath.Join(b.work, fmt.Sprintf("%d.%s.pando", len(b.prepared), s.name))
	if _, err := b.pando("convert", "--force", s.path, s.file); err != nil {
		return nil, err
	}
	r, err := store.Open(context.Background(), s.file, store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s.Info = r.Info()
	b.prepared[name] = s
	return s, nil
}

func (b *bench) find(name string) (*sample, error) {
	path, err := b.locate(name)
	if err != nil {
		return nil, err
	}
	s := &sample{name: nameOf(path)}
	if isArchive(path) {
		if path, err = b.unpack(path, s.name); err != nil {
			return nil, err
		}
	}
	found, err := findBelow(path)
	if err != nil {
		return nil, err
	}
	s.path, s.bytes, s.format = found.Path, found.Bytes, found.Format
	return s, found.Close()
}

// findBelow finds a trace at a path, or else in the first folder there that has one.
func findBelow(path string) (*convert.Trace, error) {
	found, err := convert.Find(context.Background(), path, convert.Options{})
	if err == nil {
		return found, nil
	}
	folders, _ := filepath.Glob(filepath.Join(path, "*", "."))
	for _, folder := range folders {
		if found, err := convert.Find(context.Background(), folder, convert.Options{}); err == nil {
			return found, nil
		}
	}
	return nil, err
}

func isArchive(path string) bool { return strings.Contains(filepath.Base(path), ".tar.") }

// nameOf names a trace after its archive or its folder: main files are often called the same.
func nameOf(path string) string {
	if isArchive(path) {
		name, _, _ := strings.Cut(filepath.Base(path), ".tar.")
		return name
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		path = filepath.Dir(path)
	}
	return filepath.Base(path)
}

// locate finds a trace by its path, or by the name of its archive.
func (b *bench) locate(name string) (string, error) {
	if _, err := os.Stat(name); err == nil {
		return filepath.Abs(name)
	}
	for _, folder := range b.archives() {
		if found, _ := filepath.Glob(filepath.Join(folder, name+".tar.*")); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("there is no trace %s, neither as a path nor as an archive in %s", name, strings.Join(b.archives(), ", "))
}

// unpack returns the folder of what is in an archive.
func (b *bench) unpack(archive, name string) (string, error) {
	if b.peers.tar.missing != nil {
		return "", b.peers.tar.missing
	}
	folder := filepath.Join(b.work, "unpacked", name)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	part := folder + ".part"
	if err := os.MkdirAll(part, 0o777); err != nil {
		return "", err
	}
	if err := runQuietly(exec.Command(b.peers.tar.path, "-xf", archive, "-C", part)); err != nil {
		return "", err
	}
	return folder, os.Rename(part, folder)
}

// parts are the files and folders of a trace, by their names in the folder of its main file. Reference dumps, which may
// lie beside them, are none.
func (s *sample) parts() (folder string, parts []string) {
	folder = filepath.Dir(s.path)
	stem := strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		ours := e.Name() == stem || strings.HasPrefix(e.Name(), stem+".")
		if ours && !slices.Contains([]string{".zst", ".json", ".pando"}, filepath.Ext(e.Name())) {
			parts = append(parts, e.Name())
		}
	}
	return folder, parts
}

// tables exports tables to Parquet, all if none is named, and returns their folder.
func (b *bench) tables(s *sample, names ...string) (string, error) {
	folder := strings.TrimSuffix(s.file, "pando") + strings.Join(append([]string{"tables"}, names...), ".")
	args := []string{"export", s.file, "--format", "parquet", "-o", folder}
	if len(names) > 0 {
		args = append(args, "--tables", strings.Join(names, ","))
	}
	_, err := b.pando(args...)
	return folder, err
}
