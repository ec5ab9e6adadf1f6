package encode

import (
	"io"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// Format is a format of tables, and the extension of its files.
type Format string

// Formats of tables.
const (
	// Parquet files are small and read by everything that reads columns.
	Parquet Format = "parquet"
	// Arrow files (the IPC file format, also called Feather 2) hold columns as they stand in memory: not compressed, to be
	// mapped.
	Arrow Format = "arrow"
	// ArrowStream is the IPC streaming format: the same, to be read from begin to end, as from a pipe.
	ArrowStream Format = "arrows"
	// CSV files have a line of column names and a line for each row. Null and the empty string look alike in them.
	CSV Format = "csv"
	// JSON is an array with an object for each row, one a line. Integers have all their digits, which JavaScript rounds from 2^53 on.
	JSON Format = "json"
)

// Formats lists all formats.
func Formats() []Format { return []Format{Parquet, Arrow, ArrowStream, CSV, JSON} }

// Property is a name with a value that is written into a file besides the table.
type Property struct{ Name, Value string }

// Header describes a table to an encoder, before the first row.
type Header struct {
	*table.Schema
	Names []*table.Names // by column, nil for columns of other types
	About []Property
}

// Encoder writes a table in one format.
type Encoder interface {
	// Write writes the rows of a batch. A table without rows has no batches.
	Write(b *table.Batch) error
	// Close writes the end of the table.
	Close() error
}

// New begins a table. The encoder seeks only to learn how many bytes it has written.
func New(f Format, out io.WriteSeeker, h Header) (Encoder, error) {
	switch f {
	case Parquet:
		return newParquetEncoder(out, h)
	case Arrow, ArrowStream:
		return newArrowEncoder(out, h, f == ArrowStream)
	case JSON:
		return newJSONEncoder(out, h), nil
	default:
		return newCSVEncoder(out, h)
	}
}
