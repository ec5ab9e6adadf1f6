package rules

import (
	"context"
	"maps"
	"slices"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// countWithoutRows counts how often a rule is broken on each location, by the name of its column (empty if the table has none), if sums of the file tell it: a rule on regions, depths and locations is one on the
// structure of calls. Then only the rows that are shown are read.
func (s *search) countWithoutRows(ctx context.Context, r *store.Reader, w *store.Window, by string) error {
	if s.query.Plain {
		return nil
	}
	q := query.Query{Table: s.query.Table, Broken: s.query.Broken, By: by, Show: "count()"}
	p, err := query.Of(ctx, r, s.catalog, w, q)
	if err != nil || !p.ByTotals() {
		return err
	}
	s.counted = true
	for b, err := range p.Rows() {
		if err != nil {
			return err
		}
		counts := b.Vectors[len(b.Vectors)-1].Ints
		for row := range b.Rows {
			location := trace.Undefined
			if by != "" {
				location = s.place.locationOf(&b.Vectors[0], row)
			}
			if counts[row] > 0 {
				s.counts[location] += uint64(counts[row])
			}
		}
		b.Release()
	}
	return nil
}

// where returns the part of a window in which rows break the rule that were counted: calls belong to one location.
func (s *search) where(w *store.Window) *store.Window {
	if s.query.Table != "calls" {
		return w
	}
	return w.WithLocations(slices.Sorted(maps.Keys(s.counts))...)
}
