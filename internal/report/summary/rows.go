package summary

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
)

// rows is a table with rows of any type.
type rows interface {
	schema() []Column
	sortBy(column string) error
	cut(n int)
	choose(columns []string) error
	size() int
	follow(n int, each func(i int) (rows, interval, error)) error
	curves(n int) (list []draw.Curve, of Column)
	writeText(w io.Writer, by string, width int)
	writeCSV(w io.Writer) error
	writeJSON(w *bufio.Writer) error
}

// pointers returns pointers to the rows of a list.
func pointers[T any](list []T) []*T {
	to := make([]*T, len(list))
	for i := range list {
		to[i] = &list[i]
	}
	return to
}

// rowsOf is a table with rows of type R. It is a pointer, so that the compiler makes one program of the tables of all types.
type rowsOf[R comparable] struct {
	columns []column[R]
	chosen  []chosenColumn[R] // those that are shown; nil for all
	rows    []R
	total   R            // the sum of all rows; nil if there is none
	order   string       // the column to sort by if the question names none; "" for the order of the rows
	shown   string       // the column that a series shows in text, if the question names none; "" for order
	left    int          // rows that are left out
	series  []step[R]    // the intervals of a series
	picture func(*paper) // text instead of a table; nil for a table
	limit   int          // the largest number of rows; 0 for no limit
}

// paper is where text goes: how wide it may be in characters, and how many lines a table may have; 0 for both is no limit.
type paper struct {
	io.Writer
	width, lines int
}

// hasTotal reports whether there is a sum of all rows.
func (t *rowsOf[R]) hasTotal() bool {
	var none R
	return t.total != none
}

func (t *rowsOf[R]) schema() (list []Column) {
	for i := range t.columns {
		list = append(list, t.columns[i].Column)
	}
	return list
}

func (t *rowsOf[R]) size() int { return len(t.rows) }

// sortBy orders the rows by a column, "" for the usual one: numbers from the largest down, ids and ranks from the least up, texts up, equal
// ones as they are.
func (t *rowsOf[R]) sortBy(name string) error {
	if name = cmp.Or(name, t.order); name == "" {
		return nil
	}
	at := t.column(name)
	if at < 0 {
		return &report.ColumnError{Name: name, Columns: sortNames(t.schema())}
	}
	t.order = name
	t.permute(t.ordered(at))
	return nil
}

// ordered returns the order of the rows by the values of a column.
func (t *rowsOf[R]) ordered(column int) []int32 {
	c := &t.columns[column]
	values, order := make([]value, len(t.rows)), make([]int32, len(t.rows))
	for i := range t.rows {
		values[i], order[i] = c.value(t.rows[i]), int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &values[a], &values[b]
		if c.up && x.kind == integer && y.kind == integer {
			x, y = y, x
		}
		return cmp.Or(x.compare(y), cmp.Compare(a, b))
	})
	return order
}

// permute puts the rows in an order of their places.
func (t *rowsOf[R]) permute(order []int32) {
	sorted := make([]R, len(order))
	for i, from := range order {
		sorted[i] = t.rows[from]
	}
	t.rows = sorted
}

// column returns the place of a column by its name for sorting, -1 if there is none.
func (t *rowsOf[R]) column(name string) int {
	return slices.IndexFunc(t.columns, func(c column[R]) bool { return c.sortName() == name })
}

// cut leaves out all but the first n rows; 0 leaves out none.
func (t *rowsOf[R]) cut(n int) {
	t.limit = n
	if n > 0 && n < len(t.rows) {
		t.left = len(t.rows) - n
		t.rows = t.rows[:n]
	}
}

// writeText writes the table with its total. A row is one of the things in by.
func (t *rowsOf[R]) writeText(w io.Writer, by string, width int) {
	if len(t.rows) == 0 {
		fmt.Fprintln(w, "nothing to add up")
		return
	}
	if t.picture != nil && len(t.series) == 0 && t.chosen == nil {
		t.picture(&paper{w, width, t.limit})
		return
	}
	t.writeTable(w, width)
	if t.left > 0 {
		fmt.Fprintf(w, "… more follow: %s by %s (--limit %d)\n", report.Plural(t.left, "line", "lines"), by, len(t.rows))
	}
}

// cellsAtHand is how many cells of a table of text may be in memory at once.
const cellsAtHand = 1 << 16

// textColumn is a column of a table of text.
type textColumn[R comparable] struct {
	*column[R]
	text func(i int) string // of row i
}

