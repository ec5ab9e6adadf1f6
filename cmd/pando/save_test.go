package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A pattern that was kept is in the answers of info and export, in parts of the file and in what these make up again, and changes nothing of the trace.
func TestSavedPattern(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	output(t, "convert", "--quiet", filepath.Join("..", "..", "examples", "heat.tar.zst"), at("run.pando"))
	before, err := os.ReadFile(at("run.pando"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("plain.pando"), before, 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, "patterns", at("run.pando"), "--save", "halo", "--text", "the solver's exchange")
	output(t, "patterns", at("run.pando"), "--from", "50%", "--save", "late", "--json")
	output(t, "patterns", at("run.pando"), "--save", "late", "--force", "--text", "again")
	output(t, "diff", at("plain.pando"), at("run.pando"))
	output(t, "verify", "--deep", at("run.pando"))
	output(t, "convert", "--quiet", at("run.pando"), at("first.pando"), "--to", "50%")
	output(t, "convert", "--quiet", at("run.pando"), at("second.pando"), "--from", "50%")
	output(t, "concat", "--quiet", at("first.pando"), at("second.pando"), "-o", at("joined.pando"))
	output(t, "convert", "--quiet", at("run.pando"), at("coarse.pando"), "--max-error", "1us")
	for _, name := range []string{"run", "first", "second", "joined", "coarse"} {
		table, _, _ := pando("export", at(name+".pando"), "--tables", "annotations", "--format", "csv", "-o", "-", "--columns", "name,kind,class,from_ticks,communicator,text")
		want := "name,kind,class,from_ticks,communicator,text\nhalo,messages,4 x 4 grid,0,0,the solver's exchange\nlate,messages,4 x 4 grid,0,0,again\n"
		if name == "second" || name == "coarse" { // whose first event is another one
			table, want = table[:strings.Index(table, "grid")], want[:strings.Index(want, "grid")]
		}
		if table != want {
			t.Errorf("%s:\n%s", name, table)
		}
	}
	if text := output(t, "info", at("run.pando")); !strings.Contains(text, "the solver's exchange") {
		t.Errorf("%s", text)
	}
	for want, args := range map[string][]string{
		"file already exists; --force replaces it": {at("run.pando"), "--save", "halo"},
		"there are several periods":                {at("run.pando"), "--save", "x", "--period", "300ms"},
		"there are no messages":                    {at("run.pando"), "--save", "x", "--to", "1ms"},
		"--text belongs to --save":                 {at("run.pando"), "--text", "x"},
		"which must be a file of this machine":     {"-", "--save", "x"},
	} {
		if _, stderr, code := pando(append([]string{"patterns"}, args...)...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
}
