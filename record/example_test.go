package record_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/trace"
)

func Example() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rec, err := record.Start(dir, record.Options{Budget: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	solve, load := rec.Region("solve", record.At("solve.go", 17)), rec.Metric("load", "1")
	w := rec.Location("worker 3")
	w.Enter(solve)
	w.Metric(load, 5)
	w.Leave()

	// Where there is no handle, a context carries it.
	ctx := record.With(context.Background(), w)
	record.In(ctx, rec.Region("parse")).End()
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}

	src, err := convert.Open(context.Background(), rec.Path(), convert.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	log, _ := src.Definitions(0)
	defs := trace.NewDefinitions(log)
	stream, _ := src.Open(src.Streams()[0].StreamID)
	var b trace.Batch
	_ = stream.Next(&b, 100)
	for i, k := range b.Kinds {
		if k == trace.KindEnter {
			fmt.Println("enter", defs.RegionName(b.Fields(i)[0]))
		} else {
			fmt.Println(k)
		}
	}
	// Output:
	// enter solve
	// Metric
	// Leave
	// enter parse
	// Leave
}
