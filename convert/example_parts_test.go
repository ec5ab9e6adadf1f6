package convert_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// findExample finds the example; done removes it.
func findExample() (t *convert.Trace, dir string, done func()) {
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(traceEvents), 0o600); err != nil {
		log.Fatal(err)
	}
	if t, err = convert.Find(context.Background(), dir, convert.Options{}); err != nil {
		log.Fatal(err)
	}
	return t, dir, func() { t.Close(); os.RemoveAll(dir) }
}

// The name of an output says its format.
func ExampleOutputAt() {
	for _, path := range []string{"run.pando", "back/traces.otf2", "run.json.gz"} {
		fmt.Println(path, "is", convert.OutputAt(path).Name)
	}
	// Output:
	// run.pando is Pando
	// back/traces.otf2 is OTF2
	// run.json.gz is Chrome
}

// Write makes any output of any trace that it takes: here a Pando file.
func ExampleOutput_Write() {
	t, dir, done := findExample()
	defer done()
	path := filepath.Join(dir, "run.pando")
	written, err := convert.OutputAt(path).Write(context.Background(), t, path, convert.WriteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(written.Events, "events of", written.Locations, "location")
	// Output: 4 events of 1 location
}

// A window of a foreign trace is cut from a temporary Pando file of it.
func ExampleTrace_Cut() {
	ctx := context.Background()
	t, _, done := findExample()
	defer done()
	whole, err := t.Indexed(ctx, convert.WriteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer whole.Close()
	src, err := whole.Cut(edit.Selection{From: 0, To: 25_000}).Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	fmt.Println(len(src.Streams()) > 0)
	// Output: true
}

// Select opens only the streams of the locations that are chosen.
func ExampleTrace_Select() {
	t, _, done := findExample()
	defer done()
	part := t.Select(func(src trace.Source) (edit.Selection, error) {
		return edit.Selection{Locations: []uint64{src.Streams()[0].Location}}, nil
	})
	src, err := part.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	fmt.Println(src.Meta().Format)
	// Output: Chrome
}

// Merge puts Pando files of different processes beside each other.
func ExampleMerge() {
	ctx := context.Background()
	t, dir, done := findExample()
	defer done()
	var parts []*convert.Trace
	for _, name := range []string{"a.pando", "b.pando"} {
		path := filepath.Join(dir, name)
		if _, err := convert.OutputAt(path).Write(ctx, t, path, convert.WriteOptions{}); err != nil {
			log.Fatal(err)
		}
		part, err := convert.Find(ctx, path, convert.Options{})
		if err != nil {
			log.Fatal(err)
		}
		parts = append(parts, part)
	}
	both := convert.Merge(edit.AlignStarts, parts...)
	defer both.Close()
	path := filepath.Join(dir, "both.pando")
	if _, err := convert.OutputAt(path).Write(ctx, both, path, convert.WriteOptions{}); err != nil {
		log.Fatal(err)
	}
	r, err := store.Open(ctx, path, store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Info().Locations, "locations,", r.Info().Events, "events")
	// Output: 2 locations, 8 events
}

// Formats differ in what their traces can hold.
func ExampleFormats() {
	for _, f := range convert.Formats() {
		fmt.Println(f.Name, "is opened by its", f.Main)
	}
}

// Detect looks at the content of a file, not at its name.
func ExampleDetect() {
	t, _, done := findExample()
	defer done()
	fmt.Println(convert.Detect(t.Path))
	// Output: Chrome true
}
