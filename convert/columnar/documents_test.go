package columnar

import (
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest/document"
)

// TestDocument holds the documentation of tables against the tables.
func TestDocument(t *testing.T) {
	list := document.List{Name: "tables", Package: "./convert/columnar"}
	list.Shows(t, "../../docs/tables.md", document.Tables("###", Tables())+"\n")
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
