package columnar

import (
	"cmp"
	"slices"
	"sync"
)

// declaration is the place of tables in an export of all tables, with the function that makes them.
type declaration struct {
	place  int
	tables func() []*source
}

var declarations []declaration

// declare adds a table to those that can be exported. It is called where a variable of a package is declared, in the file of the table.
// place orders the tables of an export; two tables never have the same. The result means nothing.
func declare(place int, table func() *source) bool {
	return declareAll(place, func() []*source { return []*source{table()} })
}

// declareAll is declare for several tables, one after the other.
func declareAll(place int, tables func() []*source) bool {
	declarations = append(declarations, declaration{place, tables})
	return true
}

// sources returns all declared tables, in the order in which they are written. They are made by the first call: to make them when the
// program starts would take longer than all other packages need.
var sources = sync.OnceValue(func() (list []*source) {
	slices.SortFunc(declarations, func(a, b declaration) int { return cmp.Compare(a.place, b.place) })
	for _, d := range declarations {
		list = append(list, d.tables()...)
	}
	return list
})
