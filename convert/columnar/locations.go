package columnar

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// locationRow is a location with what is known of it.
type locationRow struct {
	*place
	*store.LocationInfo
	definition *trace.Location // nil if there is none
}

var _ = declare(100, func() *source {
	return listTable(Table{
		Name: "locations",
		Doc:  "One row for each location, in the order of definition, followed by those that have events but no definition. Counts are those of the whole file.",
	}, slices.Concat(
		placeColumns("", "", func(r *locationRow) *place { return r.place }),
		[]column[locationRow]{
			text("type", "type of the location (`CPU_THREAD`, `METRIC`, ...); null if it is not defined",
				func(_ *catalog, r *locationRow, dst []byte) ([]byte, bool) {
					if r.definition == nil {
						return dst, false
					}
					return append(dst, trace.EnumLocationType.Format(r.definition.Type)...), true
				}),
			number("events", "", "number of its events", func(_ *catalog, r *locationRow) int64 { return int64(r.Events) }),
			number("calls", "", "number of its calls", func(_ *catalog, r *locationRow) int64 { return int64(r.Calls) }),
			number("max_depth", "", "largest number of calls open at once", func(_ *catalog, r *locationRow) int64 { return int64(r.MaxDepth) }),
			number("first_event", "", "number of its first event, as `event` in the table of events",
				func(_ *catalog, r *locationRow) int64 { return r.firstEvent }),
		},
		edge("first_", "its first event", func(r *locationRow) int64 { return r.First }),
		edge("last_", "its last event", func(r *locationRow) int64 { return r.Last }),
	), locationRows)
})

// edge is a pair of columns with the time of an event that only locations with events have.
func edge(prefix, what string, get func(*locationRow) int64) []column[locationRow] {
	return []column[locationRow]{
		numberOrNull(prefix+"ns", "ns", "time of "+what+"; null if it has none",
			func(x *catalog, r *locationRow) (int64, bool) { return x.nanoseconds(x.ticks(get(r))), r.Events > 0 }),
		numberOrNull(prefix+"ticks", "ticks", "the same",
			func(x *catalog, r *locationRow) (int64, bool) { return x.ticks(get(r)), r.Events > 0 }),
	}
}

func locationRows(x *catalog) iter.Seq[locationRow] {
	return func(yield func(locationRow) bool) {
		for i := range x.info.Locations {
			r := locationRow{place: &x.places[i], LocationInfo: &x.info.Locations[i]}
			if n, ok := x.definitions.LocationIndex(r.place.id); ok {
				r.definition = &x.definitions.Locations[n]
			}
			if !yield(r) {
				return
			}
		}
	}
}
