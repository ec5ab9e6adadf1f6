package columnar

import (
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
)

// Table describes a table, Column a column of it, and Type the type of a column's values.
type (
	// Table is the schema of a table.
	Table = table.Schema
	// Column is a column of a schema.
	Column = table.Column
	// Type is the type of a column's values.
	Type = table.Type
	// ColumnError says that a table has no column of a name, or that a choice names one twice.
	ColumnError = table.ColumnError
)

// Format is a format of tables, and the extension of its files.
type Format = encode.Format

// Formats of tables, see package encode.
const (
	Parquet     = encode.Parquet
	Arrow       = encode.Arrow
	ArrowStream = encode.ArrowStream
	CSV         = encode.CSV
	JSON        = encode.JSON
)

// Formats lists all formats.
func Formats() []Format { return encode.Formats() }
