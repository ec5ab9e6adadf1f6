package columnar

import (
	"encoding/csv"
	"io"
	"strconv"
)

// csvEncoder writes tables as CSV, line by line.
type csvEncoder struct {
	header
	out  *csv.Writer
	line []string
	text []byte // all cells of a line
	ends []int  // where each ends
}

func newCSVEncoder(out io.Writer, h header) (*csvEncoder, error) {
	e := &csvEncoder{header: h, out: csv.NewWriter(out)}
	for _, c := range h.Columns {
		e.line = append(e.line, c.Name)
	}
	return e, e.out.Write(e.line)
}

func (e *csvEncoder) write(b *batch) error {
	for row := range b.rows {
		e.text, e.ends = e.text[:0], e.ends[:0]
		for i := range b.vectors {
			if v := &b.vectors[i]; !v.isNull(row) {
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
func (e *csvEncoder) cell(v *vector, column, row int) {
	switch e.Columns[column].Type {
	case Int64:
		e.text = strconv.AppendInt(e.text, v.ints[row], 10)
	case Double:
		e.text = strconv.AppendFloat(e.text, v.doubles[row], 'g', -1, 64)
	case Bool:
		e.text = strconv.AppendBool(e.text, v.bools[row])
	case Name:
		e.text = append(e.text, e.names[column].list[v.codes[row]]...)
	case Text:
		e.text = append(e.text, v.textOf(row)...)
	}
}

func (e *csvEncoder) close() error {
	e.out.Flush()
	return e.out.Error()
}
