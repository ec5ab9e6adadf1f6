package columnar

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/parquet-go/parquet-go"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// null stands for a cell without a value.
const null = "\x00"

// contents is a table read back: the names of its columns, and its rows with all values as text.
type contents struct {
	columns []string
	rows    [][]string
}

// column returns one cell of each row.
func (c *contents) column(t testing.TB, name string) []string {
	t.Helper()
	for i, n := range c.columns {
		if n != name {
			continue
		}
		var cells []string
		for _, row := range c.rows {
			cells = append(cells, row[i])
		}
		return cells
	}
	t.Fatalf("no column %s among %q", name, c.columns)
	return nil
}

// stored writes a source to a file in memory and opens it. Slices are small, so that calls and messages span some.
func stored(t testing.TB, src trace.Source) *store.Reader {
	t.Helper()
	return storedIn(t, src, 1000)
}

// storedIn does the same with slices of a number of events.
func storedIn(t testing.TB, src trace.Source, sliceEvents int) *store.Reader {
	t.Helper()
	var out bytes.Buffer
	w, err := store.NewWriter(t.Context(), &out, src.Meta(), store.Options{SliceEvents: sliceEvents, Fanout: 4, ID: format.FileID{1}})
	if err == nil {
		err = store.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := store.NewReader(t.Context(), bytes.NewReader(out.Bytes()), int64(out.Len()), store.ReadOptions{Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bundled opens a bundled trace as a source.
func bundled(t testing.TB, name string) trace.Source {
	t.Helper()
	a, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// export writes tables into a new folder; without a window, the whole trace.
func export(t testing.TB, r *store.Reader, opt Options) []File {
	t.Helper()
	if opt.Dir == "" {
		opt.Dir = t.TempDir()
	}
	opt.Whole = opt.Whole || opt.From == 0 && opt.To == 0
	files, err := exporting(context.Background(), r, opt)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func exporting(ctx context.Context, r *store.Reader, opt Options) ([]File, error) {
	x, err := New(r)
	if err != nil {
		return nil, err
	}
	return x.Export(ctx, opt)
}

// exported exports one table and reads it back.
func exported(t testing.TB, r *store.Reader, table string, opt Options) *contents {
	t.Helper()
	opt.Tables = []string{table}
	files := export(t, r, opt)
	if len(files) != 1 {
		t.Fatalf("%d files for one table", len(files))
	}
	return read(t, files[0])
}

// read reads a file with the library of its format.
func read(t testing.TB, f File) *contents {
	t.Helper()
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != f.Bytes {
		t.Errorf("%s has %d bytes, said to be %d", f.Path, len(data), f.Bytes)
	}
	c, err := readAs(Format(filepath.Ext(f.Path)[1:]), data)
	if err != nil {
		t.Fatalf("%s: %v", f.Path, err)
	}
	if int64(len(c.rows)) != f.Rows {
		t.Errorf("%s has %d rows, said to be %d", f.Path, len(c.rows), f.Rows)
	}
	return c
}

func readAs(f Format, data []byte) (*contents, error) {
	return map[Format]func([]byte) (*contents, error){
		Parquet: readParquet, Arrow: readArrow, ArrowStream: readArrowStream, CSV: readCSV, JSON: readJSON,
	}[f](data)
}

// readCSV cannot tell null from an empty text: both are null.
func readCSV(data []byte) (*contents, error) {
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, row := range all[1:] {
		for i := range row {
			if row[i] == "" {
				row[i] = null
			}
		}
	}
	return &contents{all[0], all[1:]}, nil
}

func readParquet(data []byte) (*contents, error) {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	c := &contents{}
	for _, field := range f.Schema().Fields() {
		c.columns = append(c.columns, field.Name())
	}
	buf := make([]parquet.Row, 1000)
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				c.rows = append(c.rows, parquetRow(row))
			}
			if err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
		}
		rows.Close()
	}
	return c, nil
}

func parquetRow(row parquet.Row) []string {
	cells := make([]string, len(row))
	for i, v := range row {
		switch {
		case v.IsNull():
			cells[i] = null
		case v.Kind() == parquet.Double:
			cells[i] = formatDouble(v.Double())
		case v.Kind() == parquet.ByteArray:
			cells[i] = string(v.ByteArray())
		default:
			cells[i] = v.String()
		}
	}
	return cells
}

func formatDouble(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func readArrow(data []byte) (*contents, error) {
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := &contents{}
	for _, f := range r.Schema().Fields() {
		c.columns = append(c.columns, f.Name)
	}
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			return nil, err
		}
		c.addRecord(rec)
	}
	return c, r.Close()
}

func readArrowStream(data []byte) (*contents, error) {
	r, err := ipc.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	c := &contents{}
	for _, f := range r.Schema().Fields() {
		c.columns = append(c.columns, f.Name)
	}
	for r.Next() {
		c.addRecord(r.Record())
	}
	return c, r.Err()
}

func (c *contents) addRecord(rec arrow.Record) {
	for row := range int(rec.NumRows()) {
		cells := make([]string, rec.NumCols())
		for col := range cells {
			cells[col] = arrowCell(rec.Column(col), row)
		}
		c.rows = append(c.rows, cells)
	}
}

// readJSON takes the names of the columns from the first row, and so there are none without rows.
func readJSON(data []byte) (*contents, error) {
	c := &contents{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	for d.More() {
		var line json.RawMessage
		if err := d.Decode(&line); err != nil {
			return nil, err
		}
		names, cells, err := jsonRow(line)
		if err != nil {
			return nil, err
		}
		if c.columns = names; err == nil {
			c.rows = append(c.rows, cells)
		}
	}
	_, err := d.Token()
	return c, err
}

// jsonRow reads an object in the order of its keys.
func jsonRow(line []byte) (names, cells []string, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		value, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		cell := fmt.Sprint(value)
		if value == nil {
			cell = null
		}
		names, cells = append(names, key.(string)), append(cells, cell)
	}
	return names, cells, nil
}

func arrowCell(a arrow.Array, row int) string {
	if a.IsNull(row) {
		return null
	}
	switch a := a.(type) {
	case *array.Int64:
		return strconv.FormatInt(a.Value(row), 10)
	case *array.Float64:
		return formatDouble(a.Value(row))
	case *array.Boolean:
		return strconv.FormatBool(a.Value(row))
	case *array.String:
		return a.Value(row)
	case *array.Dictionary:
		return arrowCell(a.Dictionary(), a.GetValueIndex(row))
	default:
		return fmt.Sprintf("unexpected %s", a.DataType())
	}
}
