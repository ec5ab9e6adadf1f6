package lint

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the tables of import rules into "+architecture)

// architecture is the document that shows the import rules, between two marks.
const (
	architecture = "ARCHITECTURE.md"
	tablesBegin  = "<!-- import rules: written by go test ./internal/lint -rewrite -->\n"
	tablesEnd    = "<!-- end of import rules -->\n"
)

// importTables renders the import rules as Markdown.
func importTables() string {
	var b strings.Builder
	quote := func(folders string) string {
		if folders == "" || folders == "*" {
			return map[string]string{"": "the standard library", "*": "anything"}[folders]
		}
		return "`" + strings.ReplaceAll(folders, " ", "`, `") + "`"
	}
	b.WriteString("\n| package | may import of ours |\n|---|---|\n")
	for _, l := range layers {
		fmt.Fprintf(&b, "| `%s` | %s |\n", l.folder, quote(l.may))
	}
	b.WriteString("\n| module | imported by |\n|---|---|\n")
	for _, m := range modules {
		fmt.Fprintf(&b, "| `%s` | %s |\n", m.module, quote(m.by))
	}
	for _, m := range testModules {
		fmt.Fprintf(&b, "| `%s` | tests |\n", m)
	}
	return b.String() + "\n"
}

// replaceTables puts the tables between the marks of a document.
func replaceTables(text []byte, tables string) ([]byte, error) {
	head, rest, begin := bytes.Cut(text, []byte(tablesBegin))
	_, tail, end := bytes.Cut(rest, []byte(tablesEnd))
	if !begin || !end {
		return nil, fmt.Errorf("the marks %q and %q are missing", tablesBegin, tablesEnd)
	}
	return slices.Concat(head, []byte(tablesBegin+tables+tablesEnd), tail), nil
}

// TestArchitecture holds the picture of the import rules against the rules.
func TestArchitecture(t *testing.T) {
	name := filepath.Join(root(t), architecture)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := replaceTables(text, importTables())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(text, want) {
		return
	}
	if !*rewrite {
		t.Fatalf("%s does not show the rules in force; run go test ./internal/lint -rewrite", architecture)
	}
	if err := os.WriteFile(name, want, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestArchitectureRule(t *testing.T) {
	got, err := replaceTables([]byte("head\n"+tablesBegin+"old\n"+tablesEnd+"tail\n"), "new\n")
	if want := "head\n" + tablesBegin + "new\n" + tablesEnd + "tail\n"; string(got) != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := replaceTables([]byte("head\n"+tablesBegin), "new\n"); err == nil {
		t.Error("a document without marks was accepted")
	}
}

// checkLinks reports links of a Markdown file to files that do not exist.
func checkLinks(f *file, repository fs.FS) (problems []string) {
	if path.Ext(f.path) != ".md" {
		return nil
	}
	for _, link := range links.FindAllSubmatch(f.text, -1) {
		target := path.Join(path.Dir(f.path), string(link[1]))
		if _, err := fs.Stat(repository, target); err != nil {
			problems = append(problems, fmt.Sprintf("link to %s: %v", link[1], err))
		}
	}
	return problems
}

func TestLinks(t *testing.T) {
	for _, f := range sources(t) {
		for _, problem := range checkLinks(f, os.DirFS(root(t))) {
			t.Errorf("%s: %s", f.path, problem)
		}
	}
}

func TestLinkRule(t *testing.T) {
	f := &file{"doc/a.md", []byte("[here](../go.mod#top), [there](https://example.com/x), [gone](gone.md), [out](../../x)")}
	if got := checkLinks(f, os.DirFS(root(t))); len(got) != 2 {
		t.Errorf("got %q, want two problems", got)
	}
}
