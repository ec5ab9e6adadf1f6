package columnar

import (
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// callRow is a call with its location.
type callRow struct {
	*trace.Call
	at *place
}

var _ = declare(10, func() *source {
	return partTable(Table{
		Name: "calls",
		Doc:  "One row for each call: an enter of a region on a location and what ended it. In a window, the calls that overlap it, whole.", sorted: "start_ns",
		partition: partitioned{group: "process", times: []string{"start_ns"}},
	}, slices.Concat(
		[]column[callRow]{
			number("call", "", "number of the call's enter when all events of the file are counted location by location, in the order of definition, from 0: unique in the file, the same in every window, and equal to `event` in the table of events",
				func(_ *catalog, r *callRow) int64 { return r.at.event(r.Ordinal) }).like(grows),
			numberOrNull("parent", "", "`call` of the call that encloses this one; null at depth 0",
				func(_ *catalog, r *callRow) (int64, bool) { return r.at.event(r.Parent), r.Parent != trace.Undefined }),
		},
		placeColumns("", " that made the call", func(r *callRow) *place { return r.at }),
		[]column[callRow]{
			numberOrNull("region", "", "id of the region called",
				func(_ *catalog, r *callRow) (int64, bool) { return reference(r.Region) }).like(repeats),
			named("name", "the region's name",
				func(x *catalog) *names { return &x.regions.names }, func(x *catalog, r *callRow) int32 { return x.regions.of(r.Region) }),
		},
		instant("start_", "when the call begins, since the trace's first event", func(r *callRow) int64 { return r.Start }),
		instant("end_", "when it ends", func(r *callRow) int64 { return r.End }),
		duration("duration_", "end less start", func(r *callRow) int64 { return r.Duration() }),
		duration("exclusive_", "duration less that of the direct children", func(r *callRow) int64 { return r.Exclusive }),
		[]column[callRow]{
			number("depth", "", "number of calls that enclose this one", func(_ *catalog, r *callRow) int64 { return int64(r.Depth) }).like(repeats),
			number("children", "", "number of direct children", func(_ *catalog, r *callRow) int64 { return int64(r.Children) }).like(repeats),
			truth("open", "the call was never left: it lasts to the trace's last event",
				func(_ *catalog, r *callRow) bool { return r.Flags&trace.CallOpen != 0 }),
			truth("cut", "the call ended because one further out was left",
				func(_ *catalog, r *callRow) bool { return r.Flags&trace.CallCut != 0 }),
			numberOrNull("calling_context", "", "id of the calling context; null for plain calls",
				func(_ *catalog, r *callRow) (int64, bool) { return reference(r.Context) }).like(repeats),
		},
	), store.PartCalls, callRows)
})

func callRows(x *catalog, p *store.Part, rows *filler[callRow]) error {
	calls, err := p.Calls(false)
	for i := range calls {
		rows.add(callRow{&calls[i], x.place(calls[i].Location)})
	}
	return err
}
