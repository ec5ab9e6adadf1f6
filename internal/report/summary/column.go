package summary

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Column describes a column of an answer that is a table.
type Column struct {
	// Name is the column's name in JSON and CSV, "" for a column of text alone.
	Name string
	// Type is integer, number, string or array (of integers), Unit the unit of numbers. A column with Null has no value in some rows.
	Type, Unit string
	Null       bool
	// Doc is the meaning of the values.
	Doc string
	// With is the option that the column needs, "" for a column that is always there.
	With string

	id bool // an id of a definition
}

// column is a column of a table with rows of type R.
type column[R comparable] struct {
	Column
	head  string // in text, "" for a column that text does not have
	right bool
	adds  bool // the values of all rows add up
	key   bool // the values tell rows apart
	fixed bool // the values say which row it is: they are the same in each interval of a series
	up    bool // numbers are ordered from the least up
	spare int  // columns of text that are left out where the width is too small, the highest first; 0 for one that stays
	value func(R) value
	text  func(R) string
}

// sortName returns the name of a column in the option Sort: its name in JSON without _ns and _ticks, region for region_name, and region_id
// for region.
func (c *Column) sortName() string {
	if name, ok := strings.CutSuffix(c.Name, "_name"); ok {
		return name
	}
	if c.id {
		return c.Name + "_id"
	}
	return strings.TrimSuffix(strings.TrimSuffix(c.Name, "_ns"), "_ticks")
}

// count is a column of numbers without a unit.
func count[R comparable](head, name, doc string, v func(R) uint64) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Doc: doc}, head: head, right: true, adds: true,
		value: func(r R) value { return countValue(v(r)) }, text: func(r R) string { return report.Grouped(v(r)) }}
}

// byteSum is a column of sums of bytes.
func byteSum[R comparable](head, name, doc string, v func(R) trace.Sum) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Unit: "bytes", Doc: doc}, head: head, right: true, adds: true,
		value: func(r R) value { return sumValue(v(r)) }, text: func(r R) string { return report.Size(uint64(v(r).Float())) }} // to four digits
}

// clock is the clock of a trace: its ticks per second.
type clock uint64

func (c clock) duration(ticks float64) string { return report.Duration(ticks / float64(max(c, 1))) }

// tickSum is a pair of columns with sums of ticks, in nanoseconds and in ticks; text shows the first as durations.
func tickSum[R comparable](head, name, doc string, c clock, v func(R) trace.Sum) []column[R] {
	return tickSumOrNull(head, name, doc, c, func(r R) (trace.Sum, bool) { return v(r), true }, false)
}

// tickSumOrNull is like tickSum, with sums that are null where ok is false.
func tickSumOrNull[R comparable](head, name, doc string, c clock, v func(R) (sum trace.Sum, ok bool), null bool) []column[R] {
	in := func(unit, doc string, convert func(trace.Sum) trace.Sum) column[R] {
		return column[R]{Column: Column{Name: name + "_" + unit, Type: "integer", Unit: unit, Null: null, Doc: doc}, right: true, adds: true, value: func(r R) value {
			if sum, ok := v(r); ok {
				return sumValue(convert(sum))
			}
			return value{}
		}}
	}
	ns := in("ns", doc, func(s trace.Sum) trace.Sum { return s.Nanoseconds(uint64(c)) })
	ns.head, ns.text = head, func(r R) string {
		sum, ok := v(r)
		if !ok {
			return "-"
		}
		return c.duration(sum.Float())
	}
	return []column[R]{ns, in("ticks", "the same", func(s trace.Sum) trace.Sum { return s })}
}

// ticks is a pair of columns with durations that may be fractions of a tick, and do not add up.
func ticks[R comparable](head, name, doc string, c clock, v func(R) (ticks float64, ok bool), null bool) []column[R] {
	in := func(unit, doc string, scale float64) column[R] {
		return column[R]{Column: Column{Name: name + "_" + unit, Type: "number", Unit: unit, Null: null, Doc: doc}, right: true, value: func(r R) value {
			if t, ok := v(r); ok {
				return floatValue(t * scale)
			}
			return value{}
		}}
	}
	ns := in("ns", doc, 1e9/float64(max(c, 1)))
	if c == 1e9 {
		ns = in("ns", doc, 1)
	}
	ns.head, ns.text = head, func(r R) string {
		t, ok := v(r)
		if !ok {
			return "-"
		}
		return c.duration(t)
	}
	return []column[R]{ns, in("ticks", "the same", 1)}
}

// share is a column of parts of 1.
func share[R comparable](head, name, doc string, v func(R) float64) column[R] {
	return column[R]{Column: Column{Name: name, Type: "number", Doc: doc}, head: head, right: true, adds: true,
		value: func(r R) value { return floatValue(v(r)) }, text: func(r R) string { return percent(v(r)) }}
}

func percent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// part returns a part of a whole; 0 of nothing.
func part(v, whole trace.Sum) float64 {
	if whole == (trace.Sum{}) {
		return 0
	}
	return v.Float() / whole.Float()
}

// id is a column of ids of definitions, which are null where undefined. Text does not have it.
func id[R comparable](name, doc string, v func(R) uint64) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Null: true, Doc: doc, id: true}, key: true, fixed: true, up: true,
		value: func(r R) value { return idValue(v(r)) }}
}

// number is a column of numbers that rows are told apart by, null where ok is false. Text does not have it.
func number[R comparable](name, doc string, v func(R) (n int64, ok bool)) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Null: true, Doc: doc}, fixed: true, up: true, value: func(r R) value {
		if n, ok := v(r); ok {
			return sumValue(trace.SumOf(n))
		}
		return value{}
	}}
}

// named is a column with the names of definitions, null for those without. Text shows something in any case.
func named[R comparable](head, name, doc string, v func(R) *string, text func(R) string) column[R] {
	return column[R]{Column: Column{Name: name, Type: "string", Null: true, Doc: doc}, head: head, fixed: true, text: func(r R) string { return report.Cell(text(r)) },
		value: func(r R) value {
			if s := v(r); s != nil {
				return textValue(*s)
			}
			return value{}
		}}
}

// rankOf returns the rank of a place, -1 for none.
func rankOf(p *trace.Place) int64 {
	if p == nil {
		return -1
	}
	return p.Rank
}

// alone returns columns whose values do not add up.
func alone[R comparable](list ...column[R]) []column[R] {
	for i := range list {
		list[i].adds = false
	}
	return list
}

// spare returns columns that text leaves out where the width is too small, those of the highest order first.
func spare[R comparable](order int, list ...column[R]) []column[R] {
	for i := range list {
		list[i].spare = order
	}
	return list
}

// with returns columns that an option brings.
func with[R comparable](option string, list ...column[R]) []column[R] {
	for i := range list {
		list[i].With = option
	}
	return list
}
