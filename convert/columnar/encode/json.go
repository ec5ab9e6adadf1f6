package encode

import (
	"io"
	"strconv"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// jsonEncoder writes tables as a JSON array: a row is an object, and has a line. Columns without a value are null.
type jsonEncoder struct {
	Header
	out  io.Writer
	keys []string // by column: what stands before its value
	text []byte
	rows int64
}

func newJSONEncoder(out io.Writer, h Header) *jsonEncoder {
	e := &jsonEncoder{Header: h, out: out}
	for i, c := range h.Columns {
		before := ",\n{"
		if i > 0 {
			before = ","
		}
		e.keys = append(e.keys, string(table.AppendQuoted([]byte(before), c.Name))+":")
	}
	return e
}

func (e *jsonEncoder) Write(b *table.Batch) error {
	for row := range b.Rows {
		at := len(e.text)
		for i := range b.Vectors {
			e.text = append(e.text, e.keys[i]...)
			e.value(&b.Vectors[i], i, row)
		}
		e.text = append(e.text, '}')
		if e.rows == 0 {
			e.text[at] = '['
		}
		e.rows++
	}
	return e.flush()
}

// value appends a value.
func (e *jsonEncoder) value(v *table.Vector, column, row int) {
	if v.IsNull(row) {
		e.text = append(e.text, "null"...)
		return
	}
	switch e.Columns[column].Type {
	case table.Int64:
		e.text = strconv.AppendInt(e.text, v.Ints[row], 10)
	case table.Double:
		e.text = table.AppendDouble(e.text, v.Doubles[row], 64)
	case table.Bool:
		e.text = strconv.AppendBool(e.text, v.Bools[row])
	case table.Name:
		e.text = table.AppendQuoted(e.text, e.Names[column].List[v.Codes[row]])
	case table.Text:
		e.text = table.AppendQuoted(e.text, string(v.TextOf(row)))
	}
}

func (e *jsonEncoder) flush() error {
	_, err := e.out.Write(e.text)
	e.text = e.text[:0]
	return err
}

func (e *jsonEncoder) Close() error {
	end := "\n]\n"
	if e.rows == 0 {
		end = "[]\n"
	}
	e.text = append(e.text, end...)
	return e.flush()
}
