package rules

import (
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// frame is an open call: of a region, or of a calling context.
type frame struct {
	id      uint64
	context bool
	region  uint64
}

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
	var open []frame
	for i := range calls {
		c := &calls[i]
		if c.Context == trace.Undefined {
			open = append(open, frame{c.Region, false, c.Region})
		} else {
			open = append(open, frame{c.Context, true, c.Region})
		}
	}
	for e, err := range r.Window(f.Time, f.Time+1).WithLocations(f.Location).Events() {
		if err != nil {
			return nil, err
		}
		if e.Ordinal >= f.Event {
			break
		}
		open = follow(open, e.Batch.Kinds[e.Index], e.Batch.Fields(e.Index), d)
	}
	for i := range open {
		regions = append(regions, open[i].region)
	}
	return regions, nil
}

// follow takes an event up. A leave of what is not open changes nothing; one of a call that is not the innermost closes those inside.
func follow(open []frame, kind trace.Kind, words []uint64, d *trace.Definitions) []frame {
	context := kind == trace.KindCallingContextEnter || kind == trace.KindCallingContextLeave
	switch kind {
	case trace.KindEnter:
		return append(open, frame{words[0], false, words[0]})
	case trace.KindCallingContextEnter:
		return append(open, frame{words[0], true, d.ContextRegion(words[0])})
	case trace.KindLeave, trace.KindCallingContextLeave:
		for i := len(open) - 1; i >= 0; i-- {
			if open[i].id == words[0] && open[i].context == context {
				return open[:i]
			}
		}
	}
	return open
}
