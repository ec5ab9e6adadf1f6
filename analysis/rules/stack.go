package rules

import (
	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// addStacks asks the file for the calls around findings.
func addStacks(r *store.Reader, d *trace.Definitions, list []Finding) (err error) {
	for i := range list {
		if f := &list[i]; f.Location != trace.Undefined && f.HasTime && f.Event != trace.Undefined {
			if f.Stack, err = check.Around(r, d, f.Location, f.Time, f.Event); err != nil {
				return err
			}
		}
	}
	return nil
}
