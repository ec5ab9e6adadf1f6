package query

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// Together goes once over the rows of a table for several queries without groups, sorting and limit. All are [Query.Plain], of the same table and window.
// visit gets rows of the answer of one of them, by its place in the list, and must not keep them.
func Together(plans []*Plan, visit func(of int, b *table.Batch)) error {
	first := plans[0]
	var names []string
	for _, p := range plans {
		for i := range p.source.Columns {
			names = append(names, p.source.Columns[i].Name)
		}
	}
	all, _, err := tableNamed(first.catalog, first.query.Table, &first.query.Others)
	if err != nil {
		return err
	}
	var chosen []string
	for i := range all.Columns {
		if name := all.Columns[i].Name; slices.Contains(names, name) {
			chosen = append(chosen, name)
		}
	}
	source, err := all.Choose(chosen)
	if err != nil {
		return err
	}
	for _, p := range plans {
		p.source = source
		if err := p.bind(); err != nil {
			return err
		}
	}
	var rows []int32
	for b, err := range source.Batches(first.catalog, first.window) {
		if err != nil {
			return err
		}
		for i, p := range plans {
			if rows, err = p.pick(b, rows[:0]); err == nil && len(rows) > 0 {
				var out *table.Batch
				if out, err = p.selected(b, rows); err == nil {
					visit(i, out)
					out.Release()
				}
			}
			if err != nil {
				return &TogetherError{i, err}
			}
		}
		b.Release()
	}
	return nil
}

// TogetherError is what is wrong with one of several queries, by its place in the list.
type TogetherError struct {
	Of  int
	Err error
}

// Error implements error.
func (e *TogetherError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *TogetherError) Unwrap() error { return e.Err }
