package findings

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// TableName is the name of the table of findings.
const TableName = "findings"

// Analysis has the table of findings of a window, for the server and the documentation. All events of the trace are read.
var Analysis = &tables.Analysis{
	Verb: "check", Names: []string{TableName},
	Schemas: func() []table.Schema { return []table.Schema{tableOf(&Report{TicksPerSecond: 1e9}).Schema} },
	Make:    findTable,
}

// mostFindings is the number of findings of each code in the table that the server gives.
const mostFindings = 1000

// waitingBytes is what an event takes, at most, that waits for those of other locations.
const waitingBytes = 256

func findTable(ctx context.Context, q tables.Question, names []string) (*tables.Set, error) {
	if err := tables.Check("a check", []string{TableName}, names); err != nil {
		return nil, err
	}
	opt := check.Options{Limit: mostFindings, Waiting: int(q.Memory / waitingBytes)}
	if err := Within(&opt, q.Trace, q.Window); err != nil {
		return nil, err
	}
	r, err := Find(ctx, &Question{Name: q.Trace.Path, Source: q.Trace.WithContext(ctx).Source(), Options: opt})
	if err != nil {
		return nil, err
	}
	return r.Table(), nil
}

// Within leaves out findings that are not in a window of a trace.
func Within(o *check.Options, t *report.Trace, w *store.Window) error {
	if from, to := w.Bounds(); from > t.Info().First || to <= t.Info().Last {
		o.Window = &check.Window{From: from, To: to}
	}
	ids, err := w.LocationIDs()
	if err == nil && uint64(len(ids)) < t.Info().Locations {
		o.Locations = ids
	}
	return err
}

// Table returns the findings as a table.
func (r *Report) Table() *tables.Set {
	return &tables.Set{
		Tables: []*table.Table{tableOf(r)},
		About: []encode.Property{
			{Name: "pando.trace", Value: r.Trace}, {Name: "pando.ticks_per_second", Value: strconv.FormatUint(r.TicksPerSecond, 10)},
		},
	}
}

func tableOf(r *Report) *table.Table {
	columns := slices.Concat(
		[]table.ColumnOf[Finding]{
			tables.TextOrNull("rule", "the rule that is broken: `messages`; `user` for a rule of who asked", func(f *Finding) string { return f.Rule }),
			tables.TextOrNull("code", "what breaks it: `unmatched-send`; the name of a rule of who asked, or its text", func(f *Finding) string { return f.Code }),
			tables.TextOrNull("severity", "`error`, `warning` or `note`", func(f *Finding) string { return f.Severity }),
			tables.TextOrNull("location_label", "how people call the location: `rank 3`; null for definitions", func(f *Finding) string { return orEmpty(f.Location) }),
			number("location", "its id", func(f *Finding) (int64, bool) { return known(f.LocationID) }),
			number("event", "number of the event among those of the location, from 0; null for definitions, and where something is missing behind all events", func(f *Finding) (int64, bool) { return known(f.Event) }),
		},
		tables.LengthOrNull(r.TicksPerSecond, "time_", "when it is, since the trace's first event", func(f *Finding) (int64, bool) {
			if f.TimeTicks == nil {
				return 0, false
			}
			return *f.TimeTicks, true
		}),
		[]table.ColumnOf[Finding]{
			tables.TextOrNull("path", "the calls around the event, outermost region first", func(f *Finding) string { return strings.Join(f.Stack, " > ") }),
			tables.TextOrNull("message", "a sentence for people", func(f *Finding) string { return f.Message }),
		})
	return table.FromList(table.Schema{Name: TableName, Doc: "One row for each finding, code by code in the order of time: the first ones of each code, as many as --limit says."},
		columns, func(*table.Catalog) iter.Seq[Finding] { return slices.Values(r.Findings) })
}

func number(name, doc string, get func(f *Finding) (int64, bool)) table.ColumnOf[Finding] {
	return table.NumberOrNull(name, "", doc, func(_ *table.Catalog, f *Finding) (int64, bool) { return get(f) })
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func known(n *uint64) (int64, bool) {
	if n == nil || *n == trace.Undefined {
		return 0, false
	}
	return int64(*n), true
}
