// Package document keeps lists in documents as the code has them: [Shows] compares the part of a document between two marks with what it is made of, and
// with the flag -rewrite writes it.
package document

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/columnar/table"
)

var rewrite = flag.Bool("rewrite", false, "write lists into the documents that show them")

// List is a list in a document, between <!-- NAME: written by go test PACKAGE -rewrite --> and <!-- end of NAME -->, each a line of its own.
type List struct {
	Name    string // "import rules"
	Package string // whose tests write it: "./internal/lint"
}

func (l *List) marks() (begin, end string) {
	return fmt.Sprintf("<!-- %s: written by go test %s -rewrite -->\n", l.Name, l.Package), fmt.Sprintf("<!-- end of %s -->\n", l.Name)
}

// Put returns a document with a text between the marks.
func (l *List) Put(document []byte, text string) ([]byte, error) {
	from, to := l.marks()
	head, rest, begin := bytes.Cut(document, []byte(from))
	_, tail, end := bytes.Cut(rest, []byte(to))
	if !begin || !end {
		return nil, fmt.Errorf("the marks %q and %q are missing", from, to)
	}
	return slices.Concat(head, []byte(from+text+to), tail), nil
}

// Shows fails the test if a document does not show a text between the marks.
func (l *List) Shows(t testing.TB, path, text string) {
	t.Helper()
	is, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := l.Put(is, text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if bytes.Equal(is, want) {
		return
	}
	if !*rewrite {
		t.Fatalf("%s does not show the %s as they are; run go test %s -rewrite", path, l.Name, l.Package)
	}
	if err := os.WriteFile(path, want, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Tables renders tables as Markdown, with headings that begin with a number of #.
func Tables(heading string, tables []table.Schema) string {
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "\n%s %s\n\n%s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", heading, t.Name, t.Doc)
		for _, c := range t.Columns {
			typ := string(c.Type)
			if c.Null {
				typ += ", null"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, typ, c.Unit, strings.ReplaceAll(c.Doc, "|", `\|`))
		}
	}
	return b.String()
}
