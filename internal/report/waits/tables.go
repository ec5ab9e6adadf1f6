package waits

import (
	"context"
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
)

// Analysis has the tables of waits and of the critical path of a window, for the server and the documentation.
var Analysis = &tables.Analysis{
	Verb: "hotspots", Names: makers.Names(),
	Schemas: func() []table.Schema { return makers.Schemas(&source{perSecond: 1e9}) },
	Make: func(ctx context.Context, q tables.Question, names []string) (*tables.Set, error) {
		return Tables(ctx, &Question{Trace: q.Trace, Window: q.Window, Memory: q.Memory}, names)
	},
}

// makers make the tables of a source.
var makers = tables.Makers[*source]{{Name: "waits", Make: waitsTable}, {Name: "critical_path", Make: criticalTable}}

// source is a window whose rows are found while they are written, so that no number of them takes memory.
type source struct {
	ctx       context.Context
	question  *Question
	perSecond uint64
	first     int64
	labels    map[uint64]string
	chosen    map[uint64]bool // locations that have rows, nil for all
	err       error
}

// TableNames lists the tables.
func TableNames() []string { return makers.Names() }

// Tables returns tables of a window by their names.
func Tables(ctx context.Context, q *Question, names []string) (*tables.Set, error) {
	if err := tables.Check("the analysis of waits", TableNames(), names); err != nil {
		return nil, err
	}
	s := &source{ctx: ctx, question: q, perSecond: q.Trace.Meta().Resolution, first: q.Trace.Info().First, labels: map[uint64]string{}}
	ids, err := q.Window.LocationIDs()
	if err != nil {
		return nil, err
	}
	if uint64(len(ids)) < q.Trace.Info().Locations {
		s.chosen = map[uint64]bool{}
		for _, id := range ids {
			s.chosen[id] = true
		}
	}
	return &tables.Set{
		Tables: makers.Make(s, names),
		About: []encode.Property{
			{Name: "pando.trace", Value: q.Trace.Path}, {Name: "pando.ticks_per_second", Value: strconv.FormatUint(s.perSecond, 10)},
			{Name: "pando.first_event_ticks", Value: strconv.FormatInt(s.first, 10)},
		},
		Failed: func() error { return s.err },
	}, nil
}

// label returns what a location is called.
func (s *source) label(location uint64) string {
	text, ok := s.labels[location]
	if !ok {
		text = s.question.Trace.Label(location)
		s.labels[location] = text
	}
	return text
}

// has reports whether a location has rows. Waits are found among all locations, whatever part of them is wanted.
func (s *source) has(location uint64) bool { return s.chosen == nil || s.chosen[location] }

// errEnough says that no more rows are wanted.
var errEnough = errors.New("enough")

// find finds waits, and the critical path. It keeps the error.
func (s *source) find(opt waits.Options) {
	if _, err := s.question.ask(s.ctx, opt); err != nil && !errors.Is(err, errEnough) {
		s.err = err
	}
}

// row is a wait or a stretch, with the paths that it names.
type row[T any] struct {
	of    T
	paths *waits.Paths
}

// locations are the columns of a location.
func locations[R any](s *source, prefix, doc string, get func(r *R) uint64) []table.ColumnOf[R] {
	return []table.ColumnOf[R]{
		tables.Count(prefix+"location", "id of the location"+doc, func(r *R) int64 { return int64(get(r)) }).As(table.Repeats),
		tables.TextOrNull(prefix+"location_label", "how people call it: `rank 3`", func(r *R) string { return s.label(get(r)) }),
	}
}

// paths are the columns of a call path.
func paths[R any](prefix, doc string, get func(r *R) (*waits.Paths, waits.PathID)) []table.ColumnOf[R] {
	return []table.ColumnOf[R]{
		tables.TextOrNull(prefix+"region", "name of the region"+doc, func(r *R) string { p, id := get(r); return p.Name(id) }),
		tables.TextOrNull(prefix+"path", "its call path, outermost region first", func(r *R) string { p, id := get(r); return strings.Join(p.Names(id), " > ") }),
	}
}

