package rules

import (
	"context"
	"errors"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/store"
)

// runAll runs searches: those of a table that would read more events one by one than the window has go over its rows together, once.
func runAll(ctx context.Context, r *store.Reader, searches []*search, w *store.Window, o *Options, total int64) error {
	within, err := w.TouchedEvents()
	if err != nil {
		return err
	}
	tables := map[string][]*search{}
	for _, s := range searches {
		tables[s.rule.Table] = append(tables[s.rule.Table], s)
	}
	done := int64(0)
	for _, first := range searches {
		of := tables[first.rule.Table]
		delete(tables, first.rule.Table)
		events := int64(0)
		for _, s := range of {
			events += s.events
		}
		if events > int64(within) {
			o.Progress.Report(done, total)
			if of, err = together(ctx, r, of, w); err != nil {
				return err
			}
		}
		for _, s := range of {
			o.Progress.Report(done, total)
			if err := s.run(); err != nil {
				return s.rule.explain(err)
			}
		}
		done += events
	}
	return nil
}

// together runs the searches of a table that read events, and returns the others.
func together(ctx context.Context, r *store.Reader, list []*search, w *store.Window) (others []*search, err error) {
	var searches []*search
	var plans []*query.Plan
	for _, s := range list {
		if s.events == 0 {
			others = append(others, s)
			continue
		}
		q := s.query
		q.Plain = true
		p, err := query.Of(ctx, r, s.catalog, w, q)
		if err != nil {
			return nil, s.rule.explain(err)
		}
		searches, plans = append(searches, s), append(plans, p)
	}
	err = query.Together(plans, func(of int, b *table.Batch) { searches[of].take(b) })
	var bad *query.TogetherError
	if errors.As(err, &bad) {
		err = searches[bad.Of].rule.explain(bad.Err)
	}
	return others, err
}
