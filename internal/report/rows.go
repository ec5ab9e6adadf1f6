package report

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Column describes a column of an answer that is a table.
type Column struct {
	// Name is the column's name in JSON and CSV, "" for a column of text alone.
	Name string
	// Type is integer, number or string, Unit the unit of numbers. A column with Null has no value in some rows.
	Type, Unit string
	Null       bool
	// Doc is the meaning of the values.
	Doc string
}

// column is a column of a table with rows of type R.
type column[R any] struct {
	Column
	head  string // in text, "" for a column that text does not have
	right bool
	adds  bool // the values of all rows add up
	value func(*R) value
	text  func(*R) string
}

// count is a column of numbers without a unit.
func count[R any](head, name, doc string, v func(*R) uint64) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Doc: doc}, head: head, right: true, adds: true,
		value: func(r *R) value { return countValue(v(r)) }, text: func(r *R) string { return Grouped(v(r)) }}
}

// byteSum is a column of sums of bytes.
func byteSum[R any](head, name, doc string, v func(*R) trace.Sum) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Unit: "bytes", Doc: doc}, head: head, right: true, adds: true,
		value: func(r *R) value { return sumValue(v(r)) }, text: func(r *R) string { return Size(uint64(v(r).Float())) }} // to four digits
}

// tickSum is a column of sums of ticks, which text shows as durations.
func tickSum[R any](head, name, doc string, c *clock, v func(*R) trace.Sum) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Unit: "ticks", Doc: doc}, head: head, right: true, adds: true,
		value: func(r *R) value { return sumValue(v(r)) }, text: func(r *R) string { return sumSeconds(v(r), c) }}
}

// share is a column of parts of 1.
func share[R any](head, name, doc string, v func(*R) float64) column[R] {
	return column[R]{Column: Column{Name: name, Type: "number", Doc: doc}, head: head, right: true, adds: true,
		value: func(r *R) value { return floatValue(v(r)) }, text: func(r *R) string { return fmt.Sprintf("%.1f %%", 100*v(r)) }}
}

// id is a column of ids of definitions, which are null where undefined. Text does not have it.
func id[R any](name, doc string, v func(*R) uint64) column[R] {
	return column[R]{Column: Column{Name: name, Type: "integer", Null: true, Doc: doc}, value: func(r *R) value { return idValue(v(r)) }}
}

// named is a column with the names of definitions, null for those without. Text shows something in any case.
func named[R any](head, name, doc string, v func(*R) *string, text func(*R) string) column[R] {
	return column[R]{Column: Column{Name: name, Type: "string", Null: true, Doc: doc}, head: head, text: func(r *R) string { return cell(text(r)) },
		value: func(r *R) value {
			if s := v(r); s != nil {
				return textValue(*s)
			}
			return value{}
		}}
}

// alone returns a column whose values do not add up.
func (c column[R]) alone() column[R] {
	c.adds = false
	return c
}

// rows is a table with rows of any type.
type rows interface {
	schema() []Column
	sortBy(column string) error
	cut(n int)
	choose(columns []string) error
	writeText(w io.Writer, by string)
	writeCSV(w io.Writer) error
	writeJSON(w *bufio.Writer) error
}

// rowsOf is a table with rows of type R.
type rowsOf[R any] struct {
	columns []column[R]
	rows    []R
	total   *R     // the sum of all rows; nil if there is none
	order   string // the column to sort by if the question names none; "" for the order of the rows
	left    int    // rows that are left out
}

func (t *rowsOf[R]) schema() (list []Column) {
	for i := range t.columns {
		list = append(list, t.columns[i].Column)
	}
	return list
}

// sortName returns the name of a column in the option Sort: its name in JSON without _ticks, region for region_name, and region_id for
// region.
func (c *Column) sortName() string {
	if name, ok := strings.CutSuffix(c.Name, "_name"); ok {
		return name
	}
	if c.Type == "integer" && c.Null {
		return c.Name + "_id"
	}
	return strings.TrimSuffix(c.Name, "_ticks")
}

