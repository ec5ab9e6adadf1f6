package table

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/store"
)

// Made is a table that was made of a window, such as by an analysis.
type Made struct {
	*Table
	// Failed returns what went wrong while the rows were made. It may be nil.
	Failed func() error
}

// Later returns a table of a schema that is made when its rows are read. Its names are texts: which there are is known only then.
func Later(t Schema, of func(w *store.Window) (Made, error)) *Table {
	t.Columns = slices.Clone(t.Columns)
	s := &Table{Names: make([]func(*Catalog) *Names, len(t.Columns))}
	for i := range t.Columns {
		s.chosen = append(s.chosen, i)
		if t.Columns[i].Type == Name {
			t.Columns[i].Type = Text
		}
	}
	s.Schema = t
	s.rows = func(x *Catalog, w *store.Window, chosen []int) iter.Seq2[*Batch, error] {
		return func(yield func(*Batch, error) bool) {
			m, err := of(w)
			if err == nil {
				var names []string
				for _, place := range chosen {
					names = append(names, t.Columns[place].Name)
				}
				m.Table, err = m.Choose(names)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			m.yieldRows(x, w, yield)
		}
	}
	return s
}

// yieldRows yields the rows, with texts in the place of names, and then what has failed.
func (m *Made) yieldRows(x *Catalog, w *store.Window, yield func(*Batch, error) bool) {
	for b, err := range m.Batches(x, w) {
		if err == nil {
			m.spell(x, b)
		}
		if !yield(b, err) || err != nil {
			return
		}
	}
	if m.Failed == nil {
		return
	}
	if err := m.Failed(); err != nil {
		yield(nil, err)
	}
}

// spell makes texts of the names in a batch.
func (m *Made) spell(x *Catalog, b *Batch) {
	for i := range m.Columns {
		if m.Columns[i].Type != Name {
			continue
		}
		v, list := &b.Vectors[i], m.Names[i](x).List
		for row, code := range v.Codes {
			if !v.IsNull(row) {
				v.Text = append(v.Text, list[code]...)
			}
			v.Ends = append(v.Ends, int32(len(v.Text)))
		}
		v.Codes = v.Codes[:0]
	}
}
