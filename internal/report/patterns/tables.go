package patterns

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/trace/topology"
)

// Analysis has the tables of patterns, for the server and the documentation.
var Analysis = &tables.Analysis{
	Verb: "patterns", Names: makers.Names(),
	Schemas: func() []table.Schema { return makers.Schemas(&Report{TicksPerSecond: 1e9}) },
	Make: func(ctx context.Context, q tables.Question, names []string) (*tables.Set, error) {
		if err := tables.Check("the analysis of patterns", makers.Names(), names); err != nil {
			return nil, err
		}
		r, err := Find(ctx, &Question{Trace: q.Trace, Window: q.Window})
		if err != nil {
			return nil, err
		}
		return r.Tables(names)
	},
}

// makers make the tables of a report.
var makers = tables.Makers[*Report]{{Name: "patterns", Make: patternTable}, {Name: "communication", Make: pairTable}, {Name: "templates", Make: templateTable}}

// TableNames lists the tables.
func TableNames() []string { return makers.Names() }

// Tables returns tables by their names. The report must hold all templates.
func (r *Report) Tables(names []string) (*tables.Set, error) {
	if err := tables.Check("the analysis of patterns", TableNames(), names); err != nil {
		return nil, err
	}
	return &tables.Set{Tables: makers.Make(r, names), About: []encode.Property{
		{Name: "pando.trace", Value: r.Trace}, {Name: "pando.ticks_per_second", Value: strconv.FormatUint(r.TicksPerSecond, 10)},
	}}, nil
}

// span are the columns of a phase.
func span[R any](r *Report, of func(*R) *Phase) []table.ColumnOf[R] {
	return slices.Concat(
		tables.Length(r.TicksPerSecond, "from_", "when the phase begins, since the trace's first event", func(x *R) int64 { return of(x).FromTicks }),
		tables.Length(r.TicksPerSecond, "to_", "when it ends", func(x *R) int64 { return of(x).ToTicks }))
}

func share[R any](name, doc string, get func(r *R) float64) table.ColumnOf[R] {
	return table.Real(name, "", doc, func(_ *table.Catalog, r *R) (float64, bool) { return get(r), true })
}

// coordinates is a column of lists of numbers, null for none.
func coordinates[R any](name, doc string, get func(r *R) []int64) table.ColumnOf[R] {
	return table.String(name, doc, func(_ *table.Catalog, r *R, dst []byte) ([]byte, bool) {
		at := get(r)
		return append(dst, topology.Text(at)...), at != nil
	})
}

func patternTable(r *Report) *table.Table {
	columns := slices.Concat(span(r, func(p *Phase) *Phase { return p }), loopColumns(), []table.ColumnOf[Phase]{
		tables.Text("pattern", "in words: `4 x 2 grid, wavefront`", func(p *Phase) string { return p.Pattern.Name }),
		tables.Text("class", "`silent`, `line`, `ring`, `star`, `tree`, `grid`, `torus`, `butterfly`, `all to all` or `irregular`", func(p *Phase) string { return p.Pattern.Class }),
		table.NumberOrNull("topology", "", "id in `cart_topologies` of the topology that a grid or torus lies on; null where it is one of the numbers of ranks", func(_ *table.Catalog, p *Phase) (int64, bool) {
			if p.Pattern.Topology == nil {
				return 0, false
			}
			return int64(*p.Pattern.Topology), true
		}),
		share("messages_explained", "share of the messages that the pattern explains, 0 if it is irregular", func(p *Phase) float64 { return p.Pattern.Messages }),
		share("bytes_explained", "share of the bytes", func(p *Phase) float64 { return p.Pattern.Bytes }),
		tables.Count("messages", "number of messages", func(p *Phase) int64 { return int64(p.Messages) }),
		tables.Count("bytes", "what they have sent", func(p *Phase) int64 { return int64(p.Bytes) }),
		tables.Count("pairs", "number of pairs of ranks of which the first sends to the second", func(p *Phase) int64 { return int64(p.Pairs) }),
		share("partners", "mean number of ranks that a rank has messages with", func(p *Phase) float64 { return p.Partners }),
	})
	return table.FromList(table.Schema{Name: "patterns", Doc: "One row for each phase: the pattern that its messages make among the ranks of MPI_COMM_WORLD. A phase is the window, a period of it, or a loop of the program or what is between two."},
		columns, func(*table.Catalog) iter.Seq[Phase] { return slices.Values(r.Phases) })
}

