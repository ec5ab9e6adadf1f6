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
			if f.Stack, err = stackAt(r, d, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// stackAt returns the regions that are open before a finding's event: those that are open before its time, and what events of the same time change.
func stackAt(r *store.Reader, d *trace.Definitions, f *Finding) (regions []uint64, err error) {
	calls, err := r.CallStack(f.Location, f.Time-1)
	if err != nil {
		return nil, err
	}
	var open check.CallStack
	for i := range calls {
		open.Open(&calls[i])
	}
	for e, err := range r.Window(f.Time, f.Time+1).WithLocations(f.Location).Events() {
		if err != nil {
			return nil, err
		}
		if e.Ordinal >= f.Event {
			break
		}
		open.Follow(e.Batch.Kinds[e.Index], e.Batch.Fields(e.Index))
	}
	return open.Regions(d), nil
}
