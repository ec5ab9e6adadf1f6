package lint

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest/document"
)

// architecture is the document that shows the import rules.
const architecture = "ARCHITECTURE.md"

// rules are the import rules as it shows them.
var rules = document.List{Name: "import rules", Package: "./internal/lint"}

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

// TestArchitecture holds the picture of the import rules against the rules.
func TestArchitecture(t *testing.T) {
	rules.Shows(t, filepath.Join(root(t), architecture), importTables())
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
