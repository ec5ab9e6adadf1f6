package calltree_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// A recursion of 1000 levels has as many nodes as the depth from which on its levels are folded.
func ExampleOf() {
	ctx := context.Background()
	src := tracegen.Recursion(1000, 1)
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
	defer r.Close()

	p, err := calltree.Of(r, r.All(), calltree.Options{Depth: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range p.Paths {
		fmt.Printf("%s%s: %d calls, %v ticks, %v of them its own\n", strings.Repeat("  ", path.Depth), p.Names.Text(path.Name), path.Calls,
			path.Inclusive, path.Exclusive)
	}
	// Output:
	// function: 1 calls, 220050 ticks, 150 of them its own
	//   function: 1 calls, 219840 ticks, 140 of them its own
	//     function: 998 calls, 219660 ticks, 164640 of them its own
	//       before: 998 calls, 55020 ticks, 55020 of them its own
	//     before: 1 calls, 40 ticks, 40 of them its own
	//   before: 1 calls, 60 ticks, 60 of them its own
}
