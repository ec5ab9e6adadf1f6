package convert_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/store"
)

// traceEvents is a trace in Chrome's format.
const traceEvents = `[
	{"name": "main", "ph": "B", "ts": 0, "pid": 1, "tid": 1},
	{"name": "work", "ph": "X", "ts": 10, "dur": 20, "pid": 1, "tid": 1},
	{"name": "main", "ph": "E", "ts": 40, "pid": 1, "tid": 1}
]`

// Open finds out what is at a path, and opens it: here, to make a Pando file of it.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.json")
	if err := os.WriteFile(path, []byte(traceEvents), 0o600); err != nil {
		log.Fatal(err)
	}

	src, err := convert.Open(ctx, path, convert.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	w, err := store.Create(ctx, filepath.Join(dir, "run.pando"), src.Meta(), store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	if err := store.Copy(ctx, w, src, nil); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := store.Open(ctx, filepath.Join(dir, "run.pando"), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Meta().Format, r.Info().Events, "events,", r.Info().Calls, "calls")
	// Output: Chrome 4 events, 2 calls
}

// Find finds a trace without opening it.
func ExampleFind() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(traceEvents), 0o600); err != nil {
		log.Fatal(err)
	}
	t, err := convert.Find(ctx, dir, convert.Options{}) // the folder, which holds one trace
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	fmt.Println(t.Format, filepath.Base(t.Path))
	// Output: Chrome run.json
}
