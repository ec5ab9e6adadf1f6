package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/pandotrace/pando/internal/report/jsonline"
	"github.com/pandotrace/pando/trace"
)

// ColumnError says that a list or table has no column of a name, or that a choice names one twice.
type ColumnError struct {
	// Name is the name, Columns are those that there are.
	Name    string
	Columns []string
	Twice   bool
}

// Error implements error.
func (e *ColumnError) Error() string {
	if e.Twice {
		return fmt.Sprintf("the column %q is chosen twice", e.Name)
	}
	return fmt.Sprintf("there is no column %q%s; there are %s", e.Name, trace.DidYouMean(trace.Near(e.Name, slices.Values(e.Columns))), strings.Join(e.Columns, ", "))
}

// measured is the number of rows of a list by which the widths of its columns are chosen.
const measured = 256

// picker writes the lines of a list as rows of chosen columns: the members of each line as JSON.
type picker struct {
	format  Format
	names   []string
	members [][]byte   // of a line, by column; nil where it has none
	waiting [][]string // rows of text that decide the widths of columns
	widths  []int      // nil until they are decided
	right   []bool     // columns of numbers
}

// newPicker returns a picker of the columns that options choose among those that there are; nil if lines are written as they are.
func newPicker(opt *ListOptions, all func() []string) (*picker, error) {
	names := opt.Columns
	if len(names) == 0 && opt.Format != CSV {
		return nil, nil
	}
	columns := all()
	if len(names) == 0 {
		names = columns
	}
	for i, name := range names {
		if !slices.Contains(columns, name) {
			return nil, &ColumnError{Name: name, Columns: columns}
		}
		if slices.Contains(names[:i], name) {
			return nil, &ColumnError{Name: name, Twice: true}
		}
	}
	return &picker{format: opt.Format, names: names, members: make([][]byte, len(names))}, nil
}

// head appends the line above the rows.
func (p *picker) head(dst []byte) []byte {
	if p.format != CSV {
		return dst
	}
	return append(append(dst, strings.Join(p.names, ",")...), '\n')
}

// row appends a line of JSON as a row.
func (p *picker) row(dst, line []byte) []byte {
	clear(p.members)
	jsonline.Each(line, func(name, value []byte) {
		if at := slices.Index(p.names, string(name)); at >= 0 {
			p.members[at] = value
		}
	})
	switch p.format {
	case JSON:
		return p.jsonRow(dst)
	case CSV:
		return p.csvRow(dst)
	}
	row := make([]string, len(p.members))
	for i, m := range p.members {
		row[i] = Printable(jsonline.Plain(m))
	}
	if p.widths != nil {
		return appendRow(dst, row, p.right, p.widths)
	}
	if p.waiting = append(p.waiting, row); len(p.waiting) == 1 {
		p.right = make([]bool, len(row))
		for i, m := range p.members {
			p.right[i] = len(m) > 0 && (m[0] == '-' || m[0] >= '0' && m[0] <= '9')
		}
	}
	if len(p.waiting) < measured {
		return dst
	}
	return p.release(dst)
}

// release appends the rows of text that wait, below the names of columns.
func (p *picker) release(dst []byte) []byte {
	if len(p.waiting) == 0 {
		return dst
	}
	p.widths = make([]int, len(p.names))
	rows := append([][]string{make([]string, len(p.names))}, p.waiting...)
	for i, name := range p.names {
		rows[0][i] = strings.ToUpper(name)
	}
	for _, row := range rows {
		for i, c := range row {
			p.widths[i] = max(p.widths[i], text.StringWidthWithoutEscSequences(c))
		}
	}
	for _, row := range rows {
		dst = appendRow(dst, row, p.right, p.widths)
	}
	p.waiting = nil
	return dst
}

func (p *picker) jsonRow(dst []byte) []byte {
	before := byte('{')
	for i, name := range p.names {
		dst = append(append(append(dst, before, '"'), name...), `":`...)
		if before = ','; p.members[i] == nil {
			dst = append(dst, "null"...)
		} else {
			dst = append(dst, p.members[i]...)
		}
	}
	return append(dst, "}\n"...)
}

func (p *picker) csvRow(dst []byte) []byte {
	for i, m := range p.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonline.AppendCSV(dst, jsonline.Plain(m))
	}
	return append(dst, '\n')
}

// The columns of lists, which are the members of their lines as JSON, of a trace without definitions.
func callMembers() []string    { return jsonline.Names(sample().call(nil, &trace.Call{})) }
func messageMembers() []string { return jsonline.Names(sample().message(nil, &trace.Message{})) }

func eventMembers() []string {
	b := &trace.Batch{}
	b.Append(trace.KindEnter, 0, 0)
	return append(jsonline.Names(sample().json.event(nil, b, 0, 0)), "attributes")
}

func sample() *itemPrinter {
	t := &Trace{names: newNames(trace.NewDefinitions(nil), nil)}
	return &itemPrinter{trace: t, json: &jsonLines{names: t.names, clock: &t.clock, layouts: layouts{table: trace.Standard}}}
}

// ListColumnNames lists the columns of lists of calls, messages, pairs and events.
func ListColumnNames() []string {
	names := slices.Concat(callMembers(), messageMembers(), pairMembers(), eventMembers())
	slices.Sort(names)
	return slices.Compact(names)
}
