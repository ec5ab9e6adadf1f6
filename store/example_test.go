package store_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// The ids of the example: two processes call main, and in it compute and MPI_Send.
const (
	regionMain = iota
	regionCompute
	regionSend
)

var regionNames = []string{"main", "compute", "MPI_Send"}

// define returns the definitions of the example. Words are the fields of a kind in the order of trace.Standard.
func define() (defs []trace.Record) {
	const none = trace.Undefined >> 32 // of fields of 32 bits
	add := func(kind trace.Kind, words ...uint64) {
		defs = append(defs, trace.Record{Kind: kind, Words: words})
	}
	for id, name := range []string{"main", "compute", "MPI_Send", "rank 0", "rank 1"} {
		r := trace.Record{Kind: trace.KindString}
		r.Words = []uint64{uint64(id), r.PutText(name)}
		defs = append(defs, r)
	}
	for id := range uint64(len(regionNames)) {
		add(trace.KindRegion, id, id, none, none, 0, 0, id, 1, 0, 0)
	}
	for rank := range uint64(2) {
		add(trace.KindLocationGroup, rank, 3+rank, 1, none, none)
		add(trace.KindLocation, rank, 3+rank, 1, 0, rank)
	}
	return defs
}

// events returns what a rank does: a clock of nanoseconds, main for 100 µs, ten times 8 µs of work and 1 µs of sending.
func events(rank uint64) *trace.Batch {
	b := &trace.Batch{Location: rank}
	b.Append(trace.KindEnter, 0, regionMain)
	for i := range int64(10) {
		b.Append(trace.KindEnter, i*10_000, regionCompute)
		b.Append(trace.KindLeave, i*10_000+8_000, regionCompute)
		b.Append(trace.KindEnter, i*10_000+8_000, regionSend)
		b.Append(trace.KindLeave, i*10_000+9_000, regionSend)
	}
	b.Append(trace.KindLeave, 100_000, regionMain)
	return b
}

// writeExample writes the example into a folder, and returns its path.
func writeExample(ctx context.Context, dir string) string {
	path := filepath.Join(dir, "run.pando")
	w, err := store.Create(ctx, path, &trace.Meta{Resolution: 1_000_000_000}, store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	if err := w.Define(define()...); err != nil {
		log.Fatal(err)
	}
	for rank := range uint64(2) {
		if err := w.Append(events(rank)); err != nil {
			log.Fatal(err)
		}
		if err := w.Finish(rank); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return path
}

// openExample opens the example; done closes and removes it.
func openExample() (r *store.Reader, done func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	if r, err = store.Open(ctx, writeExample(ctx, dir), store.ReadOptions{}); err != nil {
		log.Fatal(err)
	}
	return r, func() { r.Close(); os.RemoveAll(dir) }
}

// A writer takes definitions, and then events: those of one location in the order of time.
func ExampleCreate() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "run.pando")
	w, err := store.Create(ctx, path, &trace.Meta{Resolution: 1_000_000_000}, store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort() // does nothing after Close
	if err := w.Define(define()...); err != nil {
		log.Fatal(err)
	}
	for rank := range uint64(2) {
		if err := w.Append(events(rank)); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	_, err = os.Stat(path)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	r, err := store.Open(ctx, writeExample(ctx, dir), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	i := r.Info()
	fmt.Println(i.Events, "events on", i.Locations, "locations in", i.Last-i.First, "ticks")
	// Output: 84 events on 2 locations in 100000 ticks
}

// A window is narrowed step by step, and reads nothing before a question is asked.
func ExampleReader_Window() {
	r, done := openExample()
	defer done()
	w := r.Window(20_000, 50_000).WithLocations(1).WithRegions(regionSend)
	n := 0
	for _, err := range w.Calls() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n, "calls")
	// Output: 3 calls
}

// Work on a window ends when its context is done.
func ExampleWindow_WithContext() {
	r, done := openExample()
	defer done()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := r.All().WithContext(ctx).Summary()
	fmt.Println(err)
	// Output: context canceled
}

// Calls that overlap the window come whole, in the order of their starts.
func ExampleWindow_Calls() {
	r, done := openExample()
	defer done()
	for call, err := range r.Window(21_000, 29_500).WithLocations(0).Calls() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(call.Depth, regionNames[call.Region], call.Start, call.Duration(), call.Exclusive)
	}
	// Output:
	// 0 main 0 100000 10000
	// 1 compute 20000 8000 8000
	// 1 MPI_Send 28000 1000 1000
}

// Calls as columns are added up without looking at them one by one. Only the columns that are named are filled.
func ExampleWindow_CallBatches() {
	r, done := openExample()
	defer done()
	calls, exclusive := 0, int64(0)
	for b, err := range r.All().CallBatches(trace.CallExclusive) {
		if err != nil {
			log.Fatal(err)
		}
		calls += b.Len()
		for _, ticks := range b.Exclusive {
			exclusive += ticks
		}
	}
	fmt.Println(calls, "calls,", exclusive, "ticks in them")
	// Output: 42 calls, 200000 ticks in them
}

// Where no order of time is needed, calls come location by location, in each batch.
func ExampleWindow_CallBatchesByLocation() {
	r, done := openExample()
	defer done()
	for b, err := range r.Window(21_000, 29_500).CallBatchesByLocation(trace.CallLocations, trace.CallStarts, trace.CallDepths) {
		if err != nil {
			log.Fatal(err)
		}
		for i := range b.Len() {
			fmt.Println("location", b.Locations[i], "depth", b.Depths[i], "start", b.Starts[i])
		}
	}
	// Output:
	// location 0 depth 0 start 0
	// location 0 depth 1 start 20000
	// location 0 depth 1 start 28000
	// location 1 depth 0 start 0
	// location 1 depth 1 start 20000
	// location 1 depth 1 start 28000
}

// The next call of a region is found without reading what lies between.
func ExampleWindow_CallsByStart() {
	r, done := openExample()
	defer done()
	for call, err := range r.Window(55_000, r.Info().Last).WithRegions(regionSend).WithLocations(1).CallsByStart() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the next send begins at", call.Start)
		break
	}
	// Output: the next send begins at 58000
}

