package folding

import (
	"cmp"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// Ask makes a question of texts: what is folded, one of [Bys] or empty, and what rows show, one of [Selects] or empty for the usual.
func Ask(t *report.Trace, w *store.Window, by, how string) (*Question, error) {
	if err := CheckBy(by); err != nil {
		return nil, err
	}
	choice, err := fold.ParseSelect(cmp.Or(how, fold.Idle.String()))
	if err != nil {
		return nil, err
	}
	return &Question{Trace: t, Window: w, By: by, Options: fold.Options{Select: choice, Pixels: usualPixels}}, nil
}

// Selects lists what rows can show.
func Selects() []string { return fold.Selects() }

// Answer is all of the JSON of folded rows.
type Answer struct {
	Head
	Rows []Row `json:"rows"`
	// Regions are those that rows show.
	Regions []Region `json:"regions"`
}
