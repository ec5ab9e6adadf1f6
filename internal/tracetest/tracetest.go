// Package tracetest gives tests real traces to work on: bundled ones, which every checkout has, and larger ones,
// which the environment variable PANDO_TRACES points to.
//
// A trace is known by the name of its archive ("otf2.mg.S.16.skew"); the part before the first dot is its format.
// Archives are unpacked into a folder of the system's temporary directory, named by their content, which later test
// runs find again. Tests must not write there: those that damage traces work on copies.
package tracetest

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

//go:embed testdata/*.tar.zst
var bundled embed.FS

// Bundled returns the names of the bundled OTF2 traces, sorted.
func Bundled(t testing.TB) []string { return BundledOf(t, "otf2") }

// Distinct returns the bundled OTF2 traces without otf2.patched.allrecords.bigendian, which differs from otf2.synthetic.allrecords in the order
// of its bytes alone: convert/otf2 tests that it reads the same from both. All tests of what comes behind that reader take these.
func Distinct(t testing.TB) []string { return DistinctOf(t, "otf2") }

// DistinctOf does the same for a format.
func DistinctOf(t testing.TB, format string) []string {
	t.Helper()
	return slices.DeleteFunc(BundledOf(t, format), func(name string) bool { return name == "otf2.patched.allrecords.bigendian" })
}

// BundledOf returns the names of the bundled traces of a format ("otf2", "clog2"), sorted. There is at least one.
func BundledOf(t testing.TB, format string) []string {
	t.Helper()
	entries, err := bundled.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".tar.zst"); ok && strings.HasPrefix(name, format+".") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatalf("no bundled trace of format %s", format)
	}
	return names
}

// Dir returns the folder that a trace, bundled or larger, was unpacked into. It holds the trace's own folder and, next
// to it, its reference dumps. The test fails if there is no such trace.
func Dir(t testing.TB, name string) string {
	t.Helper()
	dir, err := unpacked(t, name)
	if err != nil {
		t.Fatalf("trace %s: %v", name, err)
	}
	return dir
}

// Anchor returns the path of the anchor file of an OTF2 trace.
func Anchor(t testing.TB, name string) string {
	t.Helper()
	dir := Dir(t, name)
	for _, pattern := range []string{"*.otf2", "*/*.otf2"} {
		if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) == 1 {
			return found[0]
		}
	}
	t.Fatalf("trace %s: not exactly one anchor file below %s", name, dir)
	return ""
}

// Files returns the paths of a trace's files with an extension (".otf"), in order.
func Files(t testing.TB, name, ext string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(Dir(t, name), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ext {
			found = append(found, path)
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("trace %s: %d files %s: %v", name, len(found), ext, err)
	}
	return found
}

// Inflated returns the content of a file compressed by zstd.
func Inflated(t testing.TB, path string) []byte {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err == nil {
		packed, err = inflate(packed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// Dump returns a reference dump of an OTF2 trace: what another program printed of it. kind is "print.txt" for the output
// of otf2-print, "dump.txt" for a dump made with the callbacks of the OTF2 library. ok is false if the trace has none.
func Dump(t testing.TB, name, kind string) (text []byte, ok bool) {
	t.Helper()
	packed, err := os.ReadFile(filepath.Dir(Anchor(t, name)) + "." + kind + ".zst")
	if os.IsNotExist(err) {
		return nil, false
	}
	if err == nil {
		text, err = inflate(packed)
	}
	if err != nil {
		t.Fatalf("trace %s: %v", name, err)
	}
	return text, true
}

func inflate(packed []byte) ([]byte, error) {
	d, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return io.ReadAll(d)
}

// folders remembers what this process unpacked or found unpacked.
var folders struct {
	sync.Mutex
	byName map[string]string
}

func unpacked(t testing.TB, name string) (string, error) {
	folders.Lock()
	defer folders.Unlock()
	if dir, ok := folders.byName[name]; ok {
		return dir, nil
	}
	dir, err := unpack(t, name)
	if err != nil {
		return "", err
	}
	if folders.byName == nil {
		folders.byName = map[string]string{}
	}
	folders.byName[name] = dir
	return dir, nil
}

func unpack(t testing.TB, name string) (string, error) {
	packed, err := bundled.ReadFile("testdata/" + name + ".tar.zst")
	if err != nil {
		return unpackLarger(t, name)
	}
	sum := sha256.Sum256(packed)
	return unpackOnce(fmt.Sprintf("%s-%x", name, sum[:6]), func(dir string) error {
		return untarZstd(bytes.NewReader(packed), dir)
	})
}

// unpackOnce returns the folder of that key, and lets fill make it if it is not there. The folder appears complete or
// not at all, whatever other processes do.
func unpackOnce(key string, fill func(dir string) error) (string, error) {
	base := filepath.Join(os.TempDir(), fmt.Sprintf("pando-traces-%d", os.Getuid()))
	final := filepath.Join(base, strings.ReplaceAll(key, "/", "_"))
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(base, "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	if err := fill(part); err != nil {
		return "", err
	}
	if err := os.Rename(part, final); err != nil {
		if _, missing := os.Stat(final); missing != nil {
			return "", err
		} // otherwise another process was faster
	}
	return final, nil
}
