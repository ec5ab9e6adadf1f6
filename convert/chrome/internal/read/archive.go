package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
	"github.com/pandotrace/pando/trace"
)

// Options of an Archive; zero fields mean the default.
type Options struct {
	// Lenient lets files be opened that end within an event, as those of programs that died do.
	Lenient bool
	// Memory is the budget for sorting, in bytes (default 512 MiB). What does not fit is sorted on disk.
	Memory int64
	// TempDir is the folder for that (default: the system's).
	TempDir string
}

const defaultMemory = 512 << 20

// Archive is a file of trace events. It implements trace.Source.
type Archive struct {
	reader
	meta  *trace.Meta
	scale scan.Scale
	log   *definer
	found findings

	Working working
}

// findings are warnings: of the events as they stand in the file, of the text between them, which is read at the same time, and of the events
// when they are sorted.
type findings struct{ events, text, sorted trace.Warnings }

// Open opens a file and reads all of it: events stand in any order, so they are sorted first.
// When ctx is done, it returns its error.
func Open(ctx context.Context, path string, opt Options) (*Archive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := scan.NewInput(path, stoppedReader{ctx, f})
	if errors.Is(err, scan.ErrShort) {
		return nil, &trace.SourceError{Format: "chrome", File: path, Line: 1, Problem: "the file is empty", Class: trace.ErrCorrupt}
	}
	if err != nil {
		return nil, err
	}
	return OpenInput(ctx, in, opt)
}

// stoppedReader reads until a context is done.
type stoppedReader struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r stoppedReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// OpenInput reads a file from an input, see Open.
func OpenInput(ctx context.Context, in *scan.Input, opt Options) (*Archive, error) {
	if opt.Memory <= 0 {
		opt.Memory = defaultMemory
	}
	a := &Archive{reader: reader{names: newNames(), Locations: newLocations()}}
	in.Lenient = opt.Lenient
	a.Document = Document{Input: in, lenient: opt.Lenient, warnings: &a.found.text}
	a.warnings = &a.found.events
	a.Sorted = sorting.NewThreads(opt.TempDir, opt.Memory/2)
	a.flows = sorting.New(opt.TempDir, opt.Memory/4)
	err := a.read()
	a.warnings = &a.found.sorted
	if err == nil {
		err = a.sort(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, a.flows.Close(), a.Sorted.Close())
	}
	a.Input = &scan.Input{Path: in.Path} // the text is not needed any longer
	a.define()
	return a, nil
}

// sort sorts the events, and finds out what time is counted in and which flows are messages.
func (a *Archive) sort(ctx context.Context) error {
	a.scale = scan.NewScale(a.finest, a.most)
	if a.finest > int(a.scale) {
		a.warnings.Add("digits of times that are not kept", "%d digits behind the point in a trace of %d µs", a.finest, a.most)
	}
	a.Locations.arrange()
	if err := a.flows.Finish(); err != nil {
		return err
	}
	pairs, err := pairFlows(&a.reader, a.scale)
	err = errors.Join(err, a.flows.Close())
	a.flows = &sorting.Sorter{}
	if err == nil {
		err = pairs.Finish()
	}
	if err = cmp.Or(err, ctx.Err()); err == nil {
		err = deliver(&a.reader, pairs, a.scale)
	}
	if err = errors.Join(err, pairs.Close(), ctx.Err()); err != nil {
		return err
	}
	if err := a.Sorted.Finish(); err != nil {
		return err
	}
	return a.nest()
}

// Meta describes the trace. The properties named "chrome." are what the file says besides events, as JSON.
func (a *Archive) Meta() *trace.Meta { return a.meta }

// Definitions returns the definitions from index `from` on.
func (a *Archive) Definitions(from int) ([]trace.Record, error) {
	return a.log.some(max(from, 0), a.log.len()), nil
}

// DefinitionsPart returns at most n definitions from index `from` on.
func (a *Archive) DefinitionsPart(from, n int) ([]trace.Record, error) {
	return a.log.some(max(from, 0), n), nil
}

// Streams lists the event streams of all threads, in the order of their definitions.
func (a *Archive) Streams() []trace.StreamInfo {
	var list []trace.StreamInfo
	for _, i := range a.Locations.Order {
		l := &a.Locations.List[i]
		list = append(list, trace.StreamInfo{StreamID: trace.StreamID{Location: l.id}, Records: l.records})
	}
	return list
}

// Open starts to read a stream from its begin.
func (a *Archive) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class != trace.StreamEvents || id.Location >= uint64(len(a.Locations.Order)) {
		return nil, fmt.Errorf("chrome: there is no stream of class %d and location %d", id.Class, id.Location)
	}
	return a.Stream(a.Locations.Order[id.Location]), nil
}

// Warnings lists what was found odd so far.
func (a *Archive) Warnings() []trace.Warning {
	return slices.Concat(a.found.events.All(), a.found.text.All(), a.found.sorted.All())
}

// Close removes what was sorted on disk.
func (a *Archive) Close() error { return a.Sorted.Close() }

var _ trace.Source = (*Archive)(nil)
