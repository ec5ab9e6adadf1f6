package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// inMemory makes a file of a trace.
func inMemory(src trace.Source) *store.Reader {
	ctx := context.Background()
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
	return r
}

// Cut takes a window out of a file. Calls that cross its border are open or cut in the new trace, which is one of its own.
func ExampleCut() {
	r := inMemory(tracegen.Ring(4, 20, 1))
	first, last := r.Info().First, r.Info().Last
	middle := first + (last-first)/2
	src, err := edit.Cut(r, edit.Selection{From: middle, To: last + 1, Locations: []uint64{0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	part := inMemory(src)
	fmt.Println(part.Info().First == middle, part.Info().Last == last, part.Info().Events < r.Info().Events)
	// Output: true true true
}

// Concat joins the pieces of a trace that was cut: it is the same as before.
func ExampleConcat() {
	r := inMemory(tracegen.Ring(4, 20, 1))
	first, last := r.Info().First, r.Info().Last
	middle := first + (last-first)/2
	a, err := edit.Cut(r, edit.Selection{From: first, To: middle})
	if err != nil {
		log.Fatal(err)
	}
	b, err := edit.Cut(r, edit.Selection{From: middle, To: last + 1})
	if err != nil {
		log.Fatal(err)
	}
	whole, err := edit.Concat(inMemory(a).Source(), inMemory(b).Source())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(inMemory(whole).Info().SHA256 == r.Info().SHA256)
	// Output: true
}

// Select leaves out what is not selected, of a trace of any format: here all locations but two. Their definitions stay.
func ExampleSelect() {
	src, err := edit.Select(tracegen.Ring(4, 20, 1), edit.Selection{Locations: []uint64{0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	locations, err := inMemory(src).Locations()
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range locations {
		fmt.Println(l.ID, l.Events > 0)
	}
	// Output:
	// 0 true
	// 1 true
	// 2 false
	// 3 false
}
