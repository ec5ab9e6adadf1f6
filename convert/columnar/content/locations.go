package content

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// locationRow is a location with what is known of it.
type locationRow struct {
	*table.Place
	*store.LocationInfo
	definition *trace.Location // nil if there is none
}

var _ = table.Declare(100, func() *table.Table {
	return table.FromList(table.Schema{
		Name: "locations",
		Doc:  "One row for each location, in the order of definition, followed by those that have events but no definition. Counts are those of the whole file.",
	}, slices.Concat(
		table.PlaceColumns("", "", func(r *locationRow) *table.Place { return r.Place }),
		[]table.ColumnOf[locationRow]{
			table.String("type", "type of the location (`CPU_THREAD`, `METRIC`, ...); null if it is not defined",
				func(_ *table.Catalog, r *locationRow, dst []byte) ([]byte, bool) {
					if r.definition == nil {
						return dst, false
					}
					return append(dst, trace.EnumLocationType.Format(r.definition.Type)...), true
				}),
			table.Number("events", "", "number of its events", func(_ *table.Catalog, r *locationRow) int64 { return int64(r.Events) }),
			table.Number("calls", "", "number of its calls", func(_ *table.Catalog, r *locationRow) int64 { return int64(r.Calls) }),
			table.Number("max_depth", "", "largest number of calls open at once", func(_ *table.Catalog, r *locationRow) int64 { return int64(r.MaxDepth) }),
			table.Number("first_event", "", "number of its first event, as `event` in the table of events",
				func(_ *table.Catalog, r *locationRow) int64 { return r.FirstEvent }),
		},
		edge("first_", "its first event", func(r *locationRow) int64 { return r.First }),
		edge("last_", "its last event", func(r *locationRow) int64 { return r.Last }),
	), locationRows)
})

// edge is a pair of columns with the time of an event that only locations with events have.
func edge(prefix, what string, get func(*locationRow) int64) []table.ColumnOf[locationRow] {
	return []table.ColumnOf[locationRow]{
		table.NumberOrNull(prefix+"ns", "ns", "time of "+what+"; null if it has none",
			func(x *table.Catalog, r *locationRow) (int64, bool) {
				return x.Nanoseconds(x.Ticks(get(r))), r.Events > 0
			}),
		table.NumberOrNull(prefix+"ticks", "ticks", "the same",
			func(x *table.Catalog, r *locationRow) (int64, bool) { return x.Ticks(get(r)), r.Events > 0 }),
	}
}

func locationRows(x *table.Catalog) iter.Seq[locationRow] {
	return func(yield func(locationRow) bool) {
		for i := range x.Locations {
			r := locationRow{Place: &x.Places[i], LocationInfo: &x.Locations[i]}
			if n, ok := x.Definitions.LocationIndex(r.Place.ID); ok {
				r.definition = &x.Definitions.Locations[n]
			}
			if !yield(r) {
				return
			}
		}
	}
}
