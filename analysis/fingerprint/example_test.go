package fingerprint_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/analysis/fingerprint"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// All ranks of a ring do the same.
func ExampleOf() {
	ctx := context.Background()
	var file bytes.Buffer
	src := tracegen.Ring(4, 100, 1)
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
	locations, err := fingerprint.Of(ctx, r, r.All(), fingerprint.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range locations {
		fmt.Printf("location %d: %d enters and leaves, as location 0: %v\n", l.ID, l.Hash.N, l.Hash == locations[0].Hash)
	}
	// Output:
	// location 0: 1860 enters and leaves, as location 0: true
	// location 1: 1860 enters and leaves, as location 0: true
	// location 2: 1860 enters and leaves, as location 0: true
	// location 3: 1860 enters and leaves, as location 0: true
}
