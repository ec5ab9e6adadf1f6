package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// sheet is a table for people or for programs.
type sheet struct {
	columns []sheetColumn
	lines   [][]any // by column: uint64, float64, trace.Sum or string; nil for nothing
	total   []any   // of all lines; nil if they do not add up
	order   string  // the column that tells the order; "" for the one that the lines have
	left    int     // lines that are left out
}

// sheetColumn is one column. People do not see those without a head, programs those without a key.
type sheetColumn struct {
	head, key string
	right     bool
	show      func(any) string
}

func count(head, key string) sheetColumn {
	return sheetColumn{head: head, key: key, right: true, show: func(v any) string { return grouped(v.(uint64)) }}
}

func bytesOf(head, key string) sheetColumn {
	return sheetColumn{head: head, key: key, right: true, show: func(v any) string {
		return size(uint64(v.(trace.Sum).Float())) // to four digits
	}}
}

func duration(head, key string, c *clock) sheetColumn {
	return sheetColumn{head: head, key: key, right: true, show: func(v any) string {
		return humanSeconds(number(v) / float64(c.Resolution))
	}}
}

func percentage(head, key string) sheetColumn {
	return sheetColumn{head: head, key: key, right: true, show: func(v any) string { return fmt.Sprintf("%.1f %%", 100*v.(float64)) }}
}

func label(head, key string) sheetColumn {
	return sheetColumn{head: head, key: key, show: func(v any) string { return cell(v.(string)) }}
}

// id is a column for programs only.
func id(key string) sheetColumn { return sheetColumn{key: key} }

// number returns a value as a float64, rounded.
func number(v any) float64 {
	switch v := v.(type) {
	case uint64:
		return float64(v)
	case trace.Sum:
		return v.Float()
	case float64:
		return v
	}
	return 0
}

// part returns a part of a whole; 0 of nothing.
func part(v, whole trace.Sum) float64 {
	if whole == (trace.Sum{}) {
		return 0
	}
	return v.Float() / whole.Float()
}

// sortName returns what a column is called when sorting by it: its key without the unit.
func (c *sheetColumn) sortName() string {
	return strings.TrimSuffix(c.key, "_ticks")
}

// sort orders the lines: numbers from the largest down, texts up, equal ones as they are.
func (r *sheet) sort() error {
	if r.order == "" {
		return nil
	}
	at := slices.IndexFunc(r.columns, func(c sheetColumn) bool { return c.sortName() == r.order })
	if at < 0 {
		return usagef("--sort %s: there are the columns %s", r.order, strings.Join(r.sortNames(), ", "))
	}
	slices.SortStableFunc(r.lines, func(a, b []any) int { return compareValues(a[at], b[at]) })
	return nil
}

func (r *sheet) sortNames() (names []string) {
	for i := range r.columns {
		names = append(names, r.columns[i].sortName())
	}
	return names
}

// compareValues compares values of one column; nothing comes last.
func compareValues(a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(b2i(a == nil), b2i(b == nil))
	}
	switch x := a.(type) {
	case uint64:
		return cmp.Compare(b.(uint64), x)
	case trace.Sum:
		if y, ok := b.(trace.Sum); ok {
			return y.Cmp(x)
		}
	case metricValue:
		return cmp.Compare(b.(metricValue).typ.Float(b.(metricValue).value), x.typ.Float(x.value))
	case string:
		return cmp.Compare(x, b.(string))
	}
	return cmp.Compare(number(b), number(a))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// cut leaves all but the first n lines out; 0 leaves nothing out.
func (r *sheet) cut(n int) {
	if n > 0 && n < len(r.lines) {
		r.left = len(r.lines) - n
		r.lines = r.lines[:n]
	}
}

// print writes the sheet for people. what is what there is one line for.
func (r *sheet) print(w io.Writer, what string) {
	if len(r.lines) == 0 {
		fmt.Fprintln(w, "nothing to add up")
		return
	}
	var right []string
	var head []any
	for _, c := range r.columns {
		if c.head == "" {
			continue
		}
		head = append(head, c.head)
		if c.right {
			right = append(right, c.head)
		}
	}
	t := newTable(right, head...)
	for _, line := range r.lines {
		t.AppendRow(r.shown(line))
	}
	if r.total != nil {
		t.AppendSeparator()
		t.AppendRow(r.shown(r.total))
	}
	fmt.Fprintln(w, t.Render())
	if r.left > 0 {
		fmt.Fprintf(w, "… more follow: %s by %s (--top %d)\n", plural(r.left, "line", "lines"), what, len(r.lines))
	}
}

func (r *sheet) shown(line []any) (row []any) {
	for i, c := range r.columns {
		switch {
		case c.head == "":
		case line[i] == nil:
			row = append(row, "")
		default:
			row = append(row, c.show(line[i]))
		}
	}
	return row
}

// printJSON writes one object a line.
func (r *sheet) printJSON(w *bufio.Writer) error {
	for _, line := range r.lines {
		var pairs [][2][]byte
		for i, c := range r.columns {
			if c.key == "" {
				continue
			}
			value := []byte("null")
			if text, ok := line[i].(string); ok {
				value = jsonString(text)
			} else if b, err := json.Marshal(line[i]); err == nil { // numbers that JSON has not become null
				value = b
			}
			pairs = append(pairs, [2][]byte{jsonString(c.key), value})
		}
		if _, err := w.Write(append(jsonObject(pairs), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// printCSV writes a line of names, and one for each line.
func (r *sheet) printCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	var record []string
	for _, c := range r.columns {
		if c.key != "" {
			record = append(record, c.key)
		}
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, line := range r.lines {
		record = record[:0]
		for i, c := range r.columns {
			if c.key == "" {
				continue
			}
			text := ""
			if line[i] != nil {
				text = fmt.Sprint(line[i])
			}
			record = append(record, text)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
