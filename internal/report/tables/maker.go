package tables

import (
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// Maker makes the table of a name out of a source. The name is known without the table, whose columns take time to describe.
type Maker[S any] struct {
	Name string
	Make func(source S) *table.Table
}

// Makers make all tables of an analysis.
type Makers[S any] []Maker[S]

// Names lists the tables.
func (m Makers[S]) Names() (names []string) {
	for i := range m {
		names = append(names, m[i].Name)
	}
	return names
}

// Schemas describes all tables, which it makes of a source without rows.
func (m Makers[S]) Schemas(empty S) (list []table.Schema) {
	for _, t := range m.Make(empty, m.Names()) {
		list = append(list, t.Schema)
	}
	return list
}

// Make makes tables of some names, in their order.
func (m Makers[S]) Make(source S, names []string) (list []*table.Table) {
	for _, name := range names {
		if i := slices.IndexFunc(m, func(of Maker[S]) bool { return of.Name == name }); i >= 0 {
			list = append(list, m[i].Make(source))
		}
	}
	return list
}
