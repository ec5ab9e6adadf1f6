package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

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

// openRing opens what ringFile returns.
func openRing() *store.Reader {
	file := ringFile(store.Options{})
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// A file need not be one of the system: anything that is an io.ReaderAt can be read.
func ExampleNewReader() {
	file := ringFile(store.Options{})
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(len(r.Info().Locations), "locations,", r.Info().Messages, "messages")
	// Output: 4 locations, 80 messages
}

// Several open files share a cache, which bounds what all of them keep of decoded blocks.
func ExampleNewCache() {
	cache := store.NewCache(64 << 20)
	file := ringFile(store.Options{})
	for range 2 {
		r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Cache: cache})
		if err != nil {
			log.Fatal(err)
		}
		defer r.Close()
		sum, err := r.All().Summary(store.SummaryMessages)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(sum.Messages), "pairs of locations")
	}
	// Output:
	// 4 pairs of locations
	// 4 pairs of locations
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

// Times are written as people do; an end with a + is relative to the begin.
func ExampleReader_ParseWindow() {
	r, done := openExample()
	defer done()
	w, err := r.ParseWindow("40%", "+10us")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Bounds())
	// Output: 40000 50000
}

// Definitions give names to the ids of calls, messages and events.
func ExampleReader_Definitions() {
	r, done := openExample()
	defer done()
	d, err := r.Definitions()
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range d.Locations {
		fmt.Println(l.ID, d.Name(trace.SpaceLocation, l.ID))
	}
	// Output:
	// 0 rank 0
	// 1 rank 1
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

// Messages that overlap the window come whole, in the order of their sends.
func ExampleWindow_Messages() {
	r := openRing()
	defer r.Close()
	i := r.Info()
	for m, err := range r.Window(i.First, i.First+(i.Last-i.First)/20).Messages() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("from", m.SendLocation, "to", m.ReceiveLocation)
		break
	}
	// Output: from 0 to 1
}

// Sends and receives without a partner are listed by an index, not by reading all.
func ExampleWindow_UnmatchedMessageEnds() {
	r := openRing()
	defer r.Close()
	n := 0
	for _, err := range r.All().UnmatchedMessageEnds() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n, "ends of messages without a partner")
	// Output: 0 ends of messages without a partner
}

// The previous call of a region before a time is found without reading what lies between.
func ExampleWindow_CallsByStartBackward() {
	r, done := openExample()
	defer done()
	for call, err := range r.Window(0, 55_000).WithRegions(regionSend).WithLocations(1).CallsByStartBackward() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the send before began at", call.Start)
		break
	}
	// Output: the send before began at 48000
}

// The latest events come first. Earlier ones are read only if the loop goes on.
func ExampleWindow_EventsBackward() {
	r, done := openExample()
	defer done()
	for e, err := range r.All().WithLocations(1).WithKinds(trace.KindEnter).EventsBackward() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the last enter is of", regionNames[e.Batch.Fields(e.Index)[0]], "at", e.Batch.Times[e.Index])
		break
	}
	// Output: the last enter is of MPI_Send at 98000
}

// Short calls are left out.
func ExampleWindow_WithMinDuration() {
	r, done := openExample()
	defer done()
	n := 0
	for _, err := range r.All().WithMinDuration(5_000).Calls() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n, "calls of 5 µs and more")
	// Output: 22 calls of 5 µs and more
}

// A damaged file is looked through first. What can be saved goes into any writer, here one with smaller slices.
func ExampleOpenRecovery() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := ringFile(store.Options{SliceEvents: 50})
	torn := file[:len(file)*3/4]

	rec, err := store.OpenRecovery(ctx, bytes.NewReader(torn), int64(len(torn)), store.ReadOptions{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	w, err := rec.Create(ctx, filepath.Join(dir, "saved.pando"), store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	report, err := rec.Copy(ctx, w, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("something is saved:", report.Events > 0, "everything:", report.Lossless())
	// Output: something is saved: true everything: false
}
