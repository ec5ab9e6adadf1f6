package catalogue_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/report/catalogue"
)

var rewrite = flag.Bool("rewrite", false, "write the list of tables into "+document)

// document shows the tables of analyses, between two marks.
const (
	document   = "../../../docs/tables.md"
	listBegins = "<!-- tables of analyses: written by go test ./internal/report/catalogue -rewrite -->\n"
	listEnds   = "<!-- end of tables of analyses -->\n"
)

// TestDocument holds the documentation against the tables.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begin := bytes.Cut(text, []byte(listBegins))
	list, tail, end := bytes.Cut(rest, []byte(listEnds))
	if !begin || !end {
		t.Fatalf("%s lacks the marks %q and %q", document, listBegins, listEnds)
	}
	want := tableList()
	if string(list) == want {
		return
	}
	if !*rewrite {
		t.Fatalf("%s does not show the tables as they are; run go test ./internal/report/catalogue -rewrite", document)
	}
	if err := os.WriteFile(document, slices.Concat(head, []byte(listBegins+want+listEnds), tail), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tableList renders all tables as Markdown.
func tableList() string {
	var b strings.Builder
	for _, part := range catalogue.All() {
		fmt.Fprintf(&b, "\n### Tables of `pando %s`\n", part.Verb)
		for _, t := range part.Schemas {
			fmt.Fprintf(&b, "\n#### %s\n\n%s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.Name, t.Doc)
			for _, c := range t.Columns {
				typ := string(c.Type)
				if c.Null {
					typ += ", null"
				}
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, typ, c.Unit, strings.ReplaceAll(c.Doc, "|", `\|`))
			}
		}
	}
	return b.String() + "\n"
}
