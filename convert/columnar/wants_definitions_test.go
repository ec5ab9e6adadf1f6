package columnar

import (
	"encoding/hex"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// words splits a name like numberOfEvents.
var words = regexp.MustCompile("[A-Z]?[a-z]+")

func inWords(name string) string {
	return strings.ToLower(strings.Join(words.FindAllString(name, -1), "_"))
}

// tableNameInWords is the name of a kind's table.
func tableNameInWords(kind string) string {
	special := map[string]string{
		"SystemTreeNode": "system_tree", "MetricClass": "metric_classes", "ClockProperties": "clock_properties",
		"IoDirectory": "io_directories", "Parameter": "parameter_definitions", "Location": "-", "Comm": "-", "InterComm": "-", "Metric": "-", "Collective": "-",
	}
	if name, ok := special[kind]; ok {
		return name
	}
	if stem, ok := strings.CutSuffix(inWords(kind), "_property"); ok {
		return stem + "_properties"
	}
	return inWords(kind) + "s"
}

// memberNames are the names of columns of repeated fields.
var memberNames = map[string]string{
	"members": "member", "metricMembers": "metric_member", "cartDimensions": "cart_dimension", "coordinates": "coordinate",
	"properties": "property", "types": "type", "values": "value", "methods": "method", "columns": "column",
}

// definitions are the rows of a kind's table.
func (w *wants) definitions(spec *trace.Spec) (rows []map[string]string) {
	seen := map[uint64]bool{}
	self := spec.Field("self")
	for i := range w.Definitions.Log {
		d := &w.Definitions.Log[i]
		if d.Kind != spec.ID || self >= 0 && seen[d.Words[self]] {
			continue
		}
		if self >= 0 {
			seen[d.Words[self]] = true
		}
		rows = append(rows, w.definition(spec, d)...)
	}
	return rows
}

// definition are the rows of one definition.
func (w *wants) definition(spec *trace.Spec, d *trace.Record) []map[string]string {
	all := map[string]string{}      // cells of all rows
	var members []map[string]string // cells of each member
	var before uint64
	spec.Walk(d.Words, func(i int, f *trace.Field, word uint64) {
		cells := all
		if f.Repeat {
			if f.Name == firstRepeated(spec) {
				members = append(members, map[string]string{"position": strconv.Itoa(len(members))})
			}
			cells = members[len(members)-1]
		}
		w.cellsOf(cells, f, word, before, d)
		before = word
	})
	if len(members) == 0 {
		members = append(members, map[string]string{})
		for _, f := range spec.Fields {
			if f.Repeat {
				w.noCells(members[0], &f)
				members[0]["position"] = null
			}
		}
	}
	for _, m := range members {
		for column, cell := range all {
			m[column] = cell
		}
	}
	return members
}

func firstRepeated(spec *trace.Spec) string {
	for _, f := range spec.Fields {
		if f.Repeat {
			return f.Name
		}
	}
	return ""
}

func columnOf(f *trace.Field) string {
	if name, ok := memberNames[f.Name]; ok && f.Repeat {
		return name
	}
	if f.Type == trace.TypeSelf {
		return "id"
	}
	return inWords(f.Name)
}

// hasNameColumn says of a reference whether what it refers to has a name of its own.
func hasNameColumn(f *trace.Field) bool {
	switch f.Ref {
	case trace.SpaceString, trace.SpaceSourceCodeLocation, trace.SpaceMetric, trace.SpaceCallpath, trace.SpaceCallsite:
		return false
	}
	return f.Type == trace.TypeRef
}

func (w *wants) noCells(cells map[string]string, f *trace.Field) {
	cells[columnOf(f)] = null
	if hasNameColumn(f) {
		cells[columnOf(f)+"_name"] = null
	}
}

// cellsOf adds the cells of one word.
func (w *wants) cellsOf(cells map[string]string, f *trace.Field, word, before uint64, d *trace.Record) {
	w.noCells(cells, f)
	column := columnOf(f)
	switch f.Type {
	case trace.TypeNumber, trace.TypeCount, trace.TypeSigned, trace.TypeSelf:
		cells[column] = integer(word)
	case trace.TypeDouble:
		cells[column] = formatDouble(math.Float64frombits(word))
	case trace.TypeEnum:
		cells[column] = f.Enum.Format(word)
	case trace.TypeFlags:
		cells[column] = f.Enum.FormatFlags(word)
	case trace.TypeCode:
		cells[column] = trace.ValueType(word).String()
	case trace.TypeText:
		cells[column] = valid(d.TextOf(word))
	case trace.TypeBytes:
		cells[column] = hex.EncodeToString([]byte(d.TextOf(word)))
	case trace.TypeValue:
		if s, ok := w.Definitions.Strings[word]; ok && before == uint64(trace.ValueString) {
			cells[column] = valid(s)
		} else if before != uint64(trace.ValueString) {
			cells[column] = trace.ValueType(before).Format(word)
		}
	default:
		if f.Type != trace.TypeTime && f.Undefined(word) {
			return
		}
		if f.Ref == trace.SpaceString {
			cells[column] = w.name(f.Ref, word)
			return
		}
		cells[column] = integer(word)
		if hasNameColumn(f) {
			cells[column+"_name"] = w.name(f.Ref, word)
		}
	}
}
