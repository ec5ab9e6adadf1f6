package columnar

import (
	"bytes"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
)

// numbered is a table that shows what readers skip by: row groups, pages, and what is known of each.
var numbered = table.Schema{Name: "numbered", Sorted: "grows", Columns: []table.Column{
	{Name: "grows", Type: table.Int64, Habit: table.Grows},
	{Name: "varies", Type: table.Int64, Null: true},
	{Name: "empty", Type: table.Int64, Null: true, Habit: table.Grows},
	{Name: "repeats", Type: table.Int64, Habit: table.Repeats},
	{Name: "unique", Type: table.Int64, Habit: table.Repeats}, // not as told: its dictionary grows too large
	{Name: "number", Type: table.Double, Null: true},
	{Name: "truth", Type: table.Bool},
	{Name: "called", Type: table.Name, Null: true, Habit: table.Repeats},
	{Name: "nameless", Type: table.Name, Null: true, Habit: table.Repeats},
	{Name: "text", Type: table.Text, Null: true},
}}

// numberedRow is a row of the table, all of it made of its number.
func numberedRow(b *table.Batch, i int64) {
	v := b.Vectors
	v[0].Ints = append(v[0].Ints, 10*i)
	v[1].Ints, v[1].Null = append(v[1].Ints, math.MinInt64+i*i), append(v[1].Null, i%3 == 0)
	v[2].Ints, v[2].Null = append(v[2].Ints, i), append(v[2].Null, true)
	v[3].Ints = append(v[3].Ints, i%7)
	v[4].Ints = append(v[4].Ints, -i)
	v[5].Doubles, v[5].Null = append(v[5].Doubles, float64(i)/2), append(v[5].Null, i%5 == 0)
	v[6].Bools = append(v[6].Bools, i%2 == 0)
	v[7].Codes, v[7].Null = append(v[7].Codes, int32(i%2)), append(v[7].Null, i%11 == 0)
	v[8].Codes, v[8].Null = append(v[8].Codes, 0), append(v[8].Null, true)
	v[9].Text, v[9].Null = append(v[9].Text, "xyz"[:i%4]...), append(v[9].Null, i%4 == 0)
	v[9].Ends = append(v[9].Ends, int32(len(v[9].Text)))
	b.Rows++
}

// writeNumbered writes n rows.
func writeNumbered(t *testing.T, n int64) []byte {
	t.Helper()
	var out bytes.Buffer
	h := encode.Header{Schema: &numbered, Names: make([]*table.Names, len(numbered.Columns))}
	h.Names[7], h.Names[8] = &table.Names{List: []string{"even", "odd"}}, &table.Names{}
	e, err := encode.New(Parquet, &output{w: &out}, h)
	if err != nil {
		t.Fatal(err)
	}
	b := table.NewBatch(len(numbered.Columns))
	for i := range n {
		numberedRow(b, i)
		if b.Rows == table.PageRows || i == n-1 {
			if err := e.Write(b); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestParquetRowGroups(t *testing.T) {
	const rows = encode.GroupRows + 3*table.PageRows + 5
	data := writeNumbered(t, rows)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	first := int64(0)
	for i, g := range f.Metadata().RowGroups {
		if want := []int64{encode.GroupRows, 3*table.PageRows + 5}[i]; g.NumRows != want {
			t.Errorf("row group %d: %d rows, want %d", i, g.NumRows, want)
		}
		if len(g.SortingColumns) != 1 || g.SortingColumns[0].ColumnIdx != 0 || g.SortingColumns[0].Descending {
			t.Errorf("row group %d: sorted by %+v", i, g.SortingColumns)
		}
		checkChunks(t, &g)
		checkPages(t, f.RowGroups()[i].ColumnChunks()[0], first)
		first += g.NumRows
	}
	c, err := readParquet(data)
	if err != nil || len(c.rows) != rows {
		t.Fatalf("%d rows, %v", len(c.rows), err)
	}
	last := c.rows[rows-1]
	if want := []string{"1556520", null, null, "0", "-155652", "77826", "true", "even", null, null}; !equalTo(last, want) {
		t.Errorf("last row %q, want %q", last, want)
	}
}

func equalTo(got, want []string) bool {
	for i := range want {
		if got[i] != want[i] {
			return false
		}
	}
	return len(got) == len(want)
}

// checkChunks looks at what a row group says of its columns: nulls, encodings, compression.
func checkChunks(t *testing.T, g *format.RowGroup) {
	t.Helper()
	encodings := map[string]format.Encoding{
		"grows": format.DeltaBinaryPacked, "varies": format.Plain, "repeats": format.RLEDictionary, "unique": format.RLEDictionary,
		"number": format.Plain, "called": format.RLEDictionary,
	}
	for i := range g.Columns {
		m := &g.Columns[i].MetaData
		name := m.PathInSchema[0]
		if want, ok := encodings[name]; ok && m.EncodingStats[len(m.EncodingStats)-1].Encoding != want && name != "unique" {
			t.Errorf("%s: encoding %v, want %v", name, m.EncodingStats, want)
		}
		if m.Codec != format.Zstd {
			t.Errorf("%s: compression %v", name, m.Codec)
		}
		nulls := map[string]int64{"empty": g.NumRows, "nameless": g.NumRows, "varies": (g.NumRows + 2) / 3}
		if want, ok := nulls[name]; ok && (m.Statistics.NullCount < want-1 || m.Statistics.NullCount > want) {
			t.Errorf("%s: %d nulls of %d rows, want %d", name, m.Statistics.NullCount, g.NumRows, want)
		}
	}
}

// checkPages looks at the page index of the column of growing numbers.
func checkPages(t *testing.T, c parquet.ColumnChunk, first int64) {
	t.Helper()
	index, err := c.ColumnIndex()
	if err != nil {
		t.Fatal(err)
	}
	offsets, err := c.OffsetIndex()
	if err != nil {
		t.Fatal(err)
	}
	for i := range index.NumPages() {
		if row := offsets.FirstRowIndex(i); row != int64(i*table.PageRows) || index.MinValue(i).Int64() != 10*(first+row) {
			t.Errorf("page %d begins with row %d and %v, want %d and %d", i, row, index.MinValue(i), i*table.PageRows, 10*(first+row))
		}
	}
}

// A column of names that are all null, numbers that are all null, and one row.
func TestParquetSmall(t *testing.T) {
	for _, n := range []int64{0, 1, table.PageRows} {
		c, err := readParquet(writeNumbered(t, n))
		if err != nil || int64(len(c.rows)) != n {
			t.Errorf("%d rows, want %d, %v", len(c.rows), n, err)
		}
	}
}
