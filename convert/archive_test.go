package convert

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/internal/tracetest"
)

// tarOf packs entries; those of type file get their name as content.
func tarOf(t testing.TB, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		content := ""
		if h.Typeflag == tar.TypeReg {
			content = h.Name
		}
		h.Size, h.Mode = int64(len(content)), 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tarOfTrace packs a bundled trace.
func tarOfTrace(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.AddFS(os.DirFS(tracetest.Dir(t, example))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstded(t testing.TB, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

func TestPacked(t *testing.T) {
	packed := tarOfTrace(t)
	for what, data := range map[string][]byte{"tar": packed, "tar.gz": gzipped(t, packed), "tar.zst": zstded(t, packed)} {
		dir := write(t, map[string]string{"trace": string(data)})
		last := int64(0)
		found, err := Find(t.Context(), filepath.Join(dir, "trace"), Options{Unpacking: func(n, _ int64) { last = n }})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		src, err := found.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := events(t, src), counted(t, example); got != want {
			t.Errorf("%s: %d events, want %d", what, got, want)
		}
		if found.Bytes != int64(len(data)) || last < found.Bytes/2 || last > found.Bytes {
			t.Errorf("%s: %d bytes, %d read, should be %d", what, found.Bytes, last, len(data))
		}
		if err := found.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPackedRefuses(t *testing.T) {
	file := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name} }
	packed := tarOfTrace(t)
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"path upwards", tarOf(t, file("../evil")), `"../evil" lies outside`},
		{"absolute path", tarOf(t, file("/tmp/evil")), `"/tmp/evil" lies outside`},
		{"hidden path upwards", tarOf(t, file("a/../../evil")), "lies outside"},
		{"symbolic link", tarOf(t, tar.Header{Typeflag: tar.TypeSymlink, Name: "l", Linkname: "/etc"}, file("l/passwd")), `"l" is neither`},
		{"hard link", tarOf(t, tar.Header{Typeflag: tar.TypeLink, Name: "l", Linkname: "../x"}), `"l" is neither`},
		{"no trace inside", tarOf(t, file("a"), file("b/c")), "it holds a, b/c"},
		{"no tar inside", zstded(t, []byte("hello")), "no tar archive"},
		{"torn tar", packed[:len(packed)/2], "unexpected EOF"},
		{"torn gzip", gzipped(t, packed)[:10000], "unexpected EOF"},
		{"torn zstd", zstded(t, packed)[:10000], "unexpected EOF"},
		{"zeros inside", zstded(t, make([]byte, 1<<20)), "no tar archive"},
	}
	for _, tt := range tests {
		dir, temp := write(t, map[string]string{"packed": string(tt.data)}), t.TempDir()
		_, err := Find(t.Context(), filepath.Join(dir, "packed"), Options{TempDir: temp})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if !empty(t, temp) {
			t.Errorf("%s: something is left", tt.name)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(temp), "evil")); err == nil {
			t.Fatalf("%s: written outside", tt.name)
		}
	}
	dir, temp := write(t, map[string]string{"packed": string(packed)}), t.TempDir()
	stopped, stop := context.WithCancel(t.Context())
	if _, err := Find(stopped, filepath.Join(dir, "packed"), Options{TempDir: temp, Unpacking: func(int64, int64) { stop() }}); !errors.Is(err, context.Canceled) || !empty(t, temp) {
		t.Errorf("stopped: %v", err)
	}
}

func TestUnpackLimit(t *testing.T) {
	packed := tarOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "abcd"}, tar.Header{Typeflag: tar.TypeReg, Name: "efgh"})
	for limit, fits := range map[int64]bool{7: false, 8: true, 0: true} {
		err := unpack(t.Context(), bytes.NewReader(packed), t.TempDir(), limit, Options{})
		if (err == nil) != fits {
			t.Errorf("8 bytes within %d: %v", limit, err)
		}
	}
}

// The entries of an archive are counted, so that one of empty files cannot fill the disk either.
func TestUnpackEntries(t *testing.T) {
	packed := tarOf(t, tar.Header{Typeflag: tar.TypeReg, Name: "a"}, tar.Header{Typeflag: tar.TypeDir, Name: "b/"})
	for entries, fits := range map[int]bool{maxEntries - 2: true, maxEntries - 1: false} {
		root, err := os.OpenRoot(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		u := unpacker{root: root, limit: func() int64 { return leastAllowed }, entries: entries}
		if err := errors.Join(u.unpack(tar.NewReader(bytes.NewReader(packed))), root.Close()); (err == nil) != fits {
			t.Errorf("2 entries after %d: %v", entries, err)
		}
	}
}

// SECURITY.md says what an archive may become.
func TestLimitsOfArchivesAreThoseOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{fmt.Sprintf("%d times its size", maxRatio), fmt.Sprintf("%d bytes", leastAllowed), fmt.Sprintf("%d entries", maxEntries)} {
		if !strings.Contains(string(text), limit) {
			t.Errorf("SECURITY.md does not say %q", limit)
		}
	}
}