func (t *rowsOf[R]) writeTable(w io.Writer, width int) {
	columns := t.textColumns(width)
	heads, right := make([]string, len(columns)), make([]bool, len(columns))
	for i, c := range columns {
		heads[i], right[i] = c.head, c.right
	}
	all := cells(columns, len(t.rows))
	if len(columns)*len(t.rows) <= cellsAtHand { // the table is gone through twice
		all = slices.Values(slices.Collect(func(yield func([]string) bool) {
			for row := range all {
				if !yield(slices.Clone(row)) {
					return
				}
			}
		}))
	}
	parts := []iter.Seq[[]string]{all}
	if t.hasTotal() {
		parts = append(parts, slices.Values([][]string{t.totalCells(columns)}))
	}
	report.WriteTable(w, heads, right, parts...)
}

// textColumns returns the columns of text that fit into a width.
func (t *rowsOf[R]) textColumns(width int) (list []textColumn[R]) {
	for _, c := range t.shownColumns() {
		if c.head != "" {
			list = append(list, textColumn[R]{c.column, func(i int) string { return c.text(t.rows[i]) }})
		}
	}
	if len(t.series) > 0 {
		list = append(list, t.seriesColumns(width)...)
	}
	if width <= 0 {
		return list
	}
	widths, all := map[string]int{}, 0
	for _, c := range list {
		n := utf8.RuneCountInString(c.head)
		for i := range t.rows {
			n = max(n, utf8.RuneCountInString(c.text(i)))
		}
		widths[c.head+c.Name] = n + 2
		all += n + 2
	}
	for all-2 > width {
		worst := slices.MaxFunc(list, func(a, b textColumn[R]) int { return cmp.Compare(a.spare, b.spare) }).spare
		if worst == 0 {
			break
		}
		list = slices.DeleteFunc(list, func(c textColumn[R]) bool {
			if c.spare == worst {
				all -= widths[c.head+c.Name]
			}
			return c.spare == worst
		})
	}
	return list
}

// cells yields the cells of each row as text. A row is valid until the next one.
func cells[R comparable](columns []textColumn[R], rows int) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		row := make([]string, len(columns))
		for i := range rows {
			for j, c := range columns {
				row[j] = c.text(i)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// totalCells returns the cells of the total as text, with the word total in the first column of names.
func (t *rowsOf[R]) totalCells(columns []textColumn[R]) (row []string) {
	word := "total"
	for _, c := range columns {
		switch {
		case c.adds:
			row = append(row, c.column.text(t.total))
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
	w.WriteString(`"rows":[`)
	line, between := []byte(nil), "\n"
	for row := range t.lines(true) {
		line = append(append(line[:0], between...), '{')
		for i, c := range row {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(append(line, '"'), c.name...), `":`...)
			line = c.value.appendJSON(line)
		}
		if _, err := w.Write(append(line, '}')); err != nil {
			return err
		}
		between = ",\n"
	}
	if between != "\n" {
		w.WriteByte('\n')
	}
	total := []byte("null")
	if t.hasTotal() {
		total = t.appendTotal(nil)
	}
	_, err := fmt.Fprintf(w, `],"total":%s,"omitted_rows":%d`, total, t.left)
	return err
}

// appendTotal appends the JSON object of the total.
func (t *rowsOf[R]) appendTotal(dst []byte) []byte {
	dst, between := append(dst, '{'), ""
	for _, c := range t.shownColumns() {
		if c.adds {
			dst = append(append(append(append(dst, between...), '"'), c.Name...), `":`...)
			v := c.value(t.total)
			dst, between = v.appendJSON(dst), ","
		}
	}
	return append(dst, '}')
}

// field is a value of a line with the name of its column.
type field struct {
	name  string
	value value
}

// lines yields the lines of the answer for programs: the rows, or those of each interval of a series. A line is valid until the next
// one. Lines without values, as for a head, have the names of the columns alone.
func (t *rowsOf[R]) lines(values bool) iter.Seq[[]field] {
	return func(yield func([]field) bool) {
		if len(t.series) > 0 {
			t.seriesLines(values, yield)
			return
		}
		columns := t.shownColumns()
		line := make([]field, len(columns))
		for i, c := range columns {
			line[i].name = c.Name
		}
		if !values {
			yield(line)
			return
		}
		for i := range t.rows {
			for j, c := range columns {
				line[j].value = c.value(t.rows[i])
			}
			if !yield(line) {
				return
			}
		}
	}
}

// writeCSV writes a line with the names of columns, and a line for each row.
func (t *rowsOf[R]) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var record []string
	for line := range t.lines(false) {
		for _, f := range line {
			record = append(record, f.name)
		}
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for line := range t.lines(true) {
		for i := range line {
			record[i] = string(line[i].value.appendText(nil))
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
