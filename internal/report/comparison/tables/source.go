package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/trace"
)

// Source is what tables are made of. Likeness is called for the table of similarities alone, and may be nil without it.
type Source struct {
	Context    context.Context
	Comparison *contrast.Comparison
	Likeness   func() (*contrast.Likeness, error)

	names    *table.Names
	likeness *contrast.Likeness
	err      error // of reading rows
}

// OfLikeness is the source of the table of similarities alone, without a comparison.
func OfLikeness(ctx context.Context, likeness func() (*contrast.Likeness, error)) *Source {
	return &Source{Context: ctx, Comparison: &contrast.Comparison{Forest: calltree.NewForest()}, Likeness: likeness}
}

// tableOf makes a table of a source.
type tableOf func(*Source) *table.Table

var all = []tableOf{functionDifferences, callPathDifferences, alignment, alignedCalls, skewTable, dissimilarity, similarity}

// All describes all tables.
func All() (list []table.Schema) {
	s := &Source{Comparison: &contrast.Comparison{Forest: calltree.NewForest(), Units: 1e9}}
	for _, make := range all {
		list = append(list, make(s).Schema)
	}
	return list
}

// Names lists the tables.
func Names() (list []string) {
	for _, t := range All() {
		list = append(list, t.Name)
	}
	return list
}

// untimed are the tables that need no times.
var untimed = []string{"alignment", "similarity"}

// Timed reports whether some of the tables need times.
func Timed(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(untimed, n) })
}

// Check returns an error if there is no table of one of the names.
func Check(names []string) error {
	known := Names()
	for _, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("a comparison has no table %q%s; it has %s", n, trace.DidYouMean(trace.Near(n, slices.Values(known))), strings.Join(known, ", "))
		}
	}
	return nil
}

// ns converts units of the comparison to nanoseconds.
func (s *Source) ns(units int64) int64 { return trace.Nanoseconds(units, s.Comparison.Units) }

// since converts a time of a side to one since the first event of its trace.
func (s *Source) since(side int, t int64) int64 { return t - s.Comparison.Origins[side] }

// texts returns all names that tables of regions have. A file has one dictionary for each column, which is known before the first row.
func (s *Source) texts(*table.Catalog) *table.Names {
	if s.names == nil {
		s.names = &table.Names{}
		for n := range s.Comparison.Forest.Names() {
			s.names.Add(s.Comparison.Forest.NameOf(calltree.Name(n)))
		}
		for _, state := range comparison.States() {
			s.names.Add(state)
		}
	}
	return s.names
}

// labels are the labels of locations of a side.
func (s *Source) labels(side int) func(*table.Catalog) *table.Names {
	names := &table.Names{}
	for i := range s.Comparison.Pairs {
		names.Add(s.pairPlaces(i)[side].Label)
	}
	if s.likeness != nil {
		for _, p := range s.likeness.Locations[side] {
			names.Add(p.Label)
		}
	}
	for _, p := range s.Comparison.Lone[side] {
		names.Add(p.Label)
	}
	return func(*table.Catalog) *table.Names { return names }
}

var sideNames = [2]string{"a", "b"}

// places are the columns of two locations.
func places[R any](s *Source, at func(r *R) [2]*trace.Place) (list []table.ColumnOf[R]) {
	for side, name := range sideNames {
		labels := s.labels(side)
		list = append(list, table.NumberOrNull("location_"+name, "", "id of the location in "+strings.ToUpper(name), func(_ *table.Catalog, r *R) (int64, bool) {
			if p := at(r)[side]; p != nil {
				return int64(p.Location), true
			}
			return 0, false
		}).As(table.Repeats), table.Named("location_name_"+name, "how people call it: `rank 3`", labels, func(_ *table.Catalog, r *R) int32 {
			if p := at(r)[side]; p != nil {
				return labels(nil).Code(p.Label)
			}
			return table.NoName
		}))
	}
	return list
}

// pairPlaces are the locations of a pair.
func (s *Source) pairPlaces(pair int) [2]*trace.Place {
	p := &s.Comparison.Pairs[pair]
	return [2]*trace.Place{&p.A, &p.B}
}

// length is a pair of columns with a length of time.
func length[R any](s *Source, prefix, doc string, get func(r *R) int64) []table.ColumnOf[R] {
	return []table.ColumnOf[R]{
		table.Number(prefix+"ns", "ns", doc, func(_ *table.Catalog, r *R) int64 { return s.ns(get(r)) }),
		table.Number(prefix+"ticks", "ticks", "the same", func(_ *table.Catalog, r *R) int64 { return get(r) }),
	}
}

// lengthOrNull is like length, with nulls where ok is false.
func lengthOrNull[R any](s *Source, prefix, doc string, get func(r *R) (ticks int64, ok bool)) []table.ColumnOf[R] {
	return []table.ColumnOf[R]{
		table.NumberOrNull(prefix+"ns", "ns", doc, func(_ *table.Catalog, r *R) (int64, bool) { t, ok := get(r); return s.ns(t), ok }),
		table.NumberOrNull(prefix+"ticks", "ticks", "the same", func(_ *table.Catalog, r *R) (int64, bool) { return get(r) }),
	}
}

// number is a column of a count.
func number[R any](name, doc string, get func(r *R) int64) table.ColumnOf[R] {
	return table.Number(name, "", doc, func(_ *table.Catalog, r *R) int64 { return get(r) })
}
