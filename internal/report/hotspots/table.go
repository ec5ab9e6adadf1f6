package hotspots

import (
	"context"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
)

// Analysis is the analysis whose answer has the table of segments.
var Analysis = &tables.Analysis{
	Verb: "hotspots", Names: []string{TableName},
	Schemas: func() []table.Schema { return []table.Schema{segments(&segment.Analysis{Resolution: 1e9}, 0).Schema} },
	Make: func(ctx context.Context, q tables.Question, _ []string) (*tables.Set, error) {
		a, err := segment.Find(ctx, q.Trace.Reader, q.Window, segment.Options{Memory: q.Memory})
		if err != nil {
			return nil, err
		}
		return Tables(a, q.Trace.Info().First), nil
	},
}

// TableName is the name of the only table.
const TableName = "segments"

// Tables returns the tables of an analysis of a trace, given its first instant.
func Tables(a *segment.Analysis, first int64) *tables.Set {
	return &tables.Set{Tables: []*table.Table{segments(a, first)}, About: []encode.Property{
		{Name: "pando.segments", Value: a.Candidates[a.Chosen].Title()}, {Name: "pando.segments_in_one", Value: strconv.FormatInt(a.Level.Stride, 10)},
		{Name: "pando.ticks_per_second", Value: strconv.FormatUint(a.Resolution, 10)}, {Name: "pando.first_event_ticks", Value: strconv.FormatInt(first, 10)},
	}}
}

// row is a segment.
type row struct {
	line  *segment.Line
	entry int
	z     float64
}

// segments is the table of segments.
func segments(a *segment.Analysis, first int64) *table.Table {
	names, title := &table.Names{}, ""
	for i := range a.Level.Lines {
		names.Add(a.Level.Lines[i].Place.Label)
	}
	if len(a.Candidates) > 0 {
		title = a.Candidates[a.Chosen].Title()
	}
	what := &table.Names{}
	what.Add(title)
	columns := slices.Concat([]table.ColumnOf[row]{
		table.Number("location", "", "id of the location", func(_ *table.Catalog, r *row) int64 { return int64(r.line.Place.Location) }).As(table.Repeats),
		table.Named("location_label", "how people call it: `rank 3`", func(*table.Catalog) *table.Names { return names }, func(_ *table.Catalog, r *row) int32 {
			return names.Code(r.line.Place.Label)
		}),
		tables.Count("segment", "number of the segment on its location, from 0, counted from the begin of the trace", func(r *row) int64 { return (r.line.First + int64(r.entry)) * max(a.Level.Stride, 1) }),
		table.Named("segments", "what segments are: the region whose calls they are, or the group of calls", func(*table.Catalog) *table.Names { return what }, func(*table.Catalog, *row) int32 {
			return what.Code(title)
		}),
	},
		tables.Length(a.Resolution, "start_", "when it begins, since the trace's first event", func(r *row) int64 { return r.line.Starts[r.entry] - first }),
		tables.Length(a.Resolution, "duration_", "how long it lasts", func(r *row) int64 { return r.line.Durations[r.entry] }),
		tables.Length(a.Resolution, "sos_", "SOS time: duration less the synchronisation inside", func(r *row) int64 { return r.line.Own[r.entry] }),
		[]table.ColumnOf[row]{
			table.Real("z", "", "by how many standard deviations, estimated as 1.4826 median absolute deviations, the SOS time differs from the median of all locations; null where these are equal", func(_ *table.Catalog, r *row) (float64, bool) {
				return r.z, !math.IsInf(r.z, 0)
			}),
		})
	return table.FromList(table.Schema{Name: TableName, Doc: "One row for each segment of the window that neither end cuts, location by location. The default is the segments of the region or group that covers most SOS time."},
		columns, func(*table.Catalog) iter.Seq[row] { return rows(a) })
}

// rows yields all segments.
func rows(a *segment.Analysis) iter.Seq[row] {
	return func(yield func(row) bool) {
		columns := a.Level.Columns()
		for i := range a.Level.Lines {
			l := &a.Level.Lines[i]
			for at, own := range l.Own {
				if !yield(row{l, at, columns.At(l.First + int64(at)).Z(own)}) {
					return
				}
			}
		}
	}
}
