package report

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Grouped returns an integer with commas between thousands.
func Grouped[T ~uint64 | ~int64 | ~int](n T) string { return groupDigits(fmt.Sprint(n)) }

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

// Size returns a number of bytes with a decimal unit.
func Size[T ~uint64 | ~int64](n T) string {
	v := float64(n)
	for _, unit := range []string{"bytes", "kB", "MB", "GB", "TB"} {
		if v < 1000 || unit == "TB" {
			if unit == "bytes" {
				return Plural(n, "byte", "bytes")
			}
			return fourDigits(v) + " " + unit
		}
		v /= 1000
	}
	return ""
}

// Plural returns a number with the noun for one or many: "1 event", "2 events".
func Plural[T ~uint64 | ~int64 | ~int](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// Cell returns a text from a file for a cell of a table: printable, and not wider than a table should be.
func Cell(s string) string {
	const most = 64
	return Shortened(Printable(s), most)
}

// Shortened returns a text of at most some characters: a longer one ends in an ellipsis.
func Shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// facts prints names and values, one pair a line.
type facts struct {
	w     io.Writer
	width int
}

func (f *facts) line(name, format string, args ...any) {
	fmt.Fprintf(f.w, "  %-*s %s\n", f.width, name, fmt.Sprintf(format, args...))
}

// Rate returns a speed: "12.3 M events/s".
func Rate(perSecond float64, unit string) string {
	for _, prefix := range []struct {
		name string
		size float64
	}{{" G", 1e9}, {" M", 1e6}, {" k", 1e3}} {
		if perSecond >= prefix.size {
			return fourDigits(perSecond/prefix.size) + prefix.name + " " + unit + "/s"
		}
	}
	return fourDigits(perSecond) + " " + unit + "/s"
}

// table is a small table of text without a frame: names of columns, a line, rows.
type table struct {
	heads []string
	right []bool // columns that are aligned to the right
	rows  [][]string
}

// newTable starts a table. Columns with one of the names in right are aligned to the right.
func newTable(right []string, heads ...string) *table {
	t := &table{heads: heads, right: make([]bool, len(heads))}
	for i, name := range heads {
		t.right[i] = slices.Contains(right, name)
	}
	return t
}

// row adds a row.
func (t *table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.rows = append(t.rows, row)
}

// write writes the table.
func (t *table) write(w io.Writer) { WriteTable(w, t.heads, t.right, slices.Values(t.rows)) }

// WriteTable writes a table of several parts with a line between them. It goes through the rows twice: for the widths of columns, and to
// write them. Errors of w are left to its next use.
func WriteTable(w io.Writer, heads []string, right []bool, parts ...iter.Seq[[]string]) {
	widths := make([]int, len(heads))
	measure := func(row []string) {
		for i, c := range row {
			widths[i] = max(widths[i], widthOf(c))
		}
	}
	measure(heads)
	for _, rows := range parts {
		for row := range rows {
			measure(row)
		}
	}
	all := 0
	for _, n := range widths {
		all += n + len(columnGap)
	}
	ruler := strings.Repeat("─", all) + "\n"
	line := appendRow(nil, heads, right, widths)
	for i := range line {
		line[i] = upper(line[i])
	}
	for _, rows := range parts {
		begun := false
		for row := range rows {
			if !begun {
				line, begun = append(line, ruler...), true
			}
			w.Write(line)
			line = appendRow(line[:0], row, right, widths)
		}
	}
	w.Write(line)
}

// widthOf returns how many columns of a terminal a text takes.
func widthOf(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] < ' ' {
			return text.StringWidthWithoutEscSequences(s)
		}
	}
	return len(s)
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		return c - ('a' - 'A')
	}
	return c
}

// columnGap separates columns.
const columnGap = "  "

// appendRow appends a row without the spaces at its end.
func appendRow(dst []byte, row []string, right []bool, widths []int) []byte {
	begin := len(dst)
	for i, c := range row {
		pad := widths[i] - widthOf(c)
		if right[i] {
			dst = append(appendSpaces(dst, pad), c...)
		} else {
			dst = appendSpaces(append(dst, c...), pad)
		}
		dst = append(dst, columnGap...)
	}
	for len(dst) > begin && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '\n')
}

func appendSpaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}

// Printer writes text, and keeps the first error: what follows it is not written.
type Printer struct {
	To  io.Writer
	Err error
}

// Write implements io.Writer.
func (p *Printer) Write(b []byte) (int, error) {
	if p.Err != nil {
		return 0, p.Err
	}
	n, err := p.To.Write(b)
	p.Err = err
	return n, err
}
