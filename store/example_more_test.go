package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"sort"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// ringFile returns a Pando file, in memory, of four ranks that pass messages around.
func ringFile(opt store.Options) []byte {
	ctx := context.Background()
	src := tracegen.Ring(4, 20, 1)
	var file bytes.Buffer
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
	return file.Bytes()
}

// A file need not be one of the system: anything that is an io.ReaderAt can be read.
func ExampleNewReader() {
	file := ringFile(store.Options{})
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Info().Locations, "locations,", r.Info().Messages, "messages")
	// Output: 4 locations, 80 messages
}

// A writer of a stream takes events of several locations in turns; Advance says how far a silent location is.
func ExampleNewWriter() {
	var file bytes.Buffer
	w, err := store.NewWriter(context.Background(), &file, &trace.Meta{Resolution: 1_000_000_000}, store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	steps := []func() error{
		func() error { return w.Define(define()...) },
		func() error { return w.Append(events(0)) },
		func() error { return w.Advance(1, 50_000) }, // rank 1 does nothing before
		func() error { return w.Finish(0) },
		w.Close,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(file.Len() > 0)
	// Output: true
}

// All of a file is a source again: definitions, and a stream of events for each location.
func ExampleReader_Source() {
	r, done := openExample()
	defer done()
	src := r.Source()
	defer src.Close()
	stream, err := src.Open(trace.StreamID{Class: trace.StreamEvents, Location: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer stream.Close()
	var b trace.Batch
	events := 0
	for err = stream.Next(&b, 10); err == nil; err = stream.Next(&b, 10) {
		events += b.Len()
	}
	fmt.Println(events, "events;", err == io.EOF)
	// Output: 42 events; true
}

// Short calls are left out.
func ExampleWindow_WithMinDuration() {
	r, done := openExample()
	defer done()
	w, n := r.All().WithMinDuration(5_000), 0
	for _, err := range w.Calls() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	long, err := w.LongSlices()
	fmt.Println(n, "calls of", w.LeastDuration(), "ns and more, in", long, "slice;", err)
	// Output: 22 calls of 5000 ns and more, in 1 slice; <nil>
}

// Hashes of structure tell whether locations make the same calls, and in which slice a location has come how far.
func ExampleWindow_Hashes() {
	file := ringFile(store.Options{SliceEvents: 50, Hashes: true})
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	w := r.All()
	ok, err := w.HasHashes()
	if err != nil || !ok {
		log.Fatal("no hashes: ", err)
	}
	span, err := w.WholeSlices()
	if err != nil {
		log.Fatal(err)
	}
	hashes, err := w.Hashes(span.First, span.End)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(hashes), "locations; 0 and 1 call the same:", hashes[0].Hash == hashes[1].Hash)
	half := hashes[0].Hash.N / 2
	s, _, err := w.SearchHashes(0, span.First, span.End, content.Hash{}, func(prefixes []content.Hash) int {
		return sort.Search(len(prefixes), func(i int) bool { return prefixes[i].N > half })
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("of", hashes[0].Hash.N, "enters and leaves,", s.Before.N, "come before slice", s.Slice)
	// Output:
	// 4 locations; 0 and 1 call the same: true
	// of 368 enters and leaves, 182 come before slice 21
}

// A counter, pixel by pixel: its least and greatest value, and the last one, which holds until the next.
func ExampleWindow_MetricPixels() {
	file := ringFile(store.Options{})
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	lines, err := r.All().MetricPixels(3, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	for i, p := range lines[0].Pixels {
		fmt.Println("pixel", i, "has", p.Count, "values from", p.Min, "to", p.Max, "and ends with", p.Last)
	}
	// Output:
	// pixel 0 has 28 values from 40028 to 1121220 and ends with 1121220
	// pixel 1 has 29 values from 1161291 to 2282723 and ends with 2282723
	// pixel 2 has 24 values from 2322729 to 3244136 and ends with 3244136
}
