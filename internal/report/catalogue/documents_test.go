package catalogue_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/report/catalogue"
	"github.com/pandotrace/pando/internal/tracetest/document"
)

// TestDocument holds the documentation against the tables.
func TestDocument(t *testing.T) {
	var b strings.Builder
	for _, part := range catalogue.All() {
		fmt.Fprintf(&b, "\n### Tables of `pando %s`\n%s", part.Verb, document.Tables("####", part.Schemas))
	}
	list := document.List{Name: "tables of analyses", Package: "./internal/report/catalogue"}
	list.Shows(t, "../../../docs/tables.md", b.String()+"\n")
}

// TestNames holds the names of tables, which are known without them, against the tables.
func TestNames(t *testing.T) {
	for _, part := range catalogue.All() {
		var names []string
		for _, s := range part.Schemas {
			names = append(names, s.Name)
		}
		if len(names) == 0 || !slices.Equal(names, part.Names) {
			t.Errorf("%s: %q are called %q", part.Verb, names, part.Names)
		}
	}
}
