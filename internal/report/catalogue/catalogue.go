package catalogue

import (
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/clusters"
	comparison "github.com/pandotrace/pando/internal/report/comparison/tables"
	"github.com/pandotrace/pando/internal/report/findings"
	"github.com/pandotrace/pando/internal/report/folding"
	"github.com/pandotrace/pando/internal/report/hotspots"
	"github.com/pandotrace/pando/internal/report/merged"
	"github.com/pandotrace/pando/internal/report/patterns"
	"github.com/pandotrace/pando/internal/report/shapes"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/report/waits"
)

// Analyses are the analyses of a window whose answers have tables.
var Analyses = []*tables.Analysis{clusters.Analysis, merged.Analysis, folding.Analysis, hotspots.Analysis, waits.Analysis, findings.Analysis, patterns.Analysis, shapes.Analysis}

// Find returns the analysis that has a table, nil if none has.
func Find(name string) *tables.Analysis {
	for _, a := range Analyses {
		if a.Has(name) {
			return a
		}
	}
	return nil
}

// Part is the tables of a verb.
type Part struct {
	Verb    string
	Names   []string
	Schemas []table.Schema
}

// All lists the tables of all analyses, verb by verb.
func All() (list []Part) {
	for _, a := range Analyses {
		list = append(list, Part{a.Verb, a.Names, a.Schemas()})
	}
	return append(list, Part{"compare", comparison.Names(), comparison.All()})
}
