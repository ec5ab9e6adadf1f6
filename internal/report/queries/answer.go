package queries

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/query"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/rule"
	"github.com/pandotrace/pando/trace"
)

// mostLines is the number of rows of text, unless the query has a limit.
const mostLines = 100

// WriteTable writes the answer as a table.
func WriteTable(ctx context.Context, w io.Writer, p *query.Plan, meta *trace.Meta, format columnar.Format, maxRows int64) error {
	about := []encode.Property{{Name: "pando.ticks_per_second", Value: strconv.FormatUint(meta.Resolution, 10)}}
	_, err := columnar.WriteTable(ctx, w, p.Answer, about, columnar.Options{Format: format, MaxRows: maxRows})
	return err
}

// WriteText writes the answer for people: the first hundred rows, unless the query has a limit.
func WriteText(to io.Writer, p *query.Plan, limited bool) error {
	w := &report.Printer{To: to}
	var heads []string
	var right []bool
	for i := range p.Answer.Columns {
		name := p.Answer.Columns[i].Name
		if short, ok := strings.CutSuffix(name, "_ns"); ok {
			name = short // values have units
		}
		heads = append(heads, name)
		right = append(right, p.Types[i] != rule.Text && p.Types[i] != rule.Bool)
	}
	var lines [][]string
	more := false
	for b, err := range p.Rows() {
		if err != nil {
			return err
		}
		for row := range b.Rows {
			if more = !limited && len(lines) == mostLines; more {
				break
			}
			line := make([]string, len(heads))
			for i := range line {
				line[i] = cell(p, i, &b.Vectors[i], row)
			}
			lines = append(lines, line)
		}
		b.Release()
		if more {
			break
		}
	}
	if len(lines) == 0 {
		fmt.Fprintln(w, "no rows")
		return w.Err
	}
	report.WriteTable(w, heads, right, slices.Values(lines))
	if more {
		fmt.Fprintf(w, "the first %d rows; --limit N shows more\n", mostLines)
	}
	return w.Err
}

// cell returns a value as people read it.
func cell(p *query.Plan, column int, v *table.Vector, row int) string {
	if v.IsNull(row) {
		return "-"
	}
	c := &p.Answer.Columns[column]
	switch {
	case c.Type == table.Int64 && c.Unit == "ns":
		return report.Duration(float64(v.Ints[row]) / 1e9)
	case c.Type == table.Int64:
		return strconv.FormatInt(v.Ints[row], 10)
	case c.Type == table.Double:
		return strconv.FormatFloat(v.Doubles[row], 'g', 6, 64)
	case c.Type == table.Bool:
		return strconv.FormatBool(v.Bools[row])
	case c.Type == table.Name:
		return report.Cell(p.Answer.Names[column](nil).List[v.Codes[row]])
	}
	return report.Cell(string(v.TextOf(row)))
}

// WritePlan writes how the answer is found, as text or JSON.
func WritePlan(to io.Writer, p *query.Plan, format report.Format) error {
	if format == report.JSON {
		return report.WriteJSON(to, p.Steps)
	}
	w := &report.Printer{To: to}
	for _, s := range p.Steps {
		fmt.Fprintf(w, "%-10s %s\n", s.Name, report.Printable(s.What))
	}
	return w.Err
}
