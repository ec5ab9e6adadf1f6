package content

import (
	"fmt"
	"iter"
	"math"
	"strings"
	"unicode"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// definitionRow is a definition or, if the kind has a repeated group, one of the group's members.
type definitionRow struct {
	*trace.Record
	count  int // of members
	member int // -1 if there are none
}

// tableNames are the names of tables that do not follow from the name of the kind.
var tableNames = map[trace.Kind]string{
	trace.KindSystemTreeNode: "system_tree",
	trace.KindMetricClass:    "metric_classes",
	trace.KindParameter:      "parameter_definitions", // parameters are the values
}

// commonKinds are the kinds whose tables are part of every export.
var commonKinds = map[trace.Kind]bool{
	trace.KindRegion: true, trace.KindLocationGroup: true, trace.KindSystemTreeNode: true, trace.KindGroup: true,
	trace.KindString: true, trace.KindAttribute: true, trace.KindMetricMember: true, trace.KindMetricClass: true,
	trace.KindParameter: true, trace.KindCallingContext: true,
}

// isDefinition reports whether a kind of the standard table belongs to the log of definitions.
func isDefinition(k trace.Kind) bool {
	return k >= trace.KindUnknownDefinition && k < trace.KindMappingTable
}

var _ = table.DeclareAll(1000, func() (list []*table.Table) {
	for _, spec := range trace.Standard.All() {
		if isDefinition(spec.ID) && spec.ID != trace.KindLocation && spec.ID != trace.KindComm && spec.ID != trace.KindInterComm {
			list = append(list, definitionTable(spec))
		}
	}
	return list
})

// Private returns the tables of kinds of definitions that only this trace has.
func Private(x *table.Catalog) (list []*table.Table) {
	seen := map[trace.Kind]bool{}
	for i := range x.Definitions.Log {
		k := x.Definitions.Log[i].Kind
		if spec := x.Kinds.Spec(k); trace.Standard.Spec(k) == nil && spec != nil && !seen[k] {
			list = append(list, definitionTable(spec))
		}
		seen[k] = true
	}
	return list
}

// definitionTable is the table of a kind of definition; its columns are the kind's fields.
func definitionTable(spec *trace.Spec) *table.Table {
	t := table.Schema{Name: tableName(spec), Doc: "One row for each definition " + spec.Name + "."}
	before, group, _ := spec.Shape()
	if group > 0 {
		t.Doc = fmt.Sprintf("One row for each member of each definition %s; a definition without members has one row with none.", spec.Name)
	}
	var columns []table.ColumnOf[definitionRow]
	for i := range spec.Fields {
		if group > 0 && i == before {
			columns = append(columns, table.NumberOrNull("position", "", "place of the member in the definition, from 0",
				func(_ *table.Catalog, r *definitionRow) (int64, bool) { return int64(r.member), r.member >= 0 }))
		}
		columns = append(columns, definitionColumns(spec, i)...)
	}
	s := table.FromList(t, columns, func(x *table.Catalog) iter.Seq[definitionRow] { return definitionRows(x, spec) })
	if !commonKinds[spec.ID] {
		s.Occurs = func(x *table.Catalog) bool {
			for range x.Defined(spec.ID) {
				return true
			}
			return false
		}
	}
	return s
}

// tableName makes a plural of the kind's name.
func tableName(spec *trace.Spec) string {
	name, ok := tableNames[spec.ID]
	if ok {
		return name
	}
	name = snake(spec.Name)
	switch stem, y := strings.CutSuffix(name, "y"); {
	case y && !strings.HasSuffix(stem, "e"): // key, keys
		return stem + "ies"
	case strings.HasSuffix(name, "s"):
		return name
	default:
		return name + "s"
	}
}

// snake turns a name like numberOfEvents into number_of_events.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// singular undoes a plural: a row has one member of a repeated group.
func singular(name string) string {
	if stem, ok := strings.CutSuffix(name, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(name, "s")
}

// definitionColumns are the columns of a field: its value, and the name of what it refers to.
func definitionColumns(spec *trace.Spec, i int) []table.ColumnOf[definitionRow] {
	f := &spec.Fields[i]
	name := snake(f.Name)
	if f.Repeat {
		name = singular(name)
	}
	doc := strings.ReplaceAll(name, "_", " ")
	word := wordOf(spec, i)
	switch f.Type {
	case trace.TypeSelf:
		return []table.ColumnOf[definitionRow]{integerColumn("id", "id of the definition", f, word)}
	case trace.TypeRef:
		return referenceColumns(name, doc, f, word)
	case trace.TypeNumber, trace.TypeCount, trace.TypeSigned, trace.TypeTime, trace.TypeDuration, trace.TypeRank:
		return []table.ColumnOf[definitionRow]{integerColumn(name, doc, f, word)}
	case trace.TypeDouble:
		return []table.ColumnOf[definitionRow]{table.Real(name, "", doc, func(_ *table.Catalog, r *definitionRow) (float64, bool) {
			w, ok := word(r)
			return math.Float64frombits(w), ok
		})}
	default:
		return []table.ColumnOf[definitionRow]{textColumn(name, doc, f, word, wordOf(spec, i-1))}
	}
}

// wordOf returns the way to the word of a field; ok is false where a row has no member of the repeated group.
func wordOf(spec *trace.Spec, field int) func(*definitionRow) (word uint64, ok bool) {
	before, group, _ := spec.Shape()
	return func(r *definitionRow) (uint64, bool) {
		switch {
		case field < 0:
			return 0, false
		case field < before:
			return r.Words[field], true
		case field >= before+group:
			return r.Words[field+(r.count-1)*group], true
		case r.member < 0:
			return 0, false
		default:
			return r.Words[field+r.member*group], true
		}
	}
}

func integerColumn(name, doc string, f *trace.Field, word func(*definitionRow) (uint64, bool)) table.ColumnOf[definitionRow] {
	isID := f.Type == trace.TypeRef || f.Type == trace.TypeRank
	if !isID && !f.Repeat {
		return table.Number(name, "", doc, func(_ *table.Catalog, r *definitionRow) int64 { w, _ := word(r); return int64(w) })
	}
	return table.NumberOrNull(name, "", doc, func(_ *table.Catalog, r *definitionRow) (int64, bool) {
		w, ok := word(r)
		return int64(w), ok && !(isID && f.Undefined(w))
	})
}

// referenceColumns show a string itself, any other definition by its id and, if its kind has names, its name.
func referenceColumns(name, doc string, f *trace.Field, word func(*definitionRow) (uint64, bool)) []table.ColumnOf[definitionRow] {
	nameOf := func(x *table.Catalog, r *definitionRow, dst []byte) ([]byte, bool) {
		w, ok := word(r)
		if !ok || f.Undefined(w) {
			return dst, false
		}
		s := x.Definitions.Name(f.Ref, w)
		return table.AppendValid(dst, s), s != ""
	}
	if f.Ref == trace.SpaceString {
		return []table.ColumnOf[definitionRow]{table.String(name, doc, nameOf)}
	}
	tables, named := spaceTables(f.Ref)
	columns := []table.ColumnOf[definitionRow]{integerColumn(name, "id in "+tables, f, word)}
	if named {
		columns = append(columns, table.String(name+"_name", "its name", nameOf))
	}
	return columns
}

// spaceTables returns the names of the tables of definitions that share a space of ids, and whether these have names.
func spaceTables(space trace.Space) (tables string, named bool) {
	switch space {
	case trace.SpaceLocation:
		return "`locations`", true
	case trace.SpaceComm:
		return "`communicators`", true
	}
	var list []string
	for _, spec := range trace.Standard.All() {
		if self := spec.Field("self"); isDefinition(spec.ID) && self >= 0 && spec.Fields[self].Ref == space {
			list = append(list, "`"+tableName(spec)+"`")
			named = named || spec.Field("name") >= 0
		}
	}
	return strings.Join(list, " or "), named || space == trace.SpaceCallingContext // these have the names of their regions
}

// textColumn is the column of a field that is no number. before is the way to the word before, which says the type of
// a value.
func textColumn(name, doc string, f *trace.Field, word, before func(*definitionRow) (uint64, bool)) table.ColumnOf[definitionRow] {
	switch f.Type {
	case trace.TypeEnum:
		doc = "name of the " + f.Enum.Name
	case trace.TypeFlags:
		doc = "names of the bits of " + f.Enum.Name + " that are set, `A|B`"
	case trace.TypeCode:
		doc = "type of the value (`INT64`, `STRING`, ...)"
	case trace.TypeValue:
		doc = "the value as text; a string itself, other references as ids"
	case trace.TypeBytes:
		doc += ", in hexadecimal"
	}
	return table.String(name, doc, func(x *table.Catalog, r *definitionRow, dst []byte) ([]byte, bool) {
		w, ok := word(r)
		if !ok {
			return dst, false
		}
		code, _ := before(r)
		return appendText(x, dst, r.Record, f, w, trace.ValueType(code))
	})
}

// appendText appends the word of a field that is no number; t is the type of a value.
func appendText(x *table.Catalog, dst []byte, r *trace.Record, f *trace.Field, word uint64, t trace.ValueType) ([]byte, bool) {
	switch f.Type {
	case trace.TypeEnum:
		return append(dst, f.Enum.Format(word)...), true
	case trace.TypeFlags:
		return append(dst, f.Enum.FormatFlags(word)...), true
	case trace.TypeCode:
		return append(dst, trace.ValueType(word).String()...), true
	case trace.TypeBytes:
		return fmt.Appendf(dst, "%x", r.TextOf(word)), true
	case trace.TypeText:
		return table.AppendValid(dst, r.TextOf(word)), true
	}
	if t != trace.ValueString {
		return append(dst, t.Format(word)...), true
	}
	s, ok := x.Definitions.Strings[word]
	return table.AppendValid(dst, s), ok
}

func definitionRows(x *table.Catalog, spec *trace.Spec) iter.Seq[definitionRow] {
	return func(yield func(definitionRow) bool) {
		_, group, _ := spec.Shape()
		for d := range x.Defined(spec.ID) {
			n, _ := spec.Count(d.Words)
			r := definitionRow{Record: d, count: n, member: -1}
			if group == 0 {
				r.count = 1 // so that fields stand where the specification has them
			}
			for more := true; more; more = r.member+1 < n {
				if n > 0 {
					r.member++
				}
				if !yield(r) {
					return
				}
			}
		}
	}
}
