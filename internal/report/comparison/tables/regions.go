package tables

import (
	"iter"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/tables"
)

// none are no rows.
func none[R any](func(R) bool) {}

// functionDifferences is the table of regions.
func functionDifferences(s *Source) *table.Table {
	type row = comparison.Row
	region := func(_ *table.Catalog, r *row) int32 { return s.texts(nil).Code(r.RegionName) }
	columns := []table.ColumnOf[row]{
		table.Named("region", "name of the region; of messages, if these are compared, where the peer is (`send to +1`)", s.texts, region),
		table.String("activity", "what it is for: computation, mpi, io, ...", func(_ *table.Catalog, r *row, dst []byte) ([]byte, bool) {
			return table.AppendValid(dst, r.Activity), true
		}),
		table.String("path", "the call path with the largest part of the difference, outermost region first", func(_ *table.Catalog, r *row, dst []byte) ([]byte, bool) {
			return table.AppendValid(dst, strings.Join(r.Path, " > ")), true
		}),
		table.String("judged", "why the difference is more than noise: `shift`, `apart`, `absent`; else `noise`", func(_ *table.Catalog, r *row, dst []byte) ([]byte, bool) {
			return append(dst, r.Judged...), true
		}),
	}
	columns = slices.Concat(columns,
		tables.Length(s.Comparison.Units, "over_", "by how much B takes longer on locations with a partner, exclusive time", func(r *row) int64 { return r.OverTicks }),
		differences(s, tallyOf[row]{func(r *row) contrast.Tally { return r.Tally() }}),
		quantiles(s),
		[]table.ColumnOf[row]{
			table.Real("sign_test", "", "how likely it is that chance gives as many pairs of one sign", func(_ *table.Catalog, r *row) (float64, bool) { return r.SignTest, true }),
			table.String("locations", "those of A on which it stands out, the largest part first, separated by commas", func(_ *table.Catalog, r *row, dst []byte) ([]byte, bool) {
				return table.AppendValid(dst, strings.Join(r.On, ",")), len(r.On) > 0
			}),
		})
	return table.FromList(table.Schema{Name: "function_differences", Doc: "One row for each region, those that take longer in B first. `difference` is `plus` - `minus` + `only_b` - `only_a`, exactly, and all rows explain the difference of all time in calls."},
		columns, func(*table.Catalog) iter.Seq[row] {
			if !s.Comparison.Timed {
				return none[row]
			}
			return slices.Values(comparison.New(s.Comparison).Rows)
		})
}

// quantiles say how the differences of pairs are distributed.
func quantiles(s *Source) (list []table.ColumnOf[comparison.Row]) {
	for _, q := range []struct {
		name, doc string
		of        func(r *comparison.Row) int64
	}{
		{"least_", "the least difference of two calls that belong together", func(r *comparison.Row) int64 { return r.LeastTicks }},
		{"lower_quartile_", "lower quartile of these differences, exact to 3 %", func(r *comparison.Row) int64 { return r.LowerTicks }},
		{"median_", "their median", func(r *comparison.Row) int64 { return r.MedianTicks }},
		{"upper_quartile_", "upper quartile", func(r *comparison.Row) int64 { return r.UpperTicks }},
		{"most_", "the greatest one", func(r *comparison.Row) int64 { return r.MostTicks }},
	} {
		list = append(list, tables.Length(s.Comparison.Units, q.name, q.doc, q.of)...)
	}
	return list
}

// tallyOf returns what the calls of a row add up to.
type tallyOf[R any] struct{ get func(r *R) contrast.Tally }

func (o tallyOf[R]) ticks(of func(t *contrast.Tally) int64) func(r *R) int64 {
	return func(r *R) int64 { t := o.get(r); return of(&t) }
}

