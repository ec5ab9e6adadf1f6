package columnar

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// TestGroupsAndSlices: row groups and pages end where slices do, and what a file says of their numbers is exact, so that readers skip
// all that has no rows of a window and nothing else, whatever border the window ends at.
func TestGroupsAndSlices(t *testing.T) {
	r := storedIn(t, tracegen.Ring(4, 2000, 1), 3000)
	borders := sliceBorders(t, r)
	for _, file := range export(t, r, Options{Format: Parquet, Tables: []string{"events", "calls"}}) {
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if file.Table == "events" && len(f.RowGroups()) < 2 {
			t.Errorf("%s: %d row groups of %d rows", file.Table, len(f.RowGroups()), file.Rows)
		}
		for i, c := range f.Schema().Columns() {
			if n := numbersOf(t, f, i); n != nil {
				checkBounds(t, f, i, file.Table+"."+c[0], n, borders[file.Table])
			}
		}
	}
}

// sliceBorders returns, by table, before which rows a slice ends.
func sliceBorders(t *testing.T, r *store.Reader) map[string][]int64 {
	t.Helper()
	borders := map[string][]int64{"events": {0}, "calls": {0}}
	add := func(table string, rows int) {
		list := borders[table]
		borders[table] = append(list, list[len(list)-1]+int64(rows))
	}
	for counts, err := range store.Parts(r.All(), store.PartCalls|store.PartEvents, func(p *store.Part) (n [2]int, err error) {
		calls, err := p.Calls()
		n[1] = len(calls)
		if err == nil {
			err = p.Events(func(trace.Event) { n[0]++ })
		}
		return n, err
	}) {
		if err != nil {
			t.Fatal(err)
		}
		add("events", counts[0])
		add("calls", counts[1])
	}
	return borders
}

// numbersOf returns the values of a column of integers without nulls; nil of other columns.
func numbersOf(t *testing.T, f *parquet.File, column int) (all []int64) {
	t.Helper()
	leaf := f.Root().Columns()[column]
	if leaf.Type().Kind() != parquet.Int64 || leaf.Optional() {
		return nil
	}
	for _, g := range f.RowGroups() {
		pages := g.ColumnChunks()[column].Pages()
		for p, err := pages.ReadPage(); err == nil; p, err = pages.ReadPage() {
			values := make([]parquet.Value, p.NumValues())
			if n, _ := p.Values().ReadValues(values); n != len(values) {
				t.Fatalf("column %d: %d values of %d", column, n, len(values))
			}
			for _, v := range values {
				all = append(all, v.Int64())
			}
		}
		pages.Close()
	}
	return all
}

// checkBounds holds the statistics of a column and its page index against its values.
func checkBounds(t *testing.T, f *parquet.File, column int, name string, values, borders []int64) {
	t.Helper()
	first := int64(0)
	for i, g := range f.RowGroups() {
		c := g.ColumnChunks()[column]
		index, err := c.ColumnIndex()
		if err != nil {
			t.Fatal(err)
		}
		offsets, err := c.OffsetIndex()
		if err != nil {
			t.Fatal(err)
		}
		end := first + g.NumRows()
		least, greatest, ok := c.(*parquet.FileColumnChunk).Bounds()
		if want := values[first:end]; !ok || least.Int64() != slices.Min(want) || greatest.Int64() != slices.Max(want) {
			t.Errorf("%s, row group %d: %v to %v, want %d to %d", name, i, least, greatest, slices.Min(want), slices.Max(want))
		}
		for p := range index.NumPages() {
			from, to := first+offsets.FirstRowIndex(p), end
			if p+1 < index.NumPages() {
				to = first + offsets.FirstRowIndex(p+1)
			}
			if _, ok := slices.BinarySearch(borders, to); !ok {
				t.Errorf("%s, row group %d: page %d ends before row %d, within a slice", name, i, p, to)
			}
			want := values[from:to]
			if index.MinValue(p).Int64() != slices.Min(want) || index.MaxValue(p).Int64() != slices.Max(want) {
				t.Errorf("%s, row group %d, page %d: %v to %v, want %d to %d", name, i, p, index.MinValue(p), index.MaxValue(p), slices.Min(want), slices.Max(want))
			}
		}
		first = end
	}
	if first != int64(len(values)) {
		t.Errorf("%s: %d values in row groups of %d rows", name, len(values), first)
	}
}
