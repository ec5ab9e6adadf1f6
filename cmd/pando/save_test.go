package main

import (
	"bytes"
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
		`has an annotation "halo"; --force replaces it`: {at("run.pando"), "--save", "halo"},
		"there are several periods":                     {at("run.pando"), "--save", "x", "--period", "300ms"},
		"there are no messages":                         {at("run.pando"), "--save", "x", "--to", "1ms"},
		"--text belongs to --save":                      {at("run.pando"), "--text", "x"},
		"which must be a file of this machine":          {"-", "--save", "x"},
	} {
		if _, stderr, code := pando(append([]string{"patterns"}, args...)...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
}

// Routine patterns are kept phase by phase, go through merge, and are removed by the name that they have in common. The file is then what it was before.
func TestSavedRoutine(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	output(t, "convert", "--quiet", filepath.Join("..", "..", "examples", "heat.tar.zst"), at("run.pando"), "--note", "run=1")
	before, err := os.ReadFile(at("run.pando"))
	if err != nil {
		t.Fatal(err)
	}
	output(t, "patterns", at("run.pando"), "--by", "phase", "--save", "solver", "--text", "one step")
	const columns = "name,kind,class,routine,repetitions_least,repetitions,locations,text"
	table := func(file string) string {
		text, _, _ := pando("export", at(file), "--tables", "annotations", "--format", "csv", "-o", "-", "--columns", columns)
		return text
	}
	want := columns + "\nsolver/2/calls,calls,iterate,\"exchange,stencil,boundary\",80,80,16,one step\nsolver/2/messages,messages,4 x 4 grid,,,,,one step\n"
	if got := table("run.pando"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, verb := range []string{"annotations", "info"} {
		if text := output(t, verb, at("run.pando")); !strings.Contains(text, "\nsolver/2/calls: 80 times on 16 locations, 18.7 % of the time: exchange, stencil, boundary\n") {
			t.Errorf("%s: %s", verb, text)
		}
	}
	output(t, "verify", "--deep", at("run.pando"))
	output(t, "convert", "--quiet", at("run.pando"), at("other.pando"), "--note", "run=2")
	output(t, "merge", "--quiet", at("run.pando"), at("other.pando"), "-o", at("both.pando"))
	text := table("both.pando")
	for _, name := range []string{"1/solver/2/calls", "2/solver/2/calls", "1/solver/2/messages", "2/solver/2/messages"} {
		if !strings.Contains(text, "\n"+name+",") {
			t.Errorf("%s", text)
		}
	}
	if text := output(t, "info", at("both.pando")); !strings.Contains(text, "note.1.run") || !strings.Contains(text, "note.2.run") {
		t.Errorf("%s", text)
	}
	if text := output(t, "convert", at("run.pando"), at("run.otf2")); !strings.Contains(text, "annotation left out") {
		t.Errorf("%s", text)
	}
	for want, args := range map[string][]string{
		`no annotation is called "solve"`:      {at("run.pando"), "--remove", "solve"},
		"which must be a file of this machine": {"-", "--remove", "solver"},
	} {
		if _, stderr, code := pando(append([]string{"annotations"}, args...)...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
	if text := output(t, "annotations", at("run.pando"), "--remove", "solver"); !strings.Contains(text, "2 annotations removed") {
		t.Errorf("%s", text)
	}
	if after, err := os.ReadFile(at("run.pando")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("without annotations the file is not what it was: %v", err)
	}
}
