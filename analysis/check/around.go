package check

import (
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Around returns the regions of the calls that are open on a location before an event of it, the outermost one first. They are those that are open before
// the event's time, and what events of the same time change.
func Around(r *store.Reader, d *trace.Definitions, location uint64, t int64, event uint64) (regions []uint64, err error) {
	calls, err := r.CallStack(location, t-1)
	if err != nil {
		return nil, err
	}
	var open CallStack
	for i := range calls {
		open.Open(&calls[i])
	}
	for e, err := range r.Window(t, t+1).WithLocations(location).Events() {
		if err != nil {
			return nil, err
		}
		if e.Ordinal >= event {
			break
		}
		open.Follow(e.Batch.Kinds[e.Index], e.Batch.Fields(e.Index))
	}
	return open.Regions(d), nil
}