// waitsTable is the table of waits.
func waitsTable(s *source) *table.Table {
	type wait = row[waits.Wait]
	columns := slices.Concat(
		[]table.ColumnOf[wait]{tables.TextOrNull("kind", "what the call waits for: `late sender`, `late receiver`, `barrier`, `all to all`, `late root`, `early root` or `early scan`",
			func(r *wait) string { return r.of.Kind.String() })},
		locations(s, "", " that waits", func(r *wait) uint64 { return r.of.Location }),
		paths("", " that waits", func(r *wait) (*waits.Paths, waits.PathID) { return r.paths, r.of.Path }),
		[]table.ColumnOf[wait]{tables.Count("event", "number of the enter of the call that waits, among the events of its location, from 0", func(r *wait) int64 { return int64(r.of.Call) })},
		tables.Length(s.perSecond, "start_", "when the wait begins, since the trace's first event", func(r *wait) int64 { return r.of.Start - s.first }),
		tables.Length(s.perSecond, "end_", "when it ends", func(r *wait) int64 { return r.of.End - s.first }),
		tables.Length(s.perSecond, "duration_", "end less start", func(r *wait) int64 { return r.of.Ticks() }),
		locations(s, "cause_", " that came last of those that the call waits for", func(r *wait) uint64 { return r.of.Cause }),
		paths("cause_", " with which it came", func(r *wait) (*waits.Paths, waits.PathID) { return r.paths, r.of.CausePath }),
		tables.Length(s.perSecond, "cause_", "when it entered that, since the trace's first event", func(r *wait) int64 { return r.of.CauseTime - s.first }),
		[]table.ColumnOf[wait]{
			tables.Count("late", "number of partners that came after the wait's begin: messages of a call that ends several", func(r *wait) int64 { return int64(min(r.of.Late, math.MaxInt64)) }),
			table.Truth("clamped", "the cause came after the call had been left, which cannot be: clocks disagree, and the duration is an upper bound", func(_ *table.Catalog, r *wait) bool { return r.of.Clamped }),
		})
	return table.FromList(table.Schema{Name: "waits", Doc: "One row for each call that waits for another location, nearly in the order in which the calls are left. In a window, waits as far as they lie in it; of chosen locations, those that they have, for whomever."},
		columns, func(*table.Catalog) iter.Seq[wait] {
			return func(yield func(wait) bool) {
				s.find(waits.Options{EachWait: func(p *waits.Paths, w *waits.Wait) error {
					if s.has(w.Location) && !yield(wait{*w, p}) {
						return errEnough
					}
					return nil
				}})
			}
		})
}

// criticalTable is the table of the critical path.
func criticalTable(s *source) *table.Table {
	type stretch = row[waits.Stretch]
	columns := slices.Concat(
		locations(s, "", " that the path is on", func(r *stretch) uint64 { return r.of.Location }),
		paths("", " in whose call it is; null outside of calls", func(r *stretch) (*waits.Paths, waits.PathID) { return r.paths, r.of.Path }),
		tables.Length(s.perSecond, "start_", "when the stretch begins, since the trace's first event: where the one before ends", func(r *stretch) int64 { return r.of.Start - s.first }),
		tables.Length(s.perSecond, "end_", "when it ends", func(r *stretch) int64 { return r.of.End - s.first }),
		tables.Length(s.perSecond, "duration_", "end less start", func(r *stretch) int64 { return r.of.End - r.of.Start }),
		[]table.ColumnOf[stretch]{tables.TextOrNull("reason", "where the path comes from another location: the kind of the wait that ended here, as in the table of waits", func(r *stretch) string {
			if r.of.Reason == waits.Kinds {
				return ""
			}
			return r.of.Reason.String()
		})})
	return table.FromList(table.Schema{Name: "critical_path", Doc: "One row for each piece of the critical path in one call of one location, in the order of time. The rows cover the window once; with chosen locations, they are those of the path that are on these."},
		columns, func(*table.Catalog) iter.Seq[stretch] {
			return func(yield func(stretch) bool) {
				s.find(waits.Options{Critical: true, EachStretch: func(p *waits.Paths, x *waits.Stretch) error {
					if s.has(x.Location) && !yield(stretch{*x, p}) {
						return errEnough
					}
					return nil
				}})
			}
		})
}
