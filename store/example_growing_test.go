package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/store"
)

// A file that is still being written can be asked about up to its last whole group of slices, and followed to its end.
func ExampleOpenGrowing() {
	ctx := context.Background()
	file := ringFile(store.Options{SliceEvents: 50, Fanout: 4})
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, "run.pando.part")
	if err := os.WriteFile(part, file[:len(file)/2], 0o644); err != nil { // as a writer leaves it, half way
		log.Fatal(err)
	}

	g, err := store.OpenGrowing(ctx, part, store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	some := g.Reader().Info().Events
	fmt.Println("some events:", some > 0, "ended:", g.Ended(), "damaged:", g.Stopped() != nil)

	if err := os.WriteFile(part, file, 0o644); err != nil {
		log.Fatal(err)
	}
	grown, err := g.Refresh(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("more events:", g.Reader().Info().Events > some, "grown:", grown, "ended:", g.Ended(), "unfinished:", g.Reader().Unfinished())
	// Output:
	// some events: true ended: false damaged: false
	// more events: true grown: true ended: true unfinished: false
}

// The bytes of a growing file may come from anywhere. The caller says each time how many there are.
func ExampleNewGrowing() {
	ctx := context.Background()
	file := ringFile(store.Options{SliceEvents: 50, Fanout: 4})
	g, err := store.NewGrowing(ctx, bytes.NewReader(file), int64(len(file)/2), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	grown, err := g.RefreshTo(ctx, int64(len(file)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(grown, g.Reader().Info().Messages, "messages")
	// Output: true 80 messages
}
