package tracetest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Larger returns the names of the OTF2 traces below $PANDO_TRACES, sorted; the test is skipped if it is not set.
func Larger(t testing.TB) []string { return LargerOf(t, "otf2") }

// LargerOf returns the names of the traces of a format below the folder $PANDO_TRACES, sorted: archives named
// FORMAT.NAME.tar.zst or .tar.xz, and unpacked ones, whose name is their path. If the variable is not set, or there is
// an archive that cannot be unpacked here, the test is skipped; if the folder has no such trace, it fails.
func LargerOf(t testing.TB, format string) []string {
	t.Helper()
	root := os.Getenv("PANDO_TRACES")
	if root == "" {
		t.Skip("PANDO_TRACES is not set")
	}
	found, err := find(root, format)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no trace of format %s below PANDO_TRACES=%s", format, root)
	}
	larger.Lock()
	defer larger.Unlock()
	if larger.paths == nil {
		larger.paths = map[string]string{}
	}
	var names []string
	for name, path := range found {
		if _, err := exec.LookPath("xz"); err != nil && strings.HasSuffix(path, ".xz") {
			t.Skipf("%s cannot be unpacked: %v", path, err)
		}
		names = append(names, name)
		larger.paths[name] = path
	}
	slices.Sort(names)
	return names
}

// larger remembers where the larger traces are: an archive's path, or an unpacked trace's folder.
var larger struct {
	sync.Mutex
	paths map[string]string
}

// extensions of the main file of a trace, by format.
var extensions = map[string]string{"otf2": ".otf2", "otf1": ".otf", "clog2": ".clog2", "slog2": ".slog2"}

func find(root, format string) (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, archive := archiveName(d.Name())
		switch {
		case archive && strings.HasPrefix(name, format+"."):
			found[name] = path
		case filepath.Ext(path) == extensions[format]:
			dir := filepath.Dir(path)
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				return err
			}
			found[filepath.ToSlash(rel)] = dir
		}
		return nil
	})
	return found, err
}

func archiveName(file string) (name string, ok bool) {
	for _, ext := range []string{".tar.zst", ".tar.xz"} {
		if name, ok := strings.CutSuffix(file, ext); ok {
			return name, true
		}
	}
	return "", false
}

func unpackLarger(t testing.TB, name string) (string, error) {
	larger.Lock()
	path, ok := larger.paths[name]
	larger.Unlock()
	if !ok {
		return "", fmt.Errorf("neither bundled nor listed by Larger")
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return path, err
	}
	key := fmt.Sprintf("%s-%d-%d", name, info.Size(), info.ModTime().Unix())
	return unpackOnce(key, func(dir string) error {
		t.Logf("unpacking %s", path)
		return untarFile(path, dir)
	})
}

func untarFile(path, dir string) error {
	if strings.HasSuffix(path, ".xz") {
		return untarXz(path, dir)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return untarZstd(f, dir)
}
