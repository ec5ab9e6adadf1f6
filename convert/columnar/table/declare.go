package table

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// declaration is a function that makes tables, with their place in an export of all tables.
type declaration struct {
	place  int
	tables func() []*Table
}

var declarations []declaration

// Declare adds a table to those that can be exported. The file of the table calls it in the declaration of a variable, so that it runs
// when the program starts. Tables are exported in the order of place, which is different for each table. The result has no meaning.
func Declare(place int, table func() *Table) bool {
	return DeclareAll(place, func() []*Table { return []*Table{table()} })
}

// DeclareAll declares several tables, which follow each other.
func DeclareAll(place int, tables func() []*Table) bool {
	if slices.ContainsFunc(declarations, func(d declaration) bool { return d.place == place }) {
		panic(fmt.Sprintf("two tables have place %d", place))
	}
	declarations = append(declarations, declaration{place, tables})
	return true
}

// All returns all declared tables in their order. The first call makes them, because making them at the start of the program would take
// longer than all else that happens then.
var All = sync.OnceValue(func() (list []*Table) {
	slices.SortFunc(declarations, func(a, b declaration) int { return cmp.Compare(a.place, b.place) })
	for _, d := range declarations {
		list = append(list, d.tables()...)
	}
	return list
})
