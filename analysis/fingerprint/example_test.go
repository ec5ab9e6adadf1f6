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

// ring opens a file, in memory, of four ranks that pass messages around.
func ring(rounds int, opt store.Options) *store.Reader {
	ctx := context.Background()
	var file bytes.Buffer
	src := tracegen.Ring(4, rounds, 1)
	w, err := store.NewWriter(ctx, &file, src.Meta(), opt)
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
	return r
}

// All ranks of a ring do the same.
func ExampleOf() {
	ctx := context.Background()
	r := ring(100, store.Options{})
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

// Of two runs, the second one goes on for longer. Their files have hashes of structure and are divided into other slices.
func ExampleFirstDifference() {
	ctx := context.Background()
	short, long := ring(100, store.Options{Hashes: true, SliceEvents: 300}), ring(200, store.Options{Hashes: true, SliceEvents: 500})
	a, b := fingerprint.Side{Reader: short, Window: short.All()}, fingerprint.Side{Reader: long, Window: long.All()}
	pairs, err := fingerprint.Compare(ctx, a, b, fingerprint.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range pairs {
		fmt.Printf("location %d: same %v\n", p.Location, p.Same())
	}
	d, err := fingerprint.FirstDifference(ctx, a, b, fingerprint.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("location %d is the same up to %d enters and leaves.\n", d.Location, d.Same)
	for _, p := range []fingerprint.Place{d.A, d.B} {
		fmt.Printf("event %d in slice %d: %s, a leave: %v\n", p.Ordinal, p.Slice, p.Name, p.Leave)
	}
	// Output:
	// location 0: same false
	// location 1: same false
	// location 2: same false
	// location 3: same false
	// location 0 is the same up to 1859 enters and leaves.
	// event 2698 in slice 35: main, a leave: true
	// event 2698 in slice 21: step, a leave: false
}
