package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// texts are what a program of two verbs and a topic answers.
var texts = map[string]string{
	"": `Demo shows things: many of them.

Flags:
are not a section here.

Usage:
  demo [command]

Available Commands:
  show        Show a thing
  tell        Tell of it

Flags:
  -h, --help   help for demo

Additional help topics:
  demo times      How to write times

Use "demo [command] --help" for more information about a command.
`,
	"times": "A time is\n\n  1s   a second\n",
	"show": `Show it.
.fi is no request here, C:\new no escape.

Usage:
  demo show FILE [flags]

Examples:
  demo show a

Flags:
      --from TIME            begin TIME
                             of it
  -L, --location LOCATIONS   only these "LOCATIONS"
`,
	"tell": `Tell.

Usage:
  demo tell [command]

Available Commands:
  all         Tell all

Use "demo tell [command] --help" for more information about a command.
`,
	"tell all": "Tell all of it.\n\nUsage:\n  demo tell all\n",
}

func demo(words ...string) (string, error) {
	text, ok := texts[strings.Join(words, " ")]
	if !ok {
		return "", fmt.Errorf("no help on %q", words)
	}
	return text, nil
}

func TestCollect(t *testing.T) {
	pages, err := collect(demo)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range pages {
		got[p.file()] = p.roff("demo 1", "2026-01-02")
	}
	for name, want := range map[string][]string{
		"demo.1": {`.TH "DEMO" 1 "2026\-01\-02" "demo 1"`, `demo \- shows things`, "are not a section here.\n.fi\n", ".B show\nShow a thing\n", ".B \\-h, \\-\\-help\n",
			".SH \"SEE ALSO\"\n.BR demo\\-times (7)\n"},
		"demo-times.7": {`.TH "DEMO\-TIMES" 7 "2026\-01\-02" "demo 1"`, `demo\-times \- How to write times`, ".nf\nA time is\n\n  1s   a second\n.fi\n", ".BR demo (1)\n"},
		"demo-show.1":  {"\n\\&.fi is no request here, C:\\enew no escape.\n", ".B \\-\\-from TIME\nbegin TIME\nof it\n", `only these "LOCATIONS"`, "  demo show a\n", ".BR demo (1)\n"},
		"demo-tell.1":  {".B all\n"}, "demo-tell-all.1": {".BR demo\\-tell (1)\n"},
	} {
		for _, text := range want {
			if !strings.Contains(got[name], text) {
				t.Errorf("%s lacks %q:\n%s", name, text, got[name])
			}
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("a page of %s", name)
	}
}

// TestCollectRefuses: help that has no verbs, or lacks that on one of them, is an error and not an empty set of pages.
func TestCollectRefuses(t *testing.T) {
	for _, answers := range []map[string]string{{"": "nothing"}, {"": texts[""], "times": texts["times"]}} {
		pages, err := collect(func(words ...string) (string, error) {
			if text, ok := answers[strings.Join(words, " ")]; ok {
				return text, nil
			}
			return demo("none")
		})
		if err == nil {
			t.Errorf("%d pages", len(pages))
		}
	}
}

// TestWrite runs a program, a script that knows two answers.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "demo")
	script := "#!/bin/sh\ncase \"$*\" in\nversion) echo 'demo 1, format 2';;\nhelp) printf 'Demo: x\\n\\nUsage:\\n  demo\\n\\nAvailable Commands:\\n  show  Show\\n';;\n'help show') echo Show;;\n*) exit 1;;\nesac\n"
	if err := os.WriteFile(program, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	if err := write(program, filepath.Join(dir, "man")); err != nil {
		t.Fatal(err)
	}
	list, err := filepath.Glob(filepath.Join(dir, "man", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(dir, "man", "demo-show.1"), filepath.Join(dir, "man", "demo.1")}; !slices.Equal(list, want) {
		t.Fatalf("%q, want %q", list, want)
	}
	page, err := os.ReadFile(list[0])
	if err != nil || !strings.HasPrefix(string(page), ".TH \"DEMO\\-SHOW\" 1 \"1970\\-01\\-02\" \"demo 1\"\n") {
		t.Errorf("%q, %v", page, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "soon")
	if err := write(program, dir); err == nil {
		t.Error("a date that is none")
	}
}
