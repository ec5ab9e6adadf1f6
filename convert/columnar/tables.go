package columnar

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// sources are all tables, in the order in which they are written. They are made when they are asked for: that takes longer than
// anything else of the program's start.
var sources = sync.OnceValue(allSources)

func allSources() []*source {
	list := []*source{
		callTable, messageTable, collectiveTable, collectiveRankTable, eventTable, metricTable, parameterTable, ioTable, pipitTable,
		locationTable, communicatorTable,
	}
	for _, spec := range trace.Standard.All() {
		if isDefinition(spec.ID) && spec.ID != trace.KindLocation && spec.ID != trace.KindComm && spec.ID != trace.KindInterComm {
			list = append(list, definitionTable(spec))
		}
	}
	return list
}

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

// choose returns the tables of the given names, in the order in which they are written; nil means all that an export
// without a choice has.
func (x *catalog) choose(wanted []string) ([]*source, error) {
	available := slices.Concat(sources(), x.privateSources())
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

// privateSources are the tables of kinds of definitions that only this trace has.
func (x *catalog) privateSources() []*source {
	var list []*source
	seen := map[trace.Kind]bool{}
	for i := range x.definitions.Log {
		k := x.definitions.Log[i].Kind
		if spec := x.kinds.Spec(k); trace.Standard.Spec(k) == nil && spec != nil && !seen[k] {
			list = append(list, definitionTable(spec))
		}
		seen[k] = true
	}
	return list
}