func ExampleWindow_LongestCalls() {
	r, done := openExample()
	defer done()
	longest, err := r.All().WithRegions(regionCompute, regionSend).LongestCalls(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(regionNames[longest[0].Region], longest[0].Duration())
	// Output: compute 8000
}

// Events of all locations come merged by time.
func ExampleWindow_Events() {
	r, done := openExample()
	defer done()
	for e, err := range r.Window(8_000, 9_500).Events() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Batch.Times[e.Index], e.Batch.Location, r.Meta().Kinds.Spec(e.Batch.Kinds[e.Index]).Name)
	}
	// Output:
	// 8000 0 Leave
	// 8000 0 Enter
	// 8000 1 Leave
	// 8000 1 Enter
	// 9000 0 Leave
	// 9000 1 Leave
}

// Batches are the fastest way through all events.
func ExampleWindow_Batches() {
	r, done := openExample()
	defer done()
	enters := 0
	for b, err := range r.All().Batches() {
		if err != nil {
			log.Fatal(err)
		}
		for _, kind := range b.Kinds {
			if kind == trace.KindEnter {
				enters++
			}
		}
	}
	fmt.Println(enters, "enters")
	// Output: 42 enters
}

// A summary is exact, and takes about the same time for windows of any length.
func ExampleWindow_Summary() {
	r, done := openExample()
	defer done()
	sum, err := r.Window(0, 50_000).WithLocations(0).Summary(store.SummaryCalls)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range sum.Calls {
		fmt.Println(regionNames[c.Region], c.Count, c.Inclusive, c.Exclusive)
	}
	// Output:
	// main 1 50000 5000
	// compute 5 40000 40000
	// MPI_Send 5 5000 5000
}

// The sums over a group of locations have one line for each region.
func ExampleWindow_CallSums() {
	r, done := openExample()
	defer done()
	sums, err := r.Window(0, 50_000).WithLocations(0, 1).CallSums()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range sums {
		fmt.Println(regionNames[c.Region], c.Count, c.Inclusive, c.Exclusive)
	}
	// Output:
	// main 2 100000 10000
	// compute 10 80000 80000
	// MPI_Send 10 10000 10000
}

