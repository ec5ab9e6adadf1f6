package tables

import (
	"context"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// Question is a window of a trace that an analysis is asked about.
type Question struct {
	Trace  *report.Trace
	Window *store.Window
	Memory int64 // that the answer may take, in bytes; 0 for as much as the analysis usually takes
}

// Analysis is an analysis of a window whose answer has tables.
type Analysis struct {
	Verb    string   // of the program that prints the answer
	Names   []string // of the tables
	Schemas func() []table.Schema
	// Make makes tables of the answer that the verb gives without further flags: those of the names.
	Make func(ctx context.Context, q Question, names []string) (*Set, error)
}

// Has reports whether the analysis has a table of a name.
func (a *Analysis) Has(name string) bool { return slices.Contains(a.Names, name) }
