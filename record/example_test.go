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

// A program names moments, which people look for in the trace.
func ExampleLocation_Mark() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rec, err := record.Start(dir, record.Options{Budget: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	slow, w := rec.Marker("requests", "slow", record.SeverityHigh), rec.Location("worker 3")
	w.Mark(slow, "GET /index")
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}

	src, err := convert.Open(context.Background(), rec.Path(), convert.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	stream, err := src.Open(trace.StreamID{Class: trace.StreamMarkers})
	if err != nil {
		log.Fatal(err)
	}
	var b trace.Batch
	_ = stream.Next(&b, 100)
	for i, k := range b.Kinds {
		w := b.Fields(i)
		if k == trace.KindDefMarker {
			fmt.Printf("%s, %s\n", b.TextOf(w[1]), b.TextOf(w[2]))
		} else {
			fmt.Printf("marker %d at location %d: %s\n", w[2], w[4], b.TextOf(w[5]))
		}
	}
	// Output:
	// requests, slow
	// marker 0 at location 0: GET /index
}

// Every tenth step is recorded with all that it calls. If even these are too many for the budget, calls of the library go first.
func ExamplePhases() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rec, err := record.Start(dir, record.Options{Budget: 1 << 20, Phases: "step=every:10", By: record.Classes("lib.*")})
	if err != nil {
		log.Fatal(err)
	}
	step, find, w := rec.Region("step"), rec.Region("lib.find"), rec.Location("main")
	for range 100 {
		w.Enter(step)
		for range 3 {
			w.Enter(find)
			w.Leave()
		}
		w.Leave()
	}
	fmt.Println("classes that were given up:", rec.GivenUp().Classes)
	if err := rec.Close(); err != nil {
		log.Fatal(err)
	}

	src, err := convert.Open(context.Background(), rec.Path(), convert.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	for _, info := range src.Streams() {
		var b trace.Batch
		stream, _ := src.Open(info.StreamID)
		_ = stream.Next(&b, 1000)
		for i, k := range b.Kinds {
			if k == trace.KindStatisticsRegion {
				fmt.Println("all calls of a region:", b.Fields(i)[1])
			}
		}
		if info.Class == trace.StreamEvents {
			fmt.Println("calls that are in the trace:", b.Len()/2)
		}
	}
	// Output:
	// classes that were given up: 0
	// calls that are in the trace: 40
	// all calls of a region: 100
	// all calls of a region: 300
}

func ExampleClasses() {
	by := record.Classes("std::*", "paradigm:mpi")
	fmt.Println(by, by.Check())
	fmt.Println(record.Classes("paradigm:chess").Check())
	// Output:
	// class:std::*;paradigm:mpi <nil>
	// record: no paradigm is called "chess"; there are user, compiler, openmp, mpi, and the numbers of OTF2
}
