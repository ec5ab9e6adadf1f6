package trace_test

import (
	"fmt"
	"io"
	"log"

	"github.com/pandotrace/pando/trace"
)

// define returns definitions of two MPI ranks that call main and MPI_Send. Words are the fields of a kind in the order of [trace.Standard].
func define() (defs []trace.Record) {
	const none = trace.Undefined >> 32 // of fields of 32 bits
	for id, name := range []string{"main", "MPI_Send", "rank 0", "rank 1"} {
		r := trace.Record{Kind: trace.KindString}
		r.Words = []uint64{uint64(id), r.PutText(name)}
		defs = append(defs, r)
	}
	for id := range uint64(2) {
		defs = append(defs,
			trace.Record{Kind: trace.KindRegion, Words: []uint64{10 + id, id, none, none, 0, 0, id, 1, 0, 0}},
			trace.Record{Kind: trace.KindLocationGroup, Words: []uint64{id, 2 + id, 1, none, none}},
			trace.Record{Kind: trace.KindLocation, Words: []uint64{id, 2 + id, 1, 0, id}})
	}
	return defs
}

// Events stand in arrays: kinds, times, and the words of all fields one behind the other.
func ExampleBatch() {
	b := &trace.Batch{Location: 1}
	b.Append(trace.KindEnter, 100, 10)
	b.Append(trace.KindLeave, 250, 10)
	for i, kind := range b.Kinds {
		fmt.Println(b.Times[i], trace.Standard.Spec(kind).Name, b.Fields(i))
	}
	// Output:
	// 100 Enter [10]
	// 250 Leave [10]
}

// Text fields are bytes in the batch; the field's word says where.
func ExampleBatch_PutText() {
	b := &trace.Batch{}
	b.Begin(trace.KindString, 0)
	b.Words = append(b.Words, 7, b.PutText("MPI_Send"))
	b.End()
	fmt.Printf("string %d is %s\n", b.Fields(0)[0], b.TextOf(b.Fields(0)[1]))
	// Output: string 7 is MPI_Send
}

// Definitions are a log of records, from which tables for look-ups are made.
func ExampleNewDefinitions() {
	d := trace.NewDefinitions(define())
	for _, l := range d.Locations {
		fmt.Println(l.ID, d.Name(trace.SpaceLocation, l.ID))
	}
	fmt.Println(d.Name(trace.SpaceRegion, 11))
	// Output:
	// 0 rank 0
	// 1 rank 1
	// MPI_Send
}

// A kind's specification says what its fields are, and which other records they refer to.
func ExampleTable_Spec() {
	for _, f := range trace.Standard.Spec(trace.KindMpiSend).Fields {
		fmt.Println(f.Name, f.Bits)
	}
	// Output:
	// receiver 32
	// communicator 32
	// msgTag 32
	// msgLength 64
}

// A time axis reads the times that people write, and writes ticks as they read them.
func ExampleTimeAxis() {
	axis := trace.NewTimeAxis(5_000, 1_005_000, 1_000_000) // first and last event, in microseconds
	at, err := axis.ParseTime("20ms")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(at, axis.FormatTime(at))
	length, err := axis.ParseDuration("10%")
	fmt.Println(length, err)
	// Output:
	// 25000 0.020000
	// 100000 <nil>
}

// Traces with the same events have the same fingerprint, whatever holds them and however they are divided into batches.
func ExampleFingerprint() {
	meta := &trace.Meta{Resolution: 1_000_000_000, Kinds: trace.Standard}
	b := &trace.Batch{Location: 1}
	b.Append(trace.KindEnter, 100, 10)
	b.Append(trace.KindLeave, 250, 10)

	whole, parts := trace.NewFingerprint(meta), trace.NewFingerprint(meta)
	whole.Add(b, 0, 2)
	parts.Add(b, 0, 1)
	parts.Add(b, 1, 2)
	fmt.Println(whole.Sum() == parts.Sum())
	// Output: true
}

// The correction of a clock is linear between the times at which its offset was measured.
func ExampleClock() {
	var c trace.Clock
	c.Add(1_000, 0)
	c.Add(2_000, 10)
	var cursor int // where the last look-up ended: the next one is quick
	fmt.Println(c.Corrected(1_500, &cursor), c.Local(1_505))
	// Output: 1505 1500
}

// Sums of durations may have more than 64 bits.
func ExampleSum() {
	s := trace.SumOf(-1)
	for range 3 {
		s.Add(1 << 63)
	}
	fmt.Println(s)
	// Output: 27670116110564327423
}

// A raster divides a window into pixels whose borders are whole ticks.
func ExampleRaster() {
	r := trace.Raster{From: 100, Length: 10, Pixels: 4}
	for p := range r.Pixels + 1 {
		fmt.Print(r.Border(p), " ")
	}
	fmt.Println(r.Find(106))
	// Output: 100 102 105 107 110 2
}

// Enumerations have the names of OTF2.
func ExampleEnum() {
	fmt.Println(trace.EnumCollectiveOp.Format(11), trace.EnumParadigm.Format(4))
	// Output: ALLREDUCE MPI
}

// Values of counters and attributes are words; their type says how to read them.
func ExampleValueType_Format() {
	minusOne := ^uint64(0)
	fmt.Println(trace.ValueInt64.Format(minusOne), trace.ValueUint64.Format(minusOne))
	// Output: -1 18446744073709551615
}

// oneCall is a trace of one location with one call: the least that a [trace.Source] has to do.
type oneCall struct{}

func (oneCall) Meta() *trace.Meta {
	return &trace.Meta{Resolution: 1_000_000_000, Format: "example", Kinds: trace.Standard}
}

func (oneCall) Definitions(from int) ([]trace.Record, error) { return define()[from:], nil }

func (oneCall) Streams() []trace.StreamInfo {
	return []trace.StreamInfo{{StreamID: trace.StreamID{Class: trace.StreamEvents}, Records: 2}, {StreamID: trace.StreamID{Class: trace.StreamEvents, Location: 1}}}
}

func (oneCall) Open(id trace.StreamID) (trace.Stream, error) {
	return &oneStream{location: id.Location, done: id.Location != 0}, nil
}
func (oneCall) Warnings() []trace.Warning { return nil }
func (oneCall) Close() error              { return nil }

type oneStream struct {
	location uint64
	done     bool
}

func (s *oneStream) Next(b *trace.Batch, max int) error {
	b.Reset(s.location)
	if s.done {
		return io.EOF
	}
	b.Append(trace.KindEnter, 0, 10)
	b.Append(trace.KindLeave, 50, 10)
	s.done = true
	return nil
}

func (s *oneStream) Close() error { return nil }

// A source is read stream by stream, in batches. Formats of other programs implement it, and all of Pando reads it.
func ExampleSource() {
	var src trace.Source = oneCall{}
	defer src.Close()
	var b trace.Batch
	for _, info := range src.Streams() {
		stream, err := src.Open(info.StreamID)
		if err != nil {
			log.Fatal(err)
		}
		events := 0
		for err = stream.Next(&b, 1_000); err == nil; err = stream.Next(&b, 1_000) {
			events += b.Len()
		}
		if err != io.EOF {
			log.Fatal(err)
		}
		stream.Close()
		fmt.Println("location", info.Location, "has", events, "events")
	}
	// Output:
	// location 0 has 2 events
	// location 1 has 0 events
}
