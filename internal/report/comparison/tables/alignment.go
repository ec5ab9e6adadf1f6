package tables

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/trace"
)

const statesDoc = "`equal`, `different`, `only a` or `only b`"

// segmentRow is a segment of an alignment.
type segmentRow struct {
	pair int
	align.Segment
}

// alignment is the table of segments.
func alignment(s *Source) *table.Table {
	columns := append(places(s, func(r *segmentRow) [2]*trace.Place { return s.pairPlaces(r.pair) }),
		tables.Count("event_a", "number of its first event in A among the enters and leaves of the location as they are aligned, from 0: the location's own enter; where A has none of it, of the next one",
			func(r *segmentRow) int64 { return counted(r.A) }),
		tables.Count("event_b", "the same in B", func(r *segmentRow) int64 { return counted(r.B) }),
		tables.Count("events", "number of events, on each side that has them", func(r *segmentRow) int64 { return counted(r.Events) }),
		table.Named("state", statesDoc, s.texts, func(_ *table.Catalog, r *segmentRow) int32 { return s.texts(nil).Code(r.State.String()) }),
	)
	return table.FromList(table.Schema{Name: "alignment", Doc: "One row for each run of events of one state, pair of locations by pair. The rows of a pair cover the events of both sides, in order. Transparent regions have no events; a call of a recursion that is spread has its leave right behind its enter."},
		columns, func(*table.Catalog) iter.Seq[segmentRow] {
			return func(yield func(segmentRow) bool) {
				for i := range s.Comparison.Pairs {
					for _, seg := range s.Comparison.Pairs[i].Segments {
						if !yield(segmentRow{i, seg}) {
							return
						}
					}
				}
			}
		})
}

// counted returns a number of events, which may be saturated.
func counted(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// alignedCalls is the table of calls.
func alignedCalls(s *Source) *table.Table {
	type row = contrast.AlignedCall
	region := func(r *row) string {
		path := r.Paths[0]
		if !r.Has(0) {
			path = r.Paths[1]
		}
		return s.Comparison.Forest.NameOf(s.Comparison.Paths[path].Name)
	}
	columns := append(places(s, func(r *row) [2]*trace.Place { return r.Places }),
		table.Named("region", "name of the region", s.texts, func(_ *table.Catalog, r *row) int32 {
			return s.texts(nil).Code(region(r))
		}),
		table.Named("state", statesDoc+": in place of a call that is `different` the other side has one of another region", s.texts,
			func(_ *table.Catalog, r *row) int32 { return s.texts(nil).Code(r.State.String()) }),
	)
	for side, name := range sideNames {
		upper := strings.ToUpper(name)
		of := func(get func(r *row) int64) func(r *row) (int64, bool) {
			return func(r *row) (int64, bool) { return get(r), r.Has(side) }
		}
		columns = slices.Concat(columns,
			[]table.ColumnOf[row]{table.NumberOrNull("path_"+name, "", "number of its call path in `call_path_differences`; null if "+upper+" has no such call", func(_ *table.Catalog, r *row) (int64, bool) {
				return int64(r.Paths[side]), r.Has(side)
			}).As(table.Repeats)},
			tables.LengthOrNull(s.Comparison.Units, "start_"+name+"_", "when the call begins in "+upper+", since the first event of that trace", of(func(r *row) int64 { return s.since(side, r.Start[side]) })),
			tables.LengthOrNull(s.Comparison.Units, "duration_"+name+"_", "how long it lasts within the window", of(func(r *row) int64 { return r.Inclusive[side] })),
			tables.LengthOrNull(s.Comparison.Units, "exclusive_"+name+"_", "the same without the calls inside of it", of(func(r *row) int64 { return r.Exclusive[side] })))
	}
	columns = append(columns, tables.Length(s.Comparison.Units, "difference_", "exclusive time in B less that in A; of a call that one side lacks, the other side's alone", func(r *row) int64 { return r.Exclusive[1] - r.Exclusive[0] })...)
	return table.FromList(table.Schema{Name: "aligned_calls", Doc: "One row for each two calls that belong together, and for each call that has no partner, in the order in which both have ended: calls of a pair of locations are not in order of their starts. Differences add up to those of `call_path_differences`."},
		columns, func(*table.Catalog) iter.Seq[row] { return s.calls })
}

// calls yields all calls.
func (s *Source) calls(yield func(contrast.AlignedCall) bool) {
	if !s.Comparison.Timed {
		return
	}
	for batch, err := range s.Comparison.AlignedCalls(s.Context) {
		if err != nil {
			s.err = err
			return
		}
		for i := range batch {
			if !yield(batch[i]) {
				return
			}
		}
	}
}

// similarRow is two locations.
type similarRow struct {
	of   *contrast.Likeness
	a, b int
}

// similarity is the table of all pairs of locations.
func similarity(s *Source) *table.Table {
	at := func(r *similarRow) [2]*trace.Place {
		return [2]*trace.Place{&r.of.Locations[0][r.a], &r.of.Locations[1][r.b]}
	}
	columns := append(places(s, at),
		table.Real("lowest_similarity", "", "how alike their calls are, from 0 to 1, by the alignment that was found", func(_ *table.Catalog, r *similarRow) (float64, bool) {
			v, _ := r.of.At(r.a, r.b)
			return v.Lowest, true
		}),
		table.Real("highest_similarity", "", "no alignment gives more", func(_ *table.Catalog, r *similarRow) (float64, bool) {
			v, _ := r.of.At(r.a, r.b)
			return v.Highest, true
		}),
		table.Truth("proven", "there is no better alignment of this level: the two are equal", func(_ *table.Catalog, r *similarRow) bool { _, c := r.of.At(r.a, r.b); return c.Proven() }),
		table.String("level", "how calls were aligned: `names`, `tree`, `wrap` or `flat`", func(_ *table.Catalog, r *similarRow, dst []byte) ([]byte, bool) {
			return append(dst, comparison.Levels()[r.of.Level]...), true
		}),
	)
	return table.FromList(table.Schema{Name: "similarity", Doc: "One row for each location of A and each of B, whether they are compared or not. Of one file, each pair of locations once."},
		columns, func(*table.Catalog) iter.Seq[similarRow] { return s.alike })
}

// alike yields all pairs of locations.
func (s *Source) alike(yield func(similarRow) bool) {
	l := s.likeness
	if l == nil {
		return
	}
	for a := range l.Locations[0] {
		for b := range l.Locations[1] {
			if l.Single && b <= a {
				continue
			}
			if !yield(similarRow{l, a, b}) {
				return
			}
		}
	}
}