// loopColumns are what is known of the loop of a phase: null where there is none.
func loopColumns() []table.ColumnOf[Phase] {
	text := func(name, doc string, get func(l *Loop) string) table.ColumnOf[Phase] {
		return table.String(name, doc, func(_ *table.Catalog, p *Phase, dst []byte) ([]byte, bool) {
			if p.Loop == nil {
				return dst, false
			}
			return append(dst, get(p.Loop)...), true
		})
	}
	return []table.ColumnOf[Phase]{
		text("loop", "what repeats in the phase: `iterate`; null before, between and behind loops, and for other phases", func(l *Loop) string { return l.Title }),
		text("loop_body", "calls of one repetition, in order, with commas between", func(l *Loop) string { return strings.Join(l.Body, ",") }),
		text("loop_fingerprint", "equal for loops of equal titles and bodies in all traces", func(l *Loop) string { return l.Fingerprint }),
		table.NumberOrNull("repetitions", "", "how often it occurs, on the location where that is most", func(_ *table.Catalog, p *Phase) (int64, bool) {
			if p.Loop == nil {
				return 0, false
			}
			return p.Loop.Most, true
		}),
	}
}

// within is something of a phase.
type within[T any] struct {
	phase *Phase
	found *pattern.Result
	of    T
}

// each gives what phases have, phase by phase.
func each[T any](r *Report, of func(*pattern.Result) []T) func(*table.Catalog) iter.Seq[within[T]] {
	return func(*table.Catalog) iter.Seq[within[T]] {
		return func(yield func(within[T]) bool) {
			for i, x := range r.found {
				for _, one := range of(x) {
					if !yield(within[T]{&r.Phases[i], x, one}) {
						return
					}
				}
			}
		}
	}
}

func pairTable(r *Report) *table.Table {
	type row = within[pattern.Pair]
	columns := slices.Concat(span(r, func(x *row) *Phase { return x.phase }), []table.ColumnOf[row]{
		tables.Count("sender", "rank that sends", func(x *row) int64 { return int64(x.of.From) }).As(table.Repeats),
		tables.Count("receiver", "rank that receives", func(x *row) int64 { return int64(x.of.To) }),
		coordinates("sender_coordinates", "coordinates of the rank that sends on the topology of the trace, if one has all ranks: `1,0`", func(x *row) []int64 { return x.found.At(x.of.From) }),
		coordinates("receiver_coordinates", "coordinates of the rank that receives", func(x *row) []int64 { return x.found.At(x.of.To) }),
		tables.Count("messages", "number of messages", func(x *row) int64 { return int64(x.of.Messages) }),
		tables.Count("bytes", "what they have sent", func(x *row) int64 { return int64(x.of.Bytes) }),
	})
	return table.FromList(table.Schema{Name: "communication", Doc: "One row for each phase and pair of ranks of which the first sends to the second."},
		columns, each(r, func(x *pattern.Result) []pattern.Pair { return x.Traffic.Pairs }))
}

func templateTable(r *Report) *table.Table {
	type row = within[pattern.Template]
	known := func(x *row, n uint64) (int64, bool) { return int64(n), !x.of.Others }
	columns := slices.Concat(span(r, func(x *row) *Phase { return x.phase }), []table.ColumnOf[row]{
		table.NumberOrNull("shift", "", "rank that receives, less the one that sends; null if there is a topology with all ranks", func(_ *table.Catalog, x *row) (int64, bool) { return int64(x.of.Shift), x.of.Step == nil }),
		coordinates("step", "how far the rank that receives is from the one that sends along each dimension of the topology: `0,-1`; null without one", func(x *row) []int64 { return x.of.Step }),
		tables.Count("communicator", "id of the communicator, as senders name it", func(x *row) int64 { return int64(x.of.Communicator) }),
		table.NumberOrNull("tag", "", "tag; null for those that were too many to be told apart", func(_ *table.Catalog, x *row) (int64, bool) { return known(x, x.of.Tag) }),
		table.NumberOrNull("length", "bytes", "bytes of each message; null as the tag is", func(_ *table.Catalog, x *row) (int64, bool) { return known(x, x.of.Length) }),
		tables.Count("messages", "number of messages", func(x *row) int64 { return int64(x.of.Messages) }),
		tables.Count("bytes", "what they have sent", func(x *row) int64 { return int64(x.of.Bytes) }),
		tables.Count("senders", "number of ranks that send such messages", func(x *row) int64 { return int64(x.of.Senders) }),
	})
	return table.FromList(table.Schema{Name: "templates", Doc: "One row for each phase and template: messages that are alike but for the rank that sends them, those with most messages first."},
		columns, each(r, func(x *pattern.Result) []pattern.Template { return x.Templates }))
}
