package table

import (
	"iter"

	"github.com/pandotrace/pando/store"
)

// FromBatches makes a table of batches that are made elsewhere, such as by a query. names has the list of each column of names, by place.
func FromBatches(t Schema, names []*Names, rows func() iter.Seq2[*Batch, error]) *Table {
	s := &Table{Schema: t}
	for i := range t.Columns {
		of := func(*Catalog) *Names { return names[i] }
		if names[i] == nil {
			of = nil
		}
		s.Names = append(s.Names, of)
		s.chosen = append(s.chosen, i)
	}
	s.rows = func(_ *Catalog, _ *store.Window, chosen []int) iter.Seq2[*Batch, error] {
		return func(yield func(*Batch, error) bool) {
			for b, err := range rows() {
				if err == nil {
					b.choose(chosen)
				}
				if !yield(b, err) || err != nil {
					return
				}
			}
		}
	}
	return s
}
