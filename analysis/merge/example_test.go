package merge_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"strings"

	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Three locations run a loop of three rounds; one of them writes a checkpoint in the last one.
func ExampleOf() {
	t := tracegen.New(trace.Meta{Resolution: 1_000_000_000})
	main, step, work, checkpoint := t.Region("main"), t.Region("step"), t.Region("work"), t.Region("checkpoint")
	process := t.Process("process")
	for location := range uint64(3) {
		b, now := t.Location(location, process), int64(0)
		call := func(region uint64, ticks int64, inside ...func()) func() {
			return func() {
				b.Append(trace.KindEnter, now, region)
				for _, do := range inside {
					do()
				}
				now += ticks
				b.Append(trace.KindLeave, now, region)
			}
		}
		usual := call(step, 1, call(work, 10))
		last := usual
		if location == 2 {
			last = call(step, 1, call(work, 10), call(checkpoint, 50))
		}
		call(main, 0, usual, usual, last)()
	}
	var file bytes.Buffer
	ctx := context.Background()
	w, err := store.NewWriter(ctx, &file, t.Meta(), store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Copy(ctx, w, t, nil); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	r, err := store.NewReader(ctx, bytes.NewReader(file.Bytes()), int64(file.Len()), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}

	tree, err := merge.Of(ctx, []merge.Source{{Name: "run", Reader: r, Window: r.Window(math.MinInt64, math.MaxInt64)}}, merge.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		fmt.Printf("%s%s: %d calls on each of %d locations, %d to %d ns\n", strings.Repeat("  ", n.Depth), tree.Forest.NameOf(n.Name),
			n.MostCalls, n.Members, n.Inclusive.Least, n.Inclusive.Most)
	}
	// Output:
	// main: 1 calls on each of 3 locations, 33 to 83 ns
	//   step: 3 calls on each of 3 locations, 33 to 83 ns
	//     work: 3 calls on each of 3 locations, 30 to 30 ns
	//     checkpoint: 1 calls on each of 1 locations, 50 to 50 ns
}