// differences are the columns of sums.
func differences[R any](s *Source, o tallyOf[R]) []table.ColumnOf[R] {
	count := func(of func(t *contrast.Tally) uint64) func(r *R) int64 {
		return func(r *R) int64 { t := o.get(r); return int64(of(&t)) }
	}
	return slices.Concat(
		[]table.ColumnOf[R]{
			tables.Count("count_a", "calls in A", count(func(t *contrast.Tally) uint64 { return t.Calls[0] })),
			tables.Count("count_b", "calls in B", count(func(t *contrast.Tally) uint64 { return t.Calls[1] })),
		},
		tables.Length(s.Comparison.Units, "exclusive_a_", "exclusive time in A, of all locations", o.ticks(func(t *contrast.Tally) int64 { return t.Ticks[0] })),
		tables.Length(s.Comparison.Units, "exclusive_b_", "the same in B", o.ticks(func(t *contrast.Tally) int64 { return t.Ticks[1] })),
		tables.Length(s.Comparison.Units, "difference_", "B less A", o.ticks(func(t *contrast.Tally) int64 { return t.Net() })),
		tables.Length(s.Comparison.Units, "inclusive_a_", "inclusive time in A", o.ticks(func(t *contrast.Tally) int64 { return t.Inclusive[0] })),
		tables.Length(s.Comparison.Units, "inclusive_b_", "the same in B", o.ticks(func(t *contrast.Tally) int64 { return t.Inclusive[1] })),
		[]table.ColumnOf[R]{
			tables.Count("pairs", "calls of A that have a partner in B", count(func(t *contrast.Tally) uint64 { return t.Pairs })),
			tables.Count("slower", "those that take more exclusive time in B", count(func(t *contrast.Tally) uint64 { return t.Slower })),
			tables.Count("faster", "those that take less", count(func(t *contrast.Tally) uint64 { return t.Faster })),
		},
		tables.Length(s.Comparison.Units, "plus_", "by how much the slower ones take longer", o.ticks(func(t *contrast.Tally) int64 { return t.Plus })),
		tables.Length(s.Comparison.Units, "minus_", "by how much the faster ones take less", o.ticks(func(t *contrast.Tally) int64 { return t.Minus })),
		[]table.ColumnOf[R]{
			tables.Count("only_a_count", "calls without a partner in A", count(func(t *contrast.Tally) uint64 { return t.LoneCalls[0] })),
			tables.Count("only_b_count", "the same in B", count(func(t *contrast.Tally) uint64 { return t.LoneCalls[1] })),
		},
		tables.Length(s.Comparison.Units, "only_a_", "exclusive time of these in A", o.ticks(func(t *contrast.Tally) int64 { return t.LoneTicks[0] })),
		tables.Length(s.Comparison.Units, "only_b_", "the same in B", o.ticks(func(t *contrast.Tally) int64 { return t.LoneTicks[1] })),
	)
}

// pathRow is a call path with its number.
type pathRow struct{ number int }

// callPathDifferences is the table of call paths.
func callPathDifferences(s *Source) *table.Table {
	path := func(r *pathRow) *contrast.Path { return &s.Comparison.Paths[r.number] }
	columns := slices.Concat([]table.ColumnOf[pathRow]{
		tables.Count("path", "number of the call path, from 1", func(r *pathRow) int64 { return int64(r.number) }),
		table.NumberOrNull("parent", "", "number of the path around it; null for outermost calls", func(_ *table.Catalog, r *pathRow) (int64, bool) {
			p := path(r).Parent
			return int64(p), p > 0
		}),
		tables.Count("depth", "number of regions around it", func(r *pathRow) int64 { return int64(path(r).Depth) }),
		table.Named("region", "name of the region; of messages, if these are compared, where the peer is (`send to +1`)", s.texts, func(_ *table.Catalog, r *pathRow) int32 {
			return s.texts(nil).Code(s.Comparison.Forest.NameOf(path(r).Name))
		}),
	}, differences(s, tallyOf[pathRow]{func(r *pathRow) contrast.Tally { return path(r).Tally }}))
	return table.FromList(table.Schema{Name: "call_path_differences", Doc: "One row for each call path, in the order of their first calls. Calls of a recursion that is spread are of the path of the outermost one."},
		columns, func(*table.Catalog) iter.Seq[pathRow] {
			return func(yield func(pathRow) bool) {
				for i := 1; i < len(s.Comparison.Paths) && yield(pathRow{i}); i++ {
				}
			}
		})
}
