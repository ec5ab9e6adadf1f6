package convert

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

const example = "otf2.mg.S.8.snapmark"

// events counts the events that a source gives.
func events(t *testing.T, src trace.Source) (n uint64) {
	t.Helper()
	var b trace.Batch
	for _, info := range src.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		s, err := src.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		for err = s.Next(&b, 1000); err == nil; err = s.Next(&b, 1000) {
			n += uint64(b.Len())
		}
		if err != io.EOF {
			t.Fatal(err)
		}
		s.Close()
	}
	return n
}

// counted returns the number of events of a bundled trace as its counts.json has it.
func counted(t *testing.T, name string) uint64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Dir(tracetest.Anchor(t, name)) + ".counts.json")
	if err != nil {
		t.Fatal(err)
	}
	var counts struct {
		Events uint64 `json:"events"`
	}
	if err := json.Unmarshal(text, &counts); err != nil || counts.Events == 0 {
		t.Fatalf("%s: %d events, %v", text, counts.Events, err)
	}
	return counts.Events
}

// pando converts a bundled trace into a Pando file.
func pando(t *testing.T, name string) string {
	t.Helper()
	src, err := Open(t.Context(), tracetest.Anchor(t, name), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	path := filepath.Join(t.TempDir(), "x.bin") // content tells the format, not the name
	w, err := store.Create(t.Context(), path, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	anchor := tracetest.Anchor(t, example)
	packed := filepath.Join("..", "internal", "tracetest", "testdata", example+".tar.zst")
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(anchor), linked); err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{"anchor": anchor, "folder": filepath.Dir(anchor), "linked folder": linked,
		"tar.zst": packed, "pando": pando(t, example)}
	for what, path := range paths {
		temp := t.TempDir()
		src, err := Open(t.Context(), path, Options{TempDir: temp})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if got, want := events(t, src), counted(t, example); got != want || src.Meta().Format != "OTF2" {
			t.Errorf("%s: %d events of format %s, want %d of OTF2", what, got, src.Meta().Format, want)
		}
		if err := src.Close(); err != nil || !empty(t, temp) {
			t.Errorf("%s: closed: %v; %s is empty: %v", what, err, temp, empty(t, temp))
		}
	}
}

func empty(t *testing.T, dir string) bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries) == 0
}

// TestBytes holds the size of a trace against that of all files of its folder.
func TestBytes(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		anchor := tracetest.Anchor(t, name)
		want := int64(0)
		err := filepath.Walk(filepath.Dir(anchor), func(_ string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				want += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := Find(t.Context(), anchor, Options{})
		if err != nil || found.Bytes != want || found.Format != "OTF2" {
			t.Errorf("%s: %+v, %v, want %d bytes", name, found, err, want)
		}
	}
}

// write makes files of the given content in a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFindRefuses(t *testing.T) {
	const anchor = "\x03\x42OTF2\x00 and so on"
	if formatOf([]byte(anchor)) == nil {
		t.Fatal("this is no anchor")
	}
	tests := []struct {
		name  string
		files map[string]string
		path  string
		want  []string
	}{
		{"text", map[string]string{"a": "hello"}, "a", []string{"known format", "Pando, OTF2", "tar.zst"}},
		{"nothing", map[string]string{"a": ""}, "a", []string{"empty"}},
		{"empty folder", nil, "", []string{"no trace", "no files"}},
		{"other files", map[string]string{"a.txt": "a", "b/c.otf2": anchor}, "", []string{"no trace", "it holds a.txt"}},
		{"many files", map[string]string{"a": "", "b": "", "c": "", "d": "", "e": "", "f": "", "g": ""}, "", []string{"and 1 more"}},
		{"two traces", map[string]string{"x.otf2": anchor, "y.otf2": anchor}, "", []string{"several", "x.otf2, y.otf2"}},
		{"xz", map[string]string{"a.xz": "\xfd7zXZ\x00 and so on"}, "a.xz", []string{"no tar, tar.gz or tar.zst"}},
	}
	for _, tt := range tests {
		_, err := Find(t.Context(), filepath.Join(write(t, tt.files), tt.path), Options{})
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", tt.name, err, want)
			}
		}
	}
	if _, err := Find(t.Context(), filepath.Join(t.TempDir(), "gone"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Find(t.Context(), os.DevNull, Options{}); err == nil || !strings.Contains(err.Error(), "neither a file nor a folder") {
		t.Errorf("device: %v", err)
	}
}

// TestDamagedMagic: a Pando file that a transfer in text mode damaged is recognised as one.
func TestDamagedMagic(t *testing.T) {
	dir := write(t, map[string]string{"a": "\x89PND\n\x1a\n and so on"})
	found, err := Find(t.Context(), filepath.Join(dir, "a"), Options{})
	if err != nil || found.Format != "Pando" {
		t.Fatal(found, err)
	}
	if _, err := found.Open(t.Context()); err == nil || !strings.Contains(err.Error(), "line ends") {
		t.Errorf("opened: %v", err)
	}
}

func TestFormats(t *testing.T) {
	for _, f := range Formats() {
		if f.Name == "" || f.Main == "" || f.detect(nil) {
			t.Errorf("%+v: no name, or it takes nothing for a trace", f)
		}
	}
	if len(Formats()) < 2 {
		t.Errorf("%d formats", len(Formats()))
	}
}

// TestOTF finds the traces of OTF 1 by their index files and by their folders, which hold other files, too.
func TestOTF(t *testing.T) {
	for _, index := range tracetest.Files(t, "otf1.allrec.half", ".otf") {
		dir := filepath.Dir(index)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			if ext := filepath.Ext(e.Name()); ext != ".json" && ext != ".zst" { // counts, and the reference dump
				want += info.Size()
			}
		}
		for _, path := range []string{index, dir} {
			found, err := Find(t.Context(), path, Options{})
			if err != nil || found.Format != "OTF" || found.Bytes != want {
				t.Errorf("%s: %+v, %v, want %d bytes of OTF", path, found, err, want)
				continue
			}
			src, err := found.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if n := events(t, src); n < 9000 {
				t.Errorf("%s: %d events", path, n)
			}
		}
	}
}
