package convert

import (
	"archive/tar"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
)

// FuzzFind puts any bytes where a trace should be. Whatever they are, there is an answer, nothing is written outside of the
// temporary folder, and nothing is left there.
func FuzzFind(f *testing.F) {
	entry := func(typ byte, name string) tar.Header {
		return tar.Header{Typeflag: typ, Name: name, Linkname: "../outside"}
	}
	for _, h := range []tar.Header{entry(tar.TypeReg, "a/b"), entry(tar.TypeReg, "../outside"), entry(tar.TypeSymlink, "l"), entry(tar.TypeDir, "d/")} {
		packed := tarOf(f, h)
		f.Add(packed)
		f.Add(gzipped(f, packed))
		f.Add(zstded(f, packed))
	}
	f.Add([]byte("\x03\x42OTF2\x00"))
	f.Add([]byte(`[{"ph":"X","ts":1,"dur":2,"name":"a"}`))
	f.Add(gzipped(f, []byte(`{"traceEvents":[{"ph":"C","ts":1,"args":{"a":1}}]}`)))
	f.Add([]byte("\x89PND\r\n\x1a\n"))
	dir := f.TempDir() // one for all: making folders takes longer than all the rest
	path, temp := filepath.Join(dir, "trace"), filepath.Join(dir, "temp")
	if err := os.Mkdir(temp, 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		found, err := Find(t.Context(), path, Options{TempDir: temp})
		if (err == nil) == (found == nil) {
			t.Fatalf("%v, %v", found, err)
		}
		if err == nil {
			if src, err := found.Open(t.Context()); err == nil {
				src.Close()
			}
			if err := found.Close(); err != nil {
				t.Error(err)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 || !empty(t, temp) {
			t.Errorf("something is left: %v, %v", entries, err)
		}
	})
}
