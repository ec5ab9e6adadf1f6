package columnar_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// One table of a file, as CSV. Export writes several, and as files of other formats.
func ExampleExporter_Write() {
	ctx := context.Background()
	src := tracegen.Ring(2, 5, 1)
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(ctx, w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
	r, err := store.NewReader(ctx, bytes.NewReader(file.Bytes()), int64(file.Len()), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := columnar.New(r)
	if err != nil {
		log.Fatal(err)
	}
	var table bytes.Buffer
	written, err := x.Write(ctx, &table, "locations", columnar.Options{Format: columnar.CSV, Whole: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(written.Rows, "rows")
	fmt.Println(bytes.Count(table.Bytes(), []byte("\n")), "lines")
	// Output:
	// 2 rows
	// 3 lines
}
