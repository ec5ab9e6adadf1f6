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

// Later returns a table of the answer that is made when its rows are read. Question.Window says nothing: the window is that of the reader of rows. The
// analysis must have a table of the name.
func (a *Analysis) Later(ctx context.Context, q Question, name string) *table.Table {
	schema := a.Schemas()[slices.Index(a.Names, name)]
	return table.Later(schema, func(w *store.Window) (table.Made, error) {
		q.Window = w
		set, err := a.Make(ctx, q, []string{name})
		if err != nil {
			return table.Made{}, err
		}
		return table.Made{Table: set.Tables[0], Failed: set.Failed}, nil
	})
}

// Has reports whether the analysis has a table of a name.
func (a *Analysis) Has(name string) bool { return slices.Contains(a.Names, name) }