// sortBy orders the rows by a column, "" for the usual one: numbers from the largest down, texts up, equal ones as they are.
func (t *rowsOf[R]) sortBy(name string) error {
	if name = cmp.Or(name, t.order); name == "" {
		return nil
	}
	at := slices.IndexFunc(t.columns, func(c column[R]) bool { return c.sortName() == name })
	if at < 0 {
		return &ColumnError{Name: name, Columns: sortNames(t.schema())}
	}
	of := t.columns[at].value
	slices.SortStableFunc(t.rows, func(a, b R) int {
		x, y := of(&a), of(&b)
		return x.compare(&y)
	})
	return nil
}

// choose leaves out all columns but those of the given names, in their order; none leaves out none. A name is that in JSON, or that in the
// option Sort.
func (t *rowsOf[R]) choose(wanted []string) error {
	if len(wanted) == 0 {
		return nil
	}
	var chosen []column[R]
	for _, name := range wanted {
		at := slices.IndexFunc(t.columns, func(c column[R]) bool { return c.Name == name })
		if at < 0 {
			at = slices.IndexFunc(t.columns, func(c column[R]) bool { return c.sortName() == name })
		}
		if at < 0 {
			return &ColumnError{Name: name, Columns: columnNames(t.schema())}
		}
		c := t.columns[at]
		if slices.ContainsFunc(chosen, func(o column[R]) bool { return o.Name == c.Name }) {
			return &ColumnError{Name: name, Twice: true}
		}
		if c.head == "" { // text has it only if it is chosen
			c.head, c.text = c.Name, func(r *R) string {
				v := c.value(r)
				return Printable(string(v.appendText(nil)))
			}
			c.right = c.Type != "string"
		}
		chosen = append(chosen, c)
	}
	t.columns = chosen
	return nil
}

// sortNames lists the names of columns in the option Sort.
func sortNames(columns []Column) (names []string) {
	for i := range columns {
		names = append(names, columns[i].sortName())
	}
	return names
}

// columnNames lists the names of columns in JSON.
func columnNames(columns []Column) (names []string) {
	for i := range columns {
		names = append(names, columns[i].Name)
	}
	return names
}

// SummaryColumnNames lists the columns of a kind of rows as the option Columns names them, SummarySortNames as the option Sort does.
func SummaryColumnNames(by string) []string { return columnNames(SummaryColumns(by)) }

// SummarySortNames: see [SummaryColumnNames].
func SummarySortNames(by string) []string { return sortNames(SummaryColumns(by)) }

// cut leaves out all but the first n rows; 0 leaves out none.
func (t *rowsOf[R]) cut(n int) {
	if n > 0 && n < len(t.rows) {
		t.left = len(t.rows) - n
		t.rows = t.rows[:n]
	}
}

// writeText writes the table with its total. A row is one of the things in by.
func (t *rowsOf[R]) writeText(w io.Writer, by string) {
	if len(t.rows) == 0 {
		fmt.Fprintln(w, "nothing to add up")
		return
	}
	var heads []string
	var right []bool
	for i := range t.columns {
		if c := &t.columns[i]; c.head != "" {
			heads, right = append(heads, c.head), append(right, c.right)
		}
	}
	parts := []iter.Seq[[]string]{t.cells(len(heads))}
	if t.total != nil {
		parts = append(parts, slices.Values([][]string{t.totalCells()}))
	}
	writeTable(w, heads, right, parts...)
	if t.left > 0 {
		fmt.Fprintf(w, "… more follow: %s by %s (--limit %d)\n", Plural(t.left, "line", "lines"), by, len(t.rows))
	}
}

