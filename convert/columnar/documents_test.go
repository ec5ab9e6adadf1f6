package columnar

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the list of tables into "+document)

// document shows all tables, between two marks.
const (
	document   = "../../docs/tables.md"
	listBegins = "<!-- tables: written by go test ./convert/columnar -rewrite -->\n"
	listEnds   = "<!-- end of tables -->\n"
)

// TestDocument holds the documentation of tables against the tables.
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
		t.Fatalf("%s does not show the tables as they are; run go test ./convert/columnar -rewrite", document)
	}
	text = slices.Concat(head, []byte(listBegins+want+listEnds), tail)
	if err := os.WriteFile(document, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// tableList renders all tables as Markdown.
func tableList() string {
	var b strings.Builder
	for _, t := range Tables() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| column | type | unit | meaning |\n|---|---|---|---|\n", t.Name, t.Doc)
		for _, c := range t.Columns {
			typ := string(c.Type)
			if c.Null {
				typ += ", null"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, typ, c.Unit, strings.ReplaceAll(c.Doc, "|", `\|`))
		}
	}
	return b.String() + "\n"
}

func TestTablesAreTold(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range Tables() {
		if seen[table.Name] || table.Name == "" || table.Doc == "" || len(table.Columns) < 2 {
			t.Errorf("table %q: its name is not its own, or it says nothing: %q, %d columns", table.Name, table.Doc, len(table.Columns))
		}
		seen[table.Name] = true
		columns := map[string]bool{}
		for _, c := range table.Columns {
			if columns[c.Name] || c.Doc == "" || table.Name != "pipit" && c.Name != strings.ToLower(c.Name) {
				t.Errorf("table %s: column %q stands twice, says nothing, or shouts", table.Name, c.Name)
			}
			columns[c.Name] = true
		}
	}
	for _, name := range []string{
		"calls", "messages", "events", "metrics", "locations", "regions", "location_groups", "system_tree", "communicators", "groups",
		"strings", "attributes", "collectives", "collective_ranks", "parameters", "io", "pipit", "parameter_definitions", "metric_members", "metric_classes", "calling_contexts",
	} {
		if !seen[name] {
			t.Errorf("there is no table %s", name)
		}
	}
}
