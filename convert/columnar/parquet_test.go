package columnar

import (
	"bytes"
	"math"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// numbered is a table that shows what readers skip by: row groups, pages, and what is known of each.
var numbered = Table{Name: "numbered", sorted: "grows", Columns: []Column{
	{Name: "grows", Type: Int64, habit: grows},
	{Name: "varies", Type: Int64, Null: true},
	{Name: "empty", Type: Int64, Null: true, habit: grows},
	{Name: "repeats", Type: Int64, habit: repeats},
	{Name: "unique", Type: Int64, habit: repeats}, // not as told: its dictionary grows too large
	{Name: "number", Type: Double, Null: true},
	{Name: "truth", Type: Bool},
	{Name: "called", Type: Name, Null: true, habit: repeats},
	{Name: "nameless", Type: Name, Null: true, habit: repeats},
	{Name: "text", Type: Text, Null: true},
}}

// numberedRow is a row of the table, all of it made of its number.
func numberedRow(b *batch, i int64) {
	v := b.vectors
	v[0].ints = append(v[0].ints, 10*i)
	v[1].ints, v[1].null = append(v[1].ints, math.MinInt64+i*i), append(v[1].null, i%3 == 0)
	v[2].ints, v[2].null = append(v[2].ints, i), append(v[2].null, true)
	v[3].ints = append(v[3].ints, i%7)
	v[4].ints = append(v[4].ints, -i)
	v[5].doubles, v[5].null = append(v[5].doubles, float64(i)/2), append(v[5].null, i%5 == 0)
	v[6].bools = append(v[6].bools, i%2 == 0)
	v[7].codes, v[7].null = append(v[7].codes, int32(i%2)), append(v[7].null, i%11 == 0)
	v[8].codes, v[8].null = append(v[8].codes, 0), append(v[8].null, true)
	v[9].text, v[9].null = append(v[9].text, "xyz"[:i%4]...), append(v[9].null, i%4 == 0)
	v[9].ends = append(v[9].ends, int32(len(v[9].text)))
	b.rows++
}

// writeNumbered writes n rows.
func writeNumbered(t *testing.T, n int64) []byte {
	t.Helper()
	var out bytes.Buffer
	h := header{Table: &numbered, names: make([]*names, len(numbered.Columns))}
	h.names[7], h.names[8] = &names{list: []string{"even", "odd"}}, &names{}
	e, err := newParquetEncoder(&out, h)
	if err != nil {
		t.Fatal(err)
	}
	b := newBatch(len(numbered.Columns))
	for i := range n {
		numberedRow(b, i)
		if b.rows == pageRows || i == n-1 {
			if err := e.write(b); err != nil {
				t.Fatal(err)
			}
			b.reset()
		}
	}
	if err := e.close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestParquetRowGroups(t *testing.T) {
	const rows = groupRows + 3*pageRows + 5
	data := writeNumbered(t, rows)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	first := int64(0)
	for i, g := range f.Metadata().RowGroups {
		if want := []int64{groupRows, 3*pageRows + 5}[i]; g.NumRows != want {
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
		if row := offsets.FirstRowIndex(i); row != int64(i*pageRows) || index.MinValue(i).Int64() != 10*(first+row) {
			t.Errorf("page %d begins with row %d and %v, want %d and %d", i, row, index.MinValue(i), i*pageRows, 10*(first+row))
		}
	}
}

// A column of names that are all null, numbers that are all null, and one row.
func TestParquetSmall(t *testing.T) {
	for _, n := range []int64{0, 1, pageRows} {
		c, err := readParquet(writeNumbered(t, n))
		if err != nil || int64(len(c.rows)) != n {
			t.Errorf("%d rows, want %d, %v", len(c.rows), n, err)
		}
	}
}
