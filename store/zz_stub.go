package store

// TEMPORARY: signatures that other packages are written against while the engine is built.

import (
	"io"
	"iter"

	"github.com/pandotrace/pando/trace"
)

// Options of a Writer; zero fields mean the default.
type Options struct {
	SliceEvents   int // events per slice, all locations together (default 16384, more with many locations)
	LaneLocations int // locations per lane (default 64)
	Fanout        int // children per node of the interval tree (default 16)
	EpochSlices   int // slices per epoch (default 128)
	Workers       int // goroutines (default GOMAXPROCS); the file does not depend on it
}

type Writer struct{}

func Create(path string, meta *trace.Meta, opt Options) (*Writer, error)    { panic("stub") } // writes path.part, renamed by Close
func NewWriter(w io.Writer, meta *trace.Meta, opt Options) (*Writer, error) { panic("stub") }
func (w *Writer) Define(defs ...trace.Record) error                         { panic("stub") }
func (w *Writer) Append(b *trace.Batch) error                               { panic("stub") } // events of one location, in time order
func (w *Writer) AppendAux(id trace.StreamID, b *trace.Batch) error         { panic("stub") } // records of auxiliary streams
func (w *Writer) Advance(location uint64, t int64) error                    { panic("stub") } // no event of the location before t will follow
func (w *Writer) Finish(location uint64) error                              { panic("stub") }
func (w *Writer) Close() error                                              { panic("stub") } // directory, footer, rename
func (w *Writer) Abort() error                                              { panic("stub") } // deletes what was written

// Copy writes a whole source: definitions, auxiliary streams, events. progress (may be nil) is called now and then
// with the number of events written so far.
func Copy(w *Writer, src trace.Source, progress func(events uint64)) error { panic("stub") }

type ReadOptions struct {
	CacheBytes int64 // budget of the block cache (default 64 MiB)
}

type Reader struct{}

func Open(path string, opt ReadOptions) (*Reader, error)                    { panic("stub") }
func NewReader(r io.ReaderAt, size int64, opt ReadOptions) (*Reader, error) { panic("stub") }
func (r *Reader) Close() error                                              { panic("stub") }
func (r *Reader) Meta() *trace.Meta                                         { panic("stub") }
func (r *Reader) Definitions() (*trace.Definitions, error)                  { panic("stub") }
func (r *Reader) Info() *Info                                               { panic("stub") }
func (r *Reader) Window(from, to int64) *Window                             { panic("stub") } // [from, to) in ticks relative to the epoch
func (r *Reader) All() *Window                                              { panic("stub") } // the whole trace
func (r *Reader) StackAt(location uint64, t int64) ([]trace.Call, error)    { panic("stub") } // outermost first, after all events at or before t
func (r *Reader) Source() trace.Source                                      { panic("stub") } // the whole trace, stream by stream
func (r *Reader) Verify() (*VerifyReport, error)                            { panic("stub") } // reads and checks every block
func (r *Reader) BytesRead() int64                                          { panic("stub") } // bytes fetched from the file so far

type VerifyReport struct {
	Blocks, Bytes int64
	Problems      []error
}

// Info is what the file says of the trace as a whole.
type Info struct {
	FileBytes                            int64
	Events, Calls, Messages              uint64
	UnmatchedSends                       uint64
	UnmatchedReceives                    uint64
	SuspiciousMessages                   uint64 // receives longer than their send
	OpenCalls, CutCalls                  uint64
	OrphanLeaves                         uint64
	MaxDepth                             uint64
	First, Last                          int64 // times of the first and last event, ticks relative to the epoch; 0, 0 without events
	Definitions                          uint64
	Slices, Epochs, Lanes, Nodes, Levels uint64
	Locations                            []LocationInfo
	Kinds                                []KindCount // kinds that occur, by number
	AuxStreams                           []trace.StreamInfo
}

type LocationInfo struct {
	ID            uint64
	Events, Calls uint64
	First, Last   int64
	MaxDepth      uint64
}

type KindCount struct {
	Kind  trace.Kind
	Count uint64
}

// Window is a time interval of the trace with filters. The With methods return a narrowed copy.
type Window struct{}

func (w *Window) WithLocations(ids ...uint64) *Window       { panic("stub") }
func (w *Window) WithRegions(ids ...uint64) *Window         { panic("stub") } // calls of these regions
func (w *Window) WithKinds(kinds ...trace.Kind) *Window     { panic("stub") } // events of these kinds
func (w *Window) WithMinDuration(ticks int64) *Window       { panic("stub") } // calls at least this long
func (w *Window) Calls() iter.Seq2[trace.Call, error]       { panic("stub") } // ordered by start, location (definition order), ordinal
func (w *Window) Messages() iter.Seq2[trace.Message, error] { panic("stub") } // ordered by earlier end; either end on a chosen location
func (w *Window) Events() iter.Seq2[Event, error]           { panic("stub") } // merged order: time, location (definition order), ordinal
func (w *Window) Batches() iter.Seq2[*trace.Batch, error]   { panic("stub") } // slice by slice, location by location: fastest

// Event is one event of an iteration; valid until the next step.
type Event struct {
	Batch   *trace.Batch
	Index   int    // in Batch
	Ordinal uint64 // among the location's events
}
