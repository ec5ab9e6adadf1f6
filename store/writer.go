package store

import (
	"context"
	"io"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write"
	"github.com/pandotrace/pando/trace"
)

// Options of a Writer. The zero value means the defaults.
type Options = layout.Options

// OutputOptions say what becomes of files that are there already when a file NAME is to be written, as NAME.part until it is complete. One
// writer can have NAME.part at a time: others, in this process or another, get a [BusyError]. One whose writer is gone, which [OpenRecovery]
// reads, stays until a writer is asked to discard it: without that, it is a [LeftoverError].
type OutputOptions = claim.Options

// BusyError says that somebody else is writing an output.
type BusyError = claim.BusyError

// LeftoverError says that a writer that is gone has left an unfinished output.
type LeftoverError = claim.LeftoverError

// DefaultMemory is what a writer takes by default, in bytes.
const DefaultMemory = layout.DefaultMemory

// MaxTime is the largest time of an event, in ticks.
const MaxTime = layout.MaxTime

// Info is what a file says of its trace as a whole.
type Info = index.Info

// LocationInfo is what a file says of one location.
type LocationInfo = index.LocationInfo

// LocationTotals is what the events of a location add up to.
type LocationTotals = index.LocationTotals

// Doubts count what a sound program does not do.
type Doubts = index.Doubts

// KindCount says how many records of a kind there are.
type KindCount = index.KindCount

// Writer writes a trace into a file in one pass. Definitions come before the events that refer to them. Events come in
// one location in time order; different locations may take turns in any way. A slice of the file can only be closed when
// all locations have come past its end: Advance and Finish tell the writer of locations that are silent.
// Slices are written in groups of [Options].GroupSlices. Groups that are written can be recovered if the program is killed ([OpenRecovery]).
// After an error, only Abort may be called.
//
// A Writer is not safe for concurrent use.
type Writer struct{ w *write.Writer }

// Create starts to write a file. It is written as path.part and gets its name when Close succeeds.
// When ctx is done, all methods of the Writer but Abort return its error.
func Create(ctx context.Context, path string, meta *trace.Meta, opt Options) (*Writer, error) {
	return created(write.Create(ctx, path, meta, opt))
}

// NewWriter starts to write a file to a stream. Close does not close the stream. See [Create] for the context.
func NewWriter(ctx context.Context, out io.Writer, meta *trace.Meta, opt Options) (*Writer, error) {
	return created(write.NewWriter(ctx, out, meta, opt))
}

func created(w *write.Writer, err error) (*Writer, error) {
	if err != nil {
		return nil, err
	}
	return &Writer{w}, nil
}

// Define appends definitions to the trace's log.
func (w *Writer) Define(defs ...trace.Record) error { return w.w.Define(defs...) }

// Append adds events of one location, in time order. The batch is not kept.
func (w *Writer) Append(b *trace.Batch) error { return w.w.Append(b) }

// Advance says that a location will have no event before time t.
func (w *Writer) Advance(location uint64, t int64) error { return w.w.Advance(location, t) }

// Finish says that a location will have no more events.
func (w *Writer) Finish(location uint64) error { return w.w.Finish(location) }

// AppendAux adds records to an auxiliary stream. They are carried, not indexed.
func (w *Writer) AppendAux(id trace.StreamID, b *trace.Batch) error { return w.w.AppendAux(id, b) }

// Close writes what is left, the directory and the footer. Locations that were not finished end here.
func (w *Writer) Close() error { return w.w.Close() }

// Abort gives up and deletes what was written. It may follow an error, and does nothing after Close.
func (w *Writer) Abort() error { return w.w.Abort() }

// Copy writes a whole source: definitions, auxiliary streams, and the events of all locations, read ahead in parallel.
// progress counts events read, of those that the source says it has. When ctx is done, Copy returns its error, and the Writer may only be
// aborted.
func Copy(ctx context.Context, w *Writer, src trace.Source, progress Progress) error {
	return write.Copy(ctx, w.w, src, progress)
}
