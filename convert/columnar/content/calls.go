package content

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// callRow is a call with its location.
type callRow struct {
	*trace.Call
	at *table.Place
}

var _ = table.Declare(10, func() *table.Table {
	return table.FromParts(table.Schema{
		Name: "calls",
		Doc:  "One row for each call: an enter of a region on a location and what ended it. In a window, the calls that overlap it, whole.", Sorted: "start_ns",
		Partition: table.Partitioning{Group: "process", Times: []string{"start_ns"}},
	}, slices.Concat(
		[]table.ColumnOf[callRow]{
			table.Number("call", "", "number of the call's enter when all events of the file are counted location by location, in the order of definition, from 0: unique in the file, the same in every window, and equal to `event` in the table of events",
				func(_ *table.Catalog, r *callRow) int64 { return r.at.Event(r.Ordinal) }).As(table.Grows),
			table.NumberOrNull("parent", "", "`call` of the call that encloses this one; null at depth 0",
				func(_ *table.Catalog, r *callRow) (int64, bool) {
					return r.at.Event(r.Parent), r.Parent != trace.Undefined
				}),
		},
		table.PlaceColumns("", " that made the call", func(r *callRow) *table.Place { return r.at }),
		[]table.ColumnOf[callRow]{
			table.NumberOrNull("region", "", "id of the region called",
				func(_ *table.Catalog, r *callRow) (int64, bool) { return table.Reference(r.Region) }).As(table.Repeats),
			table.Named("name", "the region's name",
				func(x *table.Catalog) *table.Names { return &x.Regions.Names }, func(x *table.Catalog, r *callRow) int32 { return x.Regions.Of(r.Region) }),
		},
		table.Instant("start_", "when the call begins, since the trace's first event", func(r *callRow) int64 { return r.Start }),
		table.Instant("end_", "when it ends", func(r *callRow) int64 { return r.End }),
		table.Duration("duration_", "end less start", func(r *callRow) int64 { return r.Duration() }),
		table.Duration("exclusive_", "duration less that of the direct children", func(r *callRow) int64 { return r.Exclusive }),
		[]table.ColumnOf[callRow]{
			table.Number("depth", "", "number of calls that enclose this one", func(_ *table.Catalog, r *callRow) int64 { return int64(r.Depth) }).As(table.Repeats),
			table.Number("children", "", "number of direct children", func(_ *table.Catalog, r *callRow) int64 { return int64(r.Children) }).As(table.Repeats),
			table.Truth("open", "the call was never left: it lasts to the trace's last event",
				func(_ *table.Catalog, r *callRow) bool { return r.Flags&trace.CallOpen != 0 }),
			table.Truth("cut", "the call ended because one further out was left",
				func(_ *table.Catalog, r *callRow) bool { return r.Flags&trace.CallCut != 0 }),
			table.NumberOrNull("calling_context", "", "id of the calling context; null for plain calls",
				func(_ *table.Catalog, r *callRow) (int64, bool) { return table.Reference(r.Context) }).As(table.Repeats),
		},
	), store.PartCalls, callRows)
})

func callRows(x *table.Catalog, p *store.Part, rows *table.Filler[callRow]) error {
	calls, err := p.Calls()
	for i := range calls {
		rows.Add(callRow{&calls[i], x.Place(calls[i].Location)})
	}
	return err
}
