package columnar

import (
	"fmt"
	"slices"
)

// Tables describes all tables: those of what happened, those of locations and communicators, and one for each other
// kind of definition.
func Tables() []Table {
	tables := make([]Table, len(sources()))
	for i, s := range sources() {
		tables[i] = s.Table
		tables[i].Columns = slices.Clone(s.Columns)
	}
	return tables
}

// choose returns the tables of the given names, in the order in which they are written; nil selects all that an export
// without a choice has.
func choose(x *catalog, wanted []string) ([]*source, error) {
	available := slices.Concat(sources(), privateSources(x))
	if wanted == nil {
		return slices.DeleteFunc(available, func(s *source) bool { return s.occurs != nil && !s.occurs(x) }), nil
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(available, func(s *source) bool { return s.Name == name }) {
			return nil, fmt.Errorf("there is no table %q", name)
		}
	}
	return slices.DeleteFunc(available, func(s *source) bool { return !slices.Contains(wanted, s.Name) }), nil
}
