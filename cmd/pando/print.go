package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// outputBuffer is the size of the buffer before standard output, in bytes.
const outputBuffer = 64 << 10

// buffered lets print write to out, buffered.
func buffered(out io.Writer, print func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	if err := print(w); err != nil {
		return err
	}
	return w.Flush()
}

// printJSON writes a value as indented JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// grouped prints an integer with commas between thousands.
func grouped[T ~uint64 | ~int64 | ~int](n T) string { return groupDigits(fmt.Sprint(n)) }

func groupDigits(s string) string {
	first := 0
	if s != "" && s[0] == '-' {
		first = 1
	}
	for at := len(s) - 3; at > first; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// size prints a number of bytes with a decimal unit.
func size[T ~uint64 | ~int64](n T) string {
	v := float64(n)
	for _, unit := range []string{"bytes", "kB", "MB", "GB", "TB"} {
		if v < 1000 || unit == "TB" {
			if unit == "bytes" {
				return strconv.FormatUint(uint64(n), 10) + " " + unit
			}
			return fourDigits(v) + " " + unit
		}
		v /= 1000
	}
	return ""
}

// plural prints a number of things.
func plural[T ~uint64 | ~int64 | ~int](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// cell returns a text from a file for a cell of a table: printable, and not wider than a table should be.
func cell(s string) string {
	const most = 64
	r := []rune(printable(s))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// newTable starts a table without frame. Columns with one of the names are aligned to the right.
func newTable(right []string, header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatUpper
	t.SetStyle(style)
	t.AppendHeader(header)
	var columns []table.ColumnConfig
	for _, name := range right {
		columns = append(columns, table.ColumnConfig{Name: name, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	t.SuppressTrailingSpaces()
	return t
}

// facts prints names and values, one pair a line.
type facts struct {
	w     io.Writer
	width int
}

func (f *facts) line(name, format string, args ...any) {
	fmt.Fprintf(f.w, "  %-*s %s\n", f.width, name, fmt.Sprintf(format, args...))
}
