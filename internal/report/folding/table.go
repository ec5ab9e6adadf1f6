package folding

import (
	"context"
	"errors"
	"iter"
	"math"
	"strconv"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/trace"
)

// usualPixels is the number of pixels of a question that names none.
const usualPixels = 1000

// TableName is the name of the only table.
const TableName = "folded"

// pixelRow is a pixel of a row, as the table has it.
type pixelRow struct {
	fold.Pixel
	group, members, pixel int
	error                 uint64
}

// Analysis gives the table of rows to others than the verb: of the usual groups, and of when any location is in a call. Where there is no time
// or no location, the table has no rows.
var Analysis = &tables.Analysis{
	Verb: "fold", Names: []string{TableName},
	Schemas: func() []table.Schema {
		return []table.Schema{(&Question{}).table(context.Background(), nil).Schema}
	},
	Make: func(ctx context.Context, asked tables.Question, _ []string) (*tables.Set, error) {
		q := &Question{Trace: asked.Trace, Window: asked.Window, Options: fold.Options{Select: fold.Idle, Memory: asked.Memory, Pixels: usualPixels}}
		set, err := q.Tables(ctx)
		if errors.Is(err, fold.ErrEmpty) || errors.Is(err, fold.ErrNoLocations) {
			q.without = true
			return &tables.Set{About: q.about(), Tables: []*table.Table{q.table(ctx, nil)}}, nil
		}
		return set, err
	},
}

// Tables returns the table, whose rows are made while they are written.
func (q *Question) Tables(ctx context.Context) (*tables.Set, error) {
	if err := q.prepare(ctx); err != nil {
		return nil, err
	}
	var failed error
	set := &tables.Set{About: q.about(), Failed: func() error { return failed }}
	set.Tables = []*table.Table{q.table(ctx, &failed)}
	return set, nil
}

// about says what was folded.
func (q *Question) about() []encode.Property {
	return []encode.Property{
		{Name: "pando.folded_by", Value: q.By}, {Name: "pando.folded_select", Value: q.Select.String()},
		{Name: "pando.ticks_per_second", Value: strconv.FormatUint(q.Trace.Meta().Resolution, 10)},
		{Name: "pando.first_event_ticks", Value: strconv.FormatInt(q.Trace.Info().First, 10)},
	}
}

// table describes the table.
func (q *Question) table(ctx context.Context, failed *error) *table.Table {
	groups, regions, perSecond := q.names(), q.regionNames(), uint64(1e9)
	if q.Trace != nil {
		perSecond = q.Trace.Meta().Resolution
	}
	columns := []table.ColumnOf[pixelRow]{
		table.Named("group", "what is folded: `rank 3`, the name of a node, `rank 0 gpu 1`", groups, func(_ *table.Catalog, r *pixelRow) int32 {
			return groups(nil).Code(q.Groups[r.group].Name)
		}),
		tables.Count("locations", "how many locations are folded", func(r *pixelRow) int64 { return int64(r.members) }),
		tables.Count("pixel", "number of the part of the window, from 0", func(r *pixelRow) int64 { return int64(r.pixel) }),
	}
	length := func(prefix, doc string, get func(r *pixelRow) uint64) {
		columns = append(columns, tables.Length(perSecond, prefix, doc, func(r *pixelRow) int64 { return int64(min(get(r), math.MaxInt64)) })...)
	}
	columns = append(columns, tables.Length(perSecond, "start_", "when the part begins, since the first event of the trace", func(r *pixelRow) int64 {
		return q.axis.Border(r.pixel) - q.Trace.Info().First
	})...)
	length("duration_", "how long the part is", func(r *pixelRow) uint64 { return q.ticks(r.pixel) })
	columns = append(columns,
		table.NumberOrNull("region_id", "", "id of the region that the row shows; null for no call, and where there is nothing to choose", func(_ *table.Catalog, r *pixelRow) (int64, bool) {
			return int64(r.Region), r.Kind == fold.Called
		}),
		table.Named("region", "its name", regions, func(_ *table.Catalog, r *pixelRow) int32 {
			if r.Kind != fold.Called {
				return table.NoName
			}
			return regions(nil).Code(q.defs.RegionName(r.Region))
		}))
	length("shown_", "time of all locations together in what is shown", func(r *pixelRow) uint64 { return r.Ticks })
	length("apart_", "by how much locations differ: the part's length less the time that all of them spent in each region, or without call", func(r *pixelRow) uint64 { return r.Apart })
	length("busy_", "time in calls, of all locations together", func(r *pixelRow) uint64 { return r.Busy.Sum })
	length("busy_least_", "the same, of the location that has least", func(r *pixelRow) uint64 { return r.Busy.Least })
	for i, name := range []string{"q1", "median", "q3"} {
		columns = append(columns, tables.LengthOrNull(perSecond, "busy_"+name+"_", "the same, a quartile of the locations; null unless quantiles are selected", func(r *pixelRow) (int64, bool) {
			return int64(min(r.Busy.Quartiles[i], math.MaxInt64)), q.Select == fold.Quantiles
		})...)
	}
	length("busy_most_", "the same, of the location that has most", func(r *pixelRow) uint64 { return r.Busy.Most })
	length("utilisation_low_", "time in which at least one location is in a call, at least", func(r *pixelRow) uint64 { return r.Busy.Low })
	length("utilisation_high_", "the same at most; both are equal if it is known", func(r *pixelRow) uint64 { return r.Busy.High })
	length("error_", "by how much the time of one location in one region may be off; 0 where it was taken from events", func(r *pixelRow) uint64 { return r.error })
	return table.FromList(table.Schema{Name: TableName, Doc: "One row for each part of the window (1,000 of equal length, unless --pixels says how many) and each group of locations that are folded together, group by group."},
		columns, func(*table.Catalog) iter.Seq[pixelRow] { return q.pixels(ctx, failed) })
}

// pixels yields the pixels of all rows.
func (q *Question) pixels(ctx context.Context, failed *error) iter.Seq[pixelRow] {
	return func(yield func(pixelRow) bool) {
		if q.without {
			return
		}
		for row, err := range q.rows(ctx) {
			if err != nil {
				*failed = err
				return
			}
			for i := range row.Pixels {
				if !yield(pixelRow{row.Pixels[i], row.Group, row.Members, i, row.Errors[i]}) {
					return
				}
			}
		}
	}
}

// names returns the names of groups.
func (q *Question) names() func(*table.Catalog) *table.Names {
	names := &table.Names{}
	for i := range q.Groups {
		names.Add(q.Groups[i].Name)
	}
	return func(*table.Catalog) *table.Names { return names }
}

// regionNames returns the names of all regions.
func (q *Question) regionNames() func(*table.Catalog) *table.Names {
	names := &table.Names{}
	names.Add(trace.NoRegion)
	if q.defs != nil {
		for _, id := range q.defs.Regions() {
			names.Add(q.defs.RegionName(id))
		}
	}
	return func(*table.Catalog) *table.Names { return names }
}