// cells yields the cells of each row as text. A row is valid until the next one.
func (t *rowsOf[R]) cells(n int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		row := make([]string, 0, n)
		for i := range t.rows {
			row = row[:0]
			for j := range t.columns {
				if c := &t.columns[j]; c.head != "" {
					row = append(row, c.text(&t.rows[i]))
				}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// totalCells returns the cells of the total as text, with the word total in the first column of names.
func (t *rowsOf[R]) totalCells() (row []string) {
	word := "total"
	for i := range t.columns {
		switch c := &t.columns[i]; {
		case c.head == "":
		case c.adds:
			row = append(row, c.text(t.total))
		case !c.right:
			row = append(row, word)
			word = ""
		default:
			row = append(row, "")
		}
	}
	return row
}

// writeJSON writes the members of a JSON object: rows, an object a line; total, the values that add up, or null; and omitted_rows.
func (t *rowsOf[R]) writeJSON(w *bufio.Writer) error {
	all := func(*column[R]) bool { return true }
	w.WriteString(`"rows":[`)
	var line []byte
	for i := range t.rows {
		line = append(t.appendRow(append(line[:0], '\n'), &t.rows[i], all), ',')
		if i == len(t.rows)-1 {
			line[len(line)-1] = '\n'
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	total := []byte("null")
	if t.total != nil {
		total = t.appendRow(nil, t.total, func(c *column[R]) bool { return c.adds })
	}
	_, err := fmt.Fprintf(w, `],"total":%s,"omitted_rows":%d`, total, t.left)
	return err
}

// appendRow appends the JSON object of a row with some of the columns.
func (t *rowsOf[R]) appendRow(dst []byte, row *R, has func(*column[R]) bool) []byte {
	before := byte('{')
	for i := range t.columns {
		if c := &t.columns[i]; has(c) {
			dst = append(append(append(dst, before, '"'), c.Name...), `":`...)
			v := c.value(row)
			dst, before = v.appendJSON(dst), ','
		}
	}
	return append(dst, '}')
}

// writeCSV writes a line with the names of columns, and a line for each row.
func (t *rowsOf[R]) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	record := make([]string, len(t.columns))
	for i := range t.columns {
		record[i] = t.columns[i].Name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for i := range t.rows {
		for j := range t.columns {
			v := t.columns[j].value(&t.rows[i])
			record[j] = string(v.appendText(nil))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// value is a value in a row of an answer. The zero value is null.
type value struct {
	kind   valueKind
	number trace.Sum       // of an integer; the word of a metric value in Lo
	float  float64         // of a float
	text   string          // of a text
	typ    trace.ValueType // of a metric value
}

type valueKind uint8

const (
	null valueKind = iota
	integer
	float
	name
	metric
)

func countValue(n uint64) value  { return value{kind: integer, number: trace.Sum{Lo: n}} }
func sumValue(s trace.Sum) value { return value{kind: integer, number: s} }
func floatValue(f float64) value { return value{kind: float, float: f} }
func textValue(s string) value   { return value{kind: name, text: s} }
func metricOf(t trace.ValueType, word uint64) value {
	return value{kind: metric, typ: t, number: trace.Sum{Lo: word}}
}

// idValue returns an id, null for an undefined one.
func idValue(id uint64) value {
	if undefined(id) {
		return value{}
	}
	return countValue(id)
}

// asFloat returns a number, rounded.
func (v *value) asFloat() float64 {
	switch v.kind {
	case integer:
		if v.number.Hi == 0 {
			return float64(v.number.Lo)
		}
		return v.number.Float()
	case float:
		return v.float
	case metric:
		return v.typ.Float(v.number.Lo)
	}
	return 0
}

// compare orders the values of one column: numbers from the largest down, texts up, null last.
func (v *value) compare(o *value) int {
	switch {
	case v.kind == null || o.kind == null:
		return cmp.Compare(b2i(v.kind == null), b2i(o.kind == null))
	case v.kind == integer && o.kind == integer:
		return o.number.Cmp(v.number)
	case v.kind == name && o.kind == name:
		return cmp.Compare(v.text, o.text)
	}
	return cmp.Compare(o.asFloat(), v.asFloat())
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// appendText appends a value for CSV, nothing for null.
func (v *value) appendText(dst []byte) []byte {
	switch v.kind {
	case integer:
		if v.number.Hi == 0 {
			return strconv.AppendUint(dst, v.number.Lo, 10)
		}
		return append(dst, v.number.String()...)
	case float:
		return appendFloat(dst, v.float)
	case name:
		return append(dst, v.text...)
	case metric:
		return append(dst, v.typ.Format(v.number.Lo)...)
	}
	return dst
}

// appendFloat appends a number with all its digits, in the form that JSON has in other programs: without an exponent where it is near 1.
func appendFloat(dst []byte, f float64) []byte {
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendJSON appends a value as JSON. JSON has no number for infinity and for what is not a number: they become null.
func (v *value) appendJSON(dst []byte) []byte {
	switch v.kind {
	case null:
		return append(dst, "null"...)
	case name:
		return appendJSONString(dst, v.text)
	case float, metric:
		if f := v.asFloat(); math.IsInf(f, 0) || math.IsNaN(f) {
			return append(dst, "null"...)
		}
	}
	return v.appendText(dst)
}
