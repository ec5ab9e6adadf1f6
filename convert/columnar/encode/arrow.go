package encode

import (
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/pandotrace/pando/convert/columnar/table"
)

// recordWriter is a writer of IPC files or streams.
type recordWriter interface {
	Write(arrow.Record) error
	Close() error
}

// arrowEncoder writes tables as Arrow IPC files or streams. Buffers are not compressed: many readers cannot decompress them, and so
// they can be mapped. Each dictionary is complete before the first batch, for a file may hold only one for each column.
type arrowEncoder struct {
	Header
	out          recordWriter
	schema       *arrow.Schema
	dictionaries []arrow.ArrayData // by column, nil for those that are no names
	batches      int
}

var nameType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

var arrowTypes = map[table.Type]arrow.DataType{
	table.Int64: arrow.PrimitiveTypes.Int64, table.Double: arrow.PrimitiveTypes.Float64, table.Bool: arrow.FixedWidthTypes.Boolean,
	table.Text: arrow.BinaryTypes.String, table.Name: nameType,
}

func newArrowEncoder(out io.WriteSeeker, h Header, stream bool) (*arrowEncoder, error) {
	e := &arrowEncoder{Header: h, schema: arrowSchema(h)}
	for _, n := range h.Names {
		var dictionary arrow.ArrayData
		if n != nil {
			dictionary = stringArray(n.List).Data()
		}
		e.dictionaries = append(e.dictionaries, dictionary)
	}
	if stream {
		e.out = ipc.NewWriter(out, ipc.WithSchema(e.schema))
		return e, nil
	}
	var err error
	e.out, err = ipc.NewFileWriter(out, ipc.WithSchema(e.schema))
	return e, err
}

// arrowSchema carries units and meanings as metadata of the columns.
func arrowSchema(h Header) *arrow.Schema {
	var fields []arrow.Field
	for _, c := range h.Columns {
		keys, values := []string{"doc"}, []string{c.Doc}
		if c.Unit != "" {
			keys, values = append(keys, "unit"), append(values, c.Unit)
		}
		fields = append(fields, arrow.Field{Name: c.Name, Type: arrowTypes[c.Type], Nullable: c.Null, Metadata: arrow.NewMetadata(keys, values)})
	}
	var keys, values []string
	for _, p := range append([]Property{{"pando.table", h.Name}}, h.About...) {
		keys, values = append(keys, p.Name), append(values, p.Value)
	}
	m := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(fields, &m)
}

func stringArray(list []string) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(list, nil)
	return b.NewArray()
}

func (e *arrowEncoder) Write(b *table.Batch) error {
	columns := make([]arrow.Array, len(b.Vectors))
	for i := range b.Vectors {
		columns[i] = array.MakeFromData(e.data(&b.Vectors[i], i, b.Rows))
	}
	e.batches++
	return e.out.Write(array.NewRecord(e.schema, columns, int64(b.Rows)))
}

// data presents a vector as an Arrow array that shares its memory.
func (e *arrowEncoder) data(v *table.Vector, column, rows int) arrow.ArrayData {
	valid, nulls := validity(v.Null)
	t := arrowTypes[e.Columns[column].Type]
	switch t {
	case arrow.PrimitiveTypes.Int64:
		return array.NewData(t, rows, []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(v.Ints))}, nil, nulls, 0)
	case arrow.PrimitiveTypes.Float64:
		return array.NewData(t, rows, []*memory.Buffer{valid, memory.NewBufferBytes(arrow.Float64Traits.CastToBytes(v.Doubles))}, nil, nulls, 0)
	case arrow.FixedWidthTypes.Boolean:
		return array.NewData(t, rows, []*memory.Buffer{valid, bitmap(v.Bools, true)}, nil, nulls, 0)
	case nameType:
		codes := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v.Codes))
		return array.NewDataWithDictionary(t, rows, []*memory.Buffer{valid, codes}, nulls, 0, e.dictionaries[column].(*array.Data))
	default:
		offsets := append([]int32{0}, v.Ends...)
		return array.NewData(t, rows, []*memory.Buffer{
			valid, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(v.Text),
		}, nil, nulls, 0)
	}
}

// validity returns the bitmap of rows that have a value, nil if all have.
func validity(null []bool) (valid *memory.Buffer, nulls int) {
	for _, n := range null {
		if n {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	return bitmap(null, false), nulls
}

// bitmap has a bit set for each row whose flag is as given.
func bitmap(flags []bool, is bool) *memory.Buffer {
	bits := make([]byte, bitutil.BytesForBits(int64(len(flags))))
	for i, f := range flags {
		if f == is {
			bitutil.SetBit(bits, i)
		}
	}
	return memory.NewBufferBytes(bits)
}

// Close writes one batch without rows if there was none: it brings the dictionaries that the schema promises.
func (e *arrowEncoder) Close() error {
	if e.batches == 0 {
		if err := e.Write(&table.Batch{Vectors: make([]table.Vector, len(e.Columns))}); err != nil {
			return err
		}
	}
	return e.out.Close()
}
