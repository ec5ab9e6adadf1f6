package encode

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// csvEncoder writes tables as CSV, line by line.
type csvEncoder struct {
	Header
	out  *csv.Writer
	line []string
	text []byte // all cells of a line
	ends []int  // where each ends
}

func newCSVEncoder(out io.Writer, h Header) (*csvEncoder, error) {
	e := &csvEncoder{Header: h, out: csv.NewWriter(out)}
	for _, c := range h.Columns {
		e.line = append(e.line, c.Name)
	}
	return e, e.out.Write(e.line)
}

func (e *csvEncoder) Write(b *table.Batch) error {
	for row := range b.Rows {
		e.text, e.ends = e.text[:0], e.ends[:0]
		for i := range b.Vectors {
			if v := &b.Vectors[i]; !v.IsNull(row) {
				e.cell(v, i, row)
			}
			e.ends = append(e.ends, len(e.text))
		}
		text, from := string(e.text), 0
		for i, end := range e.ends {
			e.line[i] = text[from:end]
			from = end
		}
		if err := e.out.Write(e.line); err != nil {
			return err
		}
	}
	return nil
}

// cell appends a value to the line.
func (e *csvEncoder) cell(v *table.Vector, column, row int) {
	switch e.Columns[column].Type {
	case table.Int64:
		e.text = strconv.AppendInt(e.text, v.Ints[row], 10)
	case table.Double:
		e.text = strconv.AppendFloat(e.text, v.Doubles[row], 'g', -1, 64)
	case table.Bool:
		e.text = strconv.AppendBool(e.text, v.Bools[row])
	case table.Name:
		e.text = append(e.text, e.Names[column].List[v.Codes[row]]...)
	case table.Text:
		e.text = append(e.text, v.TextOf(row)...)
	}
}

func (e *csvEncoder) Close() error {
	e.out.Flush()
	return e.out.Error()
}
