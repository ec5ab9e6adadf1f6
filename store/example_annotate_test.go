package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace/annotation"
)

// Annotate gives a part of a trace a name, in a new file.
func ExampleAnnotate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, run, named := context.Background(), filepath.Join(dir, "run.pando"), filepath.Join(dir, "named.pando")
	src := tracegen.Ring(3, 10, 1)
	w, err := store.Create(ctx, run, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(ctx, w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		list := []annotation.Annotation{{Kind: annotation.Messages, Name: "start", Class: "ring", To: 50, Communicator: annotation.NoCommunicator, Text: "before the clocks agree"}}
		err = store.Annotate(ctx, run, named, list, store.OutputOptions{}, nil)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := store.Open(ctx, named, store.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for _, a := range r.Meta().Annotations {
		fmt.Printf("%s of %s, ticks %d to %d: %s, %s\n", a.Name, a.Kind, a.From, a.To, a.Class, a.Text)
	}
	// Output:
	// start of messages, ticks 0 to 50: ring, before the clocks agree
}
