package encode

import (
	"io"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// GroupRows is the number of rows from which on a row group ends with the next page, and so at the border of a slice. Each batch
// makes a page. A file has at most 32,767 row groups, and so 4.29 * 10^9 rows; the library refuses more.
const GroupRows = 128 << 10

// dictionaryBytes bounds the dictionary of a column in a row group; beyond it, values stand as they are.
const dictionaryBytes = 1 << 20

// parquetEncoder writes tables as Parquet, column by column.
type parquetEncoder struct {
	Header
	out    *parquet.GenericWriter[any]
	names  [][]parquet.Value // by column: the value of each name
	values [][]parquet.Value // of one column of a batch, for each processor
	rows   int               // of the row group so far
}

func newParquetEncoder(out io.Writer, h Header) (*parquetEncoder, error) {
	options := []parquet.WriterOption{
		parquetSchema(h.Schema),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.CreatedBy("pando", "0", "parquet-go"),
		parquet.DictionaryMaxBytes(dictionaryBytes),
		parquet.PageBufferSize(16 * table.PageRows),
		parquet.KeyValueMetadata("pando.table", h.Name),
	}
	for _, p := range h.About {
		options = append(options, parquet.KeyValueMetadata(p.Name, p.Value))
	}
	for _, c := range h.Columns {
		if c.Type == table.Name { // pages have nearly all names: nobody could skip one by the first and the last of them
			options = append(options, parquet.SkipPageBounds(c.Name))
		}
	}
	if h.Sorted != "" {
		options = append(options, parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending(h.Sorted))))
	}
	config, err := parquet.NewWriterConfig(options...)
	if err != nil {
		return nil, err
	}
	e := &parquetEncoder{Header: h, out: parquet.NewGenericWriter[any](out, config), values: make([][]parquet.Value, runtime.GOMAXPROCS(0))}
	for _, n := range h.Names {
		var values []parquet.Value
		if n != nil {
			for _, s := range n.List {
				values = append(values, parquet.ByteArrayValue([]byte(s)))
			}
		}
		e.names = append(e.names, values)
	}
	return e, nil
}

// columnList is a group of columns that keeps their order.
type columnList struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements parquet.Node.
func (c *columnList) Fields() []parquet.Field { return c.fields }

// columnField is a column in a group.
type columnField struct {
	parquet.Node
	name string
}

// Name implements parquet.Field.
func (c *columnField) Name() string { return c.name }

// Value implements parquet.Field. There are no rows to take values from.
func (c *columnField) Value(reflect.Value) reflect.Value { return reflect.Value{} }

func parquetSchema(t *table.Schema) *parquet.Schema {
	list := &columnList{Group: parquet.Group{}}
	for i := range t.Columns {
		f := &columnField{parquetNode(&t.Columns[i]), t.Columns[i].Name}
		list.fields = append(list.fields, f)
		list.Group[f.name] = f.Node
	}
	return parquet.NewSchema(t.Name, list)
}

// parquetNode is the type of a column.
func parquetNode(c *table.Column) parquet.Node {
	var n parquet.Node
	switch c.Type {
	case table.Int64:
		n = parquet.Int(64)
	case table.Double:
		n = parquet.Leaf(parquet.DoubleType)
	case table.Bool:
		n = parquet.Leaf(parquet.BooleanType)
	default:
		n = parquet.String()
	}
	switch c.Habit {
	case table.Repeats:
		n = parquet.Encoded(n, &parquet.RLEDictionary)
	case table.Grows:
		n = parquet.Encoded(n, &parquet.DeltaBinaryPacked)
	}
	if c.Null {
		n = parquet.Optional(n)
	}
	return n
}

// Write encodes the columns of a batch on all processors.
func (e *parquetEncoder) Write(b *table.Batch) error {
	columns := e.out.ColumnWriters()
	var next atomic.Int32
	var group errgroup.Group
	for worker := range e.values {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < len(columns); i = int(next.Add(1)) - 1 {
				e.values[worker] = e.fill(e.values[worker], &b.Vectors[i], i, b.Rows)
				if _, err := columns[i].WriteRowValues(e.values[worker]); err != nil {
					return err
				}
				if err := columns[i].Flush(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if e.rows += b.Rows; e.rows < GroupRows {
		return nil
	}
	e.rows = 0
	return e.out.Flush()
}

// fill makes values of a vector.
func (e *parquetEncoder) fill(values []parquet.Value, v *table.Vector, column, rows int) []parquet.Value {
	values = slices.Grow(values[:0], rows)[:rows]
	switch e.Columns[column].Type {
	case table.Int64:
		for i, n := range v.Ints {
			values[i] = parquet.Int64Value(n)
		}
	case table.Double:
		for i, n := range v.Doubles {
			values[i] = parquet.DoubleValue(n)
		}
	case table.Bool:
		for i, t := range v.Bools {
			values[i] = parquet.BooleanValue(t)
		}
	case table.Name:
		for i, c := range v.Codes {
			if !v.Null[i] {
				values[i] = e.names[column][c]
			}
		}
	case table.Text:
		for i := range rows {
			values[i] = parquet.ByteArrayValue(v.TextOf(i))
		}
	}
	setLevels(values, v.Null)
	return values
}

// setLevels tells the rows that have a value from those that are null.
func setLevels(values []parquet.Value, null []bool) {
	for i, isNull := range null {
		if isNull {
			values[i] = parquet.NullValue()
		} else {
			values[i].SetDefinitionLevel(1)
		}
	}
}

func (e *parquetEncoder) Close() error { return e.out.Close() }
