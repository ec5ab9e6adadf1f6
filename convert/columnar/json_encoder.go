package columnar

import (
	"io"
	"strconv"
)

// jsonEncoder writes tables as a JSON array: a row is an object, and has a line. Columns without a value are null.
type jsonEncoder struct {
	header
	out  io.Writer
	keys []string // by column: what stands before its value
	text []byte
	rows int64
}

func newJSONEncoder(out io.Writer, h header) *jsonEncoder {
	e := &jsonEncoder{header: h, out: out}
	for i, c := range h.Columns {
		before := ",\n{"
		if i > 0 {
			before = ","
		}
		e.keys = append(e.keys, string(appendQuoted([]byte(before), c.Name))+":")
	}
	return e
}

func (e *jsonEncoder) write(b *batch) error {
	for row := range b.rows {
		at := len(e.text)
		for i := range b.vectors {
			e.text = append(e.text, e.keys[i]...)
			e.value(&b.vectors[i], i, row)
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
func (e *jsonEncoder) value(v *vector, column, row int) {
	if v.isNull(row) {
		e.text = append(e.text, "null"...)
		return
	}
	switch e.Columns[column].Type {
	case Int64:
		e.text = strconv.AppendInt(e.text, v.ints[row], 10)
	case Double:
		e.text = appendDouble(e.text, v.doubles[row], 64)
	case Bool:
		e.text = strconv.AppendBool(e.text, v.bools[row])
	case Name:
		e.text = appendQuoted(e.text, e.names[column].list[v.codes[row]])
	case Text:
		e.text = appendQuoted(e.text, string(v.textOf(row)))
	}
}

func (e *jsonEncoder) flush() error {
	_, err := e.out.Write(e.text)
	e.text = e.text[:0]
	return err
}

func (e *jsonEncoder) close() error {
	end := "\n]\n"
	if e.rows == 0 {
		end = "[]\n"
	}
	e.text = append(e.text, end...)
	return e.flush()
}
