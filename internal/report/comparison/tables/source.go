package tables

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/trace"
)

// Source is what tables are made of. Likeness is called for the table of similarities alone, and may be nil without it.
type Source struct {
	Context    context.Context
	Comparison *contrast.Comparison
	Likeness   func() (*contrast.Likeness, error)
	Bases      int // base runs of which A is the first; 0 or 1 if it is the only one

	names    *table.Names
	likeness *contrast.Likeness
	err      error // of reading rows
}

// OfLikeness is the source of the table of similarities alone, without a comparison.
func OfLikeness(ctx context.Context, likeness func() (*contrast.Likeness, error)) *Source {
	return &Source{Context: ctx, Comparison: &contrast.Comparison{Forest: calltree.NewForest()}, Likeness: likeness}
}

// Of returns tables of what a question compares. For the table of similarities alone, nothing is compared.
func Of(ctx context.Context, q *comparison.Question, names []string) (*tables.Set, error) {
	s := OfLikeness(ctx, func() (*contrast.Likeness, error) { return q.Alike(ctx) })
	if !slices.Equal(names, []string{"similarity"}) {
		c, err := q.Compare(ctx)
		if err != nil {
			return nil, err
		}
		s.Comparison = c
	}
	return s.Set(names)
}

// makers make the tables of a source.
var makers = tables.Makers[*Source]{
	{Name: "function_differences", Make: functionDifferences}, {Name: "call_path_differences", Make: callPathDifferences}, {Name: "alignment", Make: alignment},
	{Name: "aligned_calls", Make: alignedCalls}, {Name: "skew", Make: skewTable}, {Name: "dissimilarity", Make: dissimilarity}, {Name: "similarity", Make: similarity},
}

// All describes all tables.
func All() []table.Schema {
	return makers.Schemas(&Source{Comparison: &contrast.Comparison{Forest: calltree.NewForest(), Units: 1e9}})
}

// Names lists the tables.
func Names() []string { return makers.Names() }

// untimed are the tables that need no times.
var untimed = []string{"alignment", "similarity"}

// Timed reports whether some of the tables need times.
func Timed(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(untimed, n) })
}

// Check returns an error if there is no table of one of the names.
func Check(names []string) error { return tables.Check("a comparison", Names(), names) }

// Set returns tables by their names.
func (s *Source) Set(names []string) (set *tables.Set, err error) {
	if err := Check(names); err != nil {
		return nil, err
	}
	if slices.Contains(names, "similarity") && s.likeness == nil {
		if s.likeness, err = s.Likeness(); err != nil {
			return nil, err
		}
	}
	return &tables.Set{Tables: makers.Make(s, names), About: s.about(), Failed: func() error { return s.err }}, nil
}

// about says what was compared.
func (s *Source) about() []encode.Property {
	c := s.Comparison
	if c.Units == 0 { // there is none
		return nil
	}
	about := []encode.Property{
		{Name: "pando.compared_a", Value: c.Names[0]}, {Name: "pando.compared_b", Value: c.Names[1]},
		{Name: "pando.ticks_per_second", Value: strconv.FormatUint(c.Units, 10)},
		{Name: "pando.first_event_ticks_a", Value: strconv.FormatInt(c.Origins[0], 10)},
		{Name: "pando.first_event_ticks_b", Value: strconv.FormatInt(c.Origins[1], 10)},
	}
	if s.Bases > 1 {
		about = append(about, encode.Property{Name: "pando.first_of_base_runs", Value: strconv.Itoa(s.Bases)})
	}
	return about
}

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
		}).As(table.Repeats), table.Named("location_label_"+name, "how people call it: `rank 3`", labels, func(_ *table.Catalog, r *R) int32 {
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
