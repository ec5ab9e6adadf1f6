package convert

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pandotrace/pando/internal/tracetest"
)

// sumOf returns the fingerprint of a trace.
func sumOf(t *testing.T, found *Trace) [32]byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.pando")
	if _, err := OutputAt(path).Write(t.Context(), found, path, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return fingerprint(t, path)
}

func fingerprint(t *testing.T, path string) [32]byte {
	t.Helper()
	src, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return src.(*foundSource).Source.(*pandoSource).reader.Info().SHA256
}

// TestStreams: a trace that comes as a stream, in pieces, is the trace of the file; and a Pando file that is written to a stream is it, too.
func TestStreams(t *testing.T) {
	const archive = "otf2.ez.hello.4.io"
	folder := t.TempDir()
	packed := filepath.Join("..", "internal", "tracetest", "testdata", archive+".tar.zst")
	tracetest.Dir(t, archive) // it is bundled
	named, err := Find(t.Context(), packed, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer named.Close()
	want := sumOf(t, named)

	file, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	found, err := FindIn(t.Context(), iotest.HalfReader(file), "standard input", Options{TempDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	if got := sumOf(t, found); got != want {
		t.Errorf("the trace of the stream is another one: %x, want %x", got, want)
	}
	var written bytes.Buffer
	if _, err := OutputNamed("pando").Stream(t.Context(), found, &written, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := FindIn(t.Context(), iotest.OneByteReader(&written), "standard input", Options{TempDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	if got := sumOf(t, again); got != want || !again.IsPando() {
		t.Errorf("the trace of the Pando file is another one: %x, want %x", got, want)
	}
	if err := errors.Join(found.Close(), again.Close()); err != nil {
		t.Error(err)
	}
	nothingIn(t, folder)
}

func nothingIn(t *testing.T, folder string) {
	t.Helper()
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestStreamsRefused: what cannot be read as a stream is refused in a sentence, and nothing is left.
func TestStreamsRefused(t *testing.T) {
	anchor, err := os.ReadFile(tracetest.Anchor(t, "otf2.ez.hello.4.io"))
	if err != nil {
		t.Fatal(err)
	}
	for want, stream := range map[string]io.Reader{
		"it is empty": strings.NewReader(""), "no trace of a known format": strings.NewReader("hello"), "pipe a tar archive": bytes.NewReader(anchor),
		"standard input: unpacking: there is no tar archive in it": strings.NewReader("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"),
		"standard input: timeout":                                  iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("hello"))),
	} {
		folder := t.TempDir()
		found, err := FindIn(t.Context(), stream, "standard input", Options{TempDir: folder})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %q", found, err, want)
		}
		nothingIn(t, folder)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	folder := t.TempDir()
	if _, err := FindIn(stopped, strings.NewReader(`{"traceEvents":[]}`+strings.Repeat(" ", 1<<20)), "standard input", Options{TempDir: folder}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	nothingIn(t, folder)
}

// TestOutputNames: each output is found by its name and by its endings, and by no others.
func TestOutputNames(t *testing.T) {
	for _, o := range Outputs() {
		if found := OutputNamed(strings.ToLower(o.Name)); found == nil || found.Name != o.Name {
			t.Errorf("%s: %v", o.Name, found)
		}
		for _, ext := range o.Extensions {
			if found := OutputAt("a/b" + ext); found == nil || found.Name != o.Name {
				t.Errorf("%s: %v", ext, found)
			}
		}
	}
	if OutputAt("x.csv") != nil || OutputAt("x") != nil || OutputAt("-") != nil || OutputNamed("csv") != nil || len(Outputs()) < 3 {
		t.Error("an output of a name that means none")
	}
}
