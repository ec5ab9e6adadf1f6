package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Names from files, and of files, do not reach the terminal as they are.
func TestErrorsArePrintable(t *testing.T) {
	for given, want := range map[string]string{
		"a.pando: header":           "a.pando: header",
		"\x1b[31m.pando: no\nmore":  `\x1b[31m.pando: no; more`,
		"\u202eodnap: \xff\x00\a":   `\u202eodnap: \xff\x00\a`,
		"größe.pando: „odd“ header": "größe.pando: „odd“ header",
	} {
		if got := verb.OneLine(errors.New(given)); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}

// The names of files do not, either.
func TestFileNamesArePrintable(t *testing.T) {
	in, dir := converted(t, "otf2.ez.hello.4.io"), t.TempDir()
	odd := filepath.Join(dir, "\x1b[31m\n\u202e.pando")
	if err := os.Link(in, odd); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"info", odd}, {"verify", odd}, {"convert", odd, odd + ".copy.pando"}, {"recover", odd, odd + ".saved.pando"}, {"convert", odd, odd + ".json"},
		{"export", odd, "--format", "csv", "--tables", "calls", "-o", odd + "-tables"},
	} {
		if out := output(t, args...); strings.ContainsAny(out, "\x1b\u202e") || !strings.Contains(out, `\x1b[31m\n`) {
			t.Errorf("%q: %.200q", args, out)
		}
	}
}

// A pipe in the place of a file is refused, and not waited for.
func TestPipesAreRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	for _, args := range [][]string{{"info", pipe}, {"recover", pipe, pipe + ".saved.pando"}, {"convert", pipe, pipe + ".pando"}} {
		if _, stderr, code := pando(args...); code == exitOK || !strings.Contains(stderr, pipe) {
			t.Errorf("%q: exit code %d, %s", args, code, stderr)
		}
	}
}

// Nor does the name of the format that a file claims to come from.
func TestFormatsArePrintable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pando")
	w, err := store.Create(t.Context(), path, &trace.Meta{Resolution: 1, Format: "\x1b[2J"}, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out := output(t, "info", path); strings.Contains(out, "\x1b") || !strings.Contains(out, `\x1b[2J`) {
		t.Errorf("%q", out)
	}
}
