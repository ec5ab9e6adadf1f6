package convert

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// logs returns the folder of the logs of four processes, and their paths.
func logs(t *testing.T) (dir string, paths []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(tracetest.Dir(t, "clog2.smallblk_4"), "*", "clog2_taskID=????_??????"))
	if err != nil || len(paths) != 4 {
		t.Fatal(paths, err)
	}
	return filepath.Dir(paths[0]), paths
}

// packed packs files into a tar archive, in a folder of it.
func packed(t *testing.T, paths []string, folder func(i int) string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: folder(i) + "/" + filepath.Base(path), Typeflag: tar.TypeReg, Size: int64(len(data)), Mode: 0o644})
		}
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "logs.tar")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// The logs of the processes of one run, in one folder, are one trace.
func TestJoinedLogs(t *testing.T) {
	dir, paths := logs(t)
	whole := tracetest.Files(t, "clog2.smallblk_4", ".clog2")[0]
	counts := map[string]uint64{}
	for what, path := range map[string]string{
		"merged": whole, "folder": dir, "packed": packed(t, paths, func(int) string { return "local" }), "one": paths[1],
	} {
		found, err := Find(t.Context(), path, Options{TempDir: t.TempDir()})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if what == "folder" && found.Bytes != 4*46364 {
			t.Errorf("%s: %d bytes", what, found.Bytes)
		}
		src, err := found.Open(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if src.Meta().Format != "CLOG-2" || found.Format != "CLOG-2" {
			t.Errorf("%s: format %s, %s", what, src.Meta().Format, found.Format)
		}
		counts[what] = events(t, src)
		src.Close()
		if err := found.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := counts["merged"]; n != 4304 || counts["folder"] != n || counts["packed"] != n || counts["one"] != 1043 {
		t.Errorf("events: %v", counts)
	}
}

// Logs in several folders are several traces.
func TestLogsOfSeveralFolders(t *testing.T) {
	_, paths := logs(t)
	path := packed(t, paths, func(i int) string { return []string{"a", "b"}[i%2] })
	if _, err := Find(t.Context(), path, Options{TempDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "several traces") {
		t.Errorf("got %v", err)
	}
}

func TestDetectMPE(t *testing.T) {
	for ext, want := range map[string]string{".clog2": "CLOG-2", ".slog2": "SLOG-2"} {
		path := tracetest.Files(t, "clog2.quirks_5", ext)[0]
		if name, ok := Detect(path); !ok || name != want {
			t.Errorf("%s is %q", path, name)
		}
		src, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if src.Meta().Format != want || events(t, src) < 2000 {
			t.Errorf("%s: format %s", path, src.Meta().Format)
		}
		src.Close()
	}
}