// A timeline says for each pixel how long each region was the innermost one.
func ExampleWindow_Timeline() {
	r, done := openExample()
	defer done()
	t, err := r.Window(0, 20_000).WithLocations(1).Timeline(2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range t.Cells {
		fmt.Println("pixel", c.Pixel, regionNames[t.Regions[c.Region]], c.Ticks)
	}
	// Output:
	// pixel 0 main 1000
	// pixel 0 compute 8000
	// pixel 0 MPI_Send 1000
	// pixel 1 main 1000
	// pixel 1 compute 8000
	// pixel 1 MPI_Send 1000
}

// A sum tells what a group of locations does together: here, all of them.
func ExampleWindow_TimelineSum() {
	r, done := openExample()
	defer done()
	window := r.Window(0, 20_000)
	t, err := window.TimelineSum(2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range t.Cells {
		fmt.Println("pixel", c.Pixel, regionNames[t.Regions[c.Region]], c.Ticks)
	}
	from, to := window.Whole().Bounds()
	fmt.Println("of", from, "to", to-1)
	// Output:
	// pixel 0 main 2000
	// pixel 0 compute 16000
	// pixel 0 MPI_Send 2000
	// pixel 1 main 2000
	// pixel 1 compute 16000
	// pixel 1 MPI_Send 2000
	// of 0 to 100000
}

// The structure of a lane is its shapes, counted: no value is decoded for it.
func ExampleWindow_Structure() {
	r, done := openExample()
	defer done()
	for lane, err := range r.All().Structure() {
		if err != nil {
			log.Fatal(err)
		}
		events := uint64(0)
		for _, run := range lane.Runs {
			for _, token := range run.Tokens {
				events += lane.Shapes.Events(token.Shape) * uint64(token.Count)
			}
		}
		fmt.Println(len(lane.Runs), "locations,", events, "events")
	}
	// Output: 2 locations, 84 events
}

// The times of events are decoded without their other values.
func ExampleWindow_Times() {
	r, done := openExample()
	defer done()
	for run, err := range r.All().WithLocations(1).Times() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("location", run.Location, "has", len(run.Times), "events from", run.Times[0], "to", run.Times[len(run.Times)-1])
	}
	// Output: location 1 has 42 events from 0 to 100000
}

// The stack of a location when a window begins.
func ExampleWindow_OpenCalls() {
	r, done := openExample()
	defer done()
	open, err := r.Window(33_000, 34_000).WithLocations(0).OpenCalls()
	if err != nil {
		log.Fatal(err)
	}
	for _, call := range open {
		fmt.Println(regionNames[call.Region], "of location", call.Location, "since", call.Start)
	}
	// Output:
	// main of location 0 since 0
	// compute of location 0 since 30000
}

func ExampleReader_CallStack() {
	r, done := openExample()
	defer done()
	stack, err := r.CallStack(0, 33_000)
	if err != nil {
		log.Fatal(err)
	}
	for _, call := range stack {
		fmt.Println(regionNames[call.Region], "since", call.Start)
	}
	// Output:
	// main since 0
	// compute since 30000
}

// Parts are the slices of a window: work on them is done on all processors, and its results come in order.
func ExampleParts() {
	r, done := openExample()
	defer done()
	total := int64(0)
	for ticks, err := range store.Parts(r.All().WithRegions(regionSend), store.PartCalls, func(p *store.Part) (ticks int64, err error) {
		calls, err := p.Calls()
		for i := range calls {
			ticks += calls[i].Duration()
		}
		return ticks, err
	}) {
		if err != nil {
			log.Fatal(err)
		}
		total += ticks
	}
	fmt.Println(total, "ticks of sending")
	// Output: 20000 ticks of sending
}

// Several results of a part are taken while the part is worked on: not all of them are in memory.
func ExampleStreamParts() {
	r, done := openExample()
	defer done()
	long := 0
	for call, err := range store.StreamParts(r.All().WithRegions(regionSend), store.PartCalls, func(p *store.Part, give func(trace.Call) bool) error {
		calls, err := p.Calls()
		for i := range calls {
			if !give(calls[i]) {
				break
			}
		}
		return err
	}) {
		if err != nil {
			log.Fatal(err)
		}
		if call.Duration() >= 1000 {
			long++
		}
	}
	fmt.Println(long, "calls of 1000 ticks or more")
	// Output: 20 calls of 1000 ticks or more
}

func ExampleReader_Verify() {
	r, done := openExample()
	defer done()
	report, err := r.Verify(context.Background(), store.VerifyOptions{Level: store.VerifyDeep})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(report.Problems), "problems")
	// Output: 0 problems
}

func ExampleReader_SpaceUsage() {
	r, done := openExample()
	defer done()
	usage, err := r.SpaceUsage(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	sum := int64(0)
	for _, line := range usage.Lines {
		sum += line.Bytes
	}
	fmt.Println(sum == usage.FileBytes)
	// Output: true
}

// Copy writes any source: here, a trace into a file in memory, in smaller slices.
func ExampleCopy() {
	ctx := context.Background()
	r, done := openExample()
	defer done()
	src := r.Source()
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, src.Meta(), store.Options{SliceEvents: 20})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	if err := store.Copy(ctx, w, src, nil); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	again, err := store.NewReader(ctx, bytes.NewReader(file.Bytes()), int64(file.Len()), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Info().Events, again.Info().SHA256 == r.Info().SHA256)
	// Output: 84 true
}

// Recover makes a sound file of one whose end is missing.
func ExampleRecover() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pando-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file, err := os.ReadFile(writeExample(ctx, dir))
	if err != nil {
		log.Fatal(err)
	}
	torn := file[:len(file)-100]

	path := filepath.Join(dir, "saved.pando")
	report, err := store.Recover(ctx, bytes.NewReader(torn), int64(len(torn)), path, store.RecoverOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Events, "events saved; lossless:", report.Lossless())
	// Output: 84 events saved; lossless: true
}

func ExampleWindow_Cuts() {
	r, done := openExample()
	defer done()
	w := r.All()
	cuts, err := w.Cuts(100) // the trace is small: it has one slice
	fmt.Println(len(cuts), err)
	// Output: 0 <nil>
}

// Opening a file reads nothing of its locations. Their ids, and what their events add up to, are read by those who need them.
func ExampleReader_Locations() {
	r, done := openExample()
	defer done()
	ids, err := r.LocationIDs()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Info().Locations, "locations:", ids)
	locations, err := r.Locations()
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range locations {
		fmt.Println("location", l.ID, "has", l.Events, "events,", l.Calls, "calls, from", l.First, "to", l.Last)
	}
	// Output:
	// 2 locations: [0 1]
	// location 0 has 42 events, 21 calls, from 0 to 100000
	// location 1 has 42 events, 21 calls, from 0 to 100000
}
