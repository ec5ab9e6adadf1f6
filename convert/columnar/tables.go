package columnar

import (
	"fmt"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/content"
	"github.com/pandotrace/pando/convert/columnar/table"
)

// Tables describes all tables: those of what happened, those of locations and communicators, and one for each other
// kind of definition.
func Tables() []table.Schema {
	tables := make([]table.Schema, len(table.All()))
	for i, s := range table.All() {
		tables[i] = s.Schema
		tables[i].Columns = slices.Clone(s.Columns)
	}
	return tables
}

// choose returns the tables of the given names, in the order in which they are written; nil selects all that an export
// without a choice has.
func choose(x *table.Catalog, wanted []string) ([]*table.Table, error) {
	available := slices.Concat(table.All(), content.Private(x))
	if wanted == nil {
		return slices.DeleteFunc(available, func(s *table.Table) bool { return s.Occurs != nil && !s.Occurs(x) }), nil
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(available, func(s *table.Table) bool { return s.Name == name }) {
			return nil, fmt.Errorf("there is no table %q", name)
		}
	}
	return slices.DeleteFunc(available, func(s *table.Table) bool { return !slices.Contains(wanted, s.Name) }), nil
}
