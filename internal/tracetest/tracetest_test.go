package tracetest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBundledTracesUnpack(t *testing.T) {
	for _, name := range Bundled(t) {
		data, err := os.ReadFile(Anchor(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("OTF2\x00")) {
			t.Errorf("%s: the anchor does not say OTF2", name)
		}
	}
}

func TestBundledSizes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.tar.zst")
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 2<<20 {
			t.Errorf("%s has %d bytes, more than 2 MiB", f, info.Size())
		}
		total += info.Size()
	}
	if total > 8<<20 {
		t.Errorf("bundled traces have %d bytes, more than 8 MiB", total)
	}
}

func TestDump(t *testing.T) {
	text, ok := Dump(t, "otf2.mg.S.16.skew", "print.txt")
	if !ok || !strings.Contains(string(text), "=== OTF2-PRINT ===") {
		t.Errorf("no otf2-print dump: %v, %d bytes", ok, len(text))
	}
	if _, ok := Dump(t, "otf2.amg.8.piece", "print.txt"); ok {
		t.Error("a dump out of nothing")
	}
}

func TestLarger(t *testing.T) {
	root := t.TempDir()
	packed, err := bundled.ReadFile("testdata/otf2.ez.hello.4.io.tar.zst")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "otf2.other.tar.zst"), packed, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := untarZstd(bytes.NewReader(packed), filepath.Join(root, "open")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PANDO_TRACES", root)
	names := Larger(t)
	if got := strings.Join(names, " "); got != "open/ez.hello.4.io otf2.other" {
		t.Fatalf("Larger found %q", got)
	}
	for _, name := range names {
		if !strings.HasSuffix(Anchor(t, name), "eztrace_log.otf2") {
			t.Errorf("%s: anchor is %s", name, Anchor(t, name))
		}
		if _, ok := Dump(t, name, "print.txt"); !ok {
			t.Errorf("%s: its dump is not found", name)
		}
	}
}
