package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/selector"
)

// pingPong returns the file of a trace in which rank 0 sends three messages to rank 1, the last of which is never received.
func pingPong(ctx context.Context) []byte {
	const world, locations, ofLocations, mpi, undefined = 0, 0, 4, 4, trace.Undefined >> 32 // ofLocations and mpi as OTF2 numbers them
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, &trace.Meta{Resolution: 1_000_000_000}, store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	defs := append(define(),
		trace.Record{Kind: trace.KindGroup, Words: []uint64{locations, 0, 2, 0, 1, ofLocations, mpi, 0}}, // locations 0 and 1
		trace.Record{Kind: trace.KindComm, Words: []uint64{world, 0, locations, undefined, 0}})
	sender, receiver := &trace.Batch{Location: 0}, &trace.Batch{Location: 1}
	for i := range int64(3) {
		sender.Append(trace.KindMpiSend, 1000*i, 1, world, 7, 64) // to rank 1, tag 7, 64 bytes
	}
	for i := range int64(2) {
		receiver.Append(trace.KindMpiRecv, 1000*i+300, 0, world, 7, 64)
	}
	if err := errors.Join(w.Define(defs...), w.Append(sender), w.Append(receiver), w.Close()); err != nil {
		log.Fatal(err)
	}
	return file.Bytes()
}

// A Reader reads any io.ReaderAt: a file in memory, or one of an object store. Messages that overlap the window come with both ends.
func ExampleWindow_Messages() {
	ctx := context.Background()
	file := pingPong(ctx)
	r, err := store.NewReader(ctx, bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for m, err := range r.Window(100, 2000).Messages() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.SendLocation, "to", m.ReceiveLocation, "takes", m.ReceiveTime-m.SendTime, "for", m.SendLength, "bytes")
	}
	// Output:
	// 0 to 1 takes 300 for 64 bytes
	// 0 to 1 takes 300 for 64 bytes
}

// Ends without a partner are sends that nobody received, and receives of which no send was recorded.
func ExampleWindow_UnmatchedMessageEnds() {
	ctx := context.Background()
	file := pingPong(ctx)
	r, err := store.NewReader(ctx, bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for e, err := range r.All().UnmatchedMessageEnds() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("lost: sent by", e.Batch.Location, "at", e.Batch.Times[e.Index])
	}
	// Output: lost: sent by 0 at 2000
}

// The latest event of a kind before a moment: the search goes back in time, and reads no more than it must.
func ExampleWindow_EventsBackward() {
	r, done := openExample()
	defer done()
	for e, err := range r.Window(0, 45_000).WithLocations(0).WithKinds(trace.KindLeave).EventsBackward() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the last leave is at", e.Batch.Times[e.Index])
		break
	}
	// Output: the last leave is at 39000
}

// The latest call of a region that begins before a moment and lasts for some time.
func ExampleWindow_CallsByStartBackward() {
	r, done := openExample()
	defer done()
	w := r.All().WithRegions(regionCompute).WithLocations(1).WithMinDuration(5_000)
	for call, err := range w.Within(0, 45_000).CallsByStartBackward() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("it begins at", call.Start)
		break
	}
	// Output: it begins at 40000
}

// Bounds are texts, as people write them: percent of the trace's time, seconds, or a time after the begin.
func ExampleReader_ParseWindow() {
	r, done := openExample()
	defer done()
	w, err := r.ParseWindow("40%", "+10us")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Bounds())
	axis := r.TimeAxis()
	fmt.Println(axis.FormatTime(40_000))
	// Output:
	// 40000 50000
	// 0.000040000
}

// How much a question may have to decode is known before it is asked.
func ExampleWindow_TouchedEvents() {
	r, done := openExample()
	defer done()
	n, err := r.Window(0, 1000).TouchedEvents()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("at most", n, "of", r.Info().Events)
	// Output: at most 84 of 84
}

// A window is a source: what converts, compares or copies traces takes a part of one, too.
func ExampleWindow_Source() {
	r, done := openExample()
	defer done()
	src := r.Window(0, 20_000).WithLocations(0).Source()
	events := 0
	for _, info := range src.Streams() {
		s, err := src.Open(info.StreamID)
		if err != nil {
			log.Fatal(err)
		}
		var b trace.Batch
		for err = s.Next(&b, 1000); err == nil; err = s.Next(&b, 1000) {
			events += b.Len()
		}
		if err := s.Close(); err != nil {
			log.Fatal(err)
		}
		if err != io.EOF {
			log.Fatal(err)
		}
	}
	fmt.Println(events, "events")
	// Output: 9 events
}

// The graph of shapes that the file holds in place of its call trees is smaller by far, if programs repeat themselves.
func ExampleReader_Compaction() {
	r, done := openExample()
	defer done()
	c, err := r.Compaction(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Before.Nodes, "nodes of call trees,", c.After().Nodes, "of shapes")
	// Output: 44 nodes of call trees, 9 of shapes
}

// Readers may share a cache, as a server of many files does: its size bounds what all of them keep.
func ExampleNewCache() {
	ctx := context.Background()
	file := pingPong(ctx)
	shared := store.NewCache(64 << 20)
	for range 2 {
		r, err := store.NewReader(ctx, bytes.NewReader(file), int64(len(file)), store.ReadOptions{Cache: shared})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Info().Events, "events")
		r.Close()
	}
	// Output:
	// 5 events
	// 5 events
}

// A damaged file is searched for what is intact first; then its events are written anywhere, with options like the file's own.
func ExampleOpenRecovery() {
	ctx := context.Background()
	file := pingPong(ctx)
	torn := file[:len(file)-10]
	found, err := store.OpenRecovery(ctx, bytes.NewReader(torn), int64(len(torn)), store.ReadOptions{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var saved bytes.Buffer
	w, err := store.NewWriter(ctx, &saved, found.Meta(), found.Options())
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	report, err := found.Copy(ctx, w, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Events, "events, lossless:", report.Lossless())
	// Output: 5 events, lossless: true
}

// A part's overlapping calls include those that began before it, so that each part can be judged by itself: here, how deep calls are.
func ExamplePart_OverlappingCalls() {
	r, done := openExample()
	defer done()
	w := r.Window(15_000, 25_000).WithLocations(0)
	for deepest, err := range store.Parts(w, store.PartCalls, func(p *store.Part) (deepest uint64, err error) {
		calls, err := p.OverlappingCalls()
		for _, c := range calls {
			deepest = max(deepest, uint64(c.Depth)+1)
		}
		return deepest, err
	}) {
		if err != nil {
			log.Fatal(err)
		}
		from, to := w.Bounds()
		fmt.Println(deepest, "calls deep in", to-from, "ticks")
	}
	// Output: 2 calls deep in 10000 ticks
}

// Definitions give names to ids.
func ExampleReader_Definitions() {
	r, done := openExample()
	defer done()
	defs, err := r.Definitions()
	if err != nil {
		log.Fatal(err)
	}
	regions, err := selector.Regions(defs, []string{"MPI_*"})
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range regions {
		fmt.Println(id, defs.Name(trace.SpaceRegion, id))
	}
	// Output: 2 MPI_Send
}
