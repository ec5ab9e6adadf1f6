package store

import (
	"context"
	"io"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/account"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/stacks"
	"github.com/pandotrace/pando/store/internal/verify"
	"github.com/pandotrace/pando/trace"
)

// Reader gives back what a file holds. It is safe for concurrent use. Blocks are read and checked when they are needed;
// every error of damaged bytes is a *format.CorruptError that names file, block and offset.
type Reader struct{ file *read.File }

// ReadOptions of a Reader. The zero value means the defaults.
type ReadOptions = layout.ReadOptions

// Cache is memory for decoded blocks, which several readers may share: the least recently used of all goes first.
type Cache = cache.Cache

// NewCache returns a cache of a number of bytes.
func NewCache(bytes int64) *Cache { return cache.NewCache(bytes) }

// Errors that errors.Is finds. Those of a file's bytes are *format.CorruptError besides, which say where.
var (
	// ErrClosed means that a Reader or Writer is used after it was closed.
	ErrClosed = layout.ErrClosed
	// ErrNotPando means that a file does not begin as a Pando file does.
	ErrNotPando = format.ErrNotPando
	// ErrUnsupported means that a file has a version or needs a feature that this program does not know.
	ErrUnsupported = format.ErrUnsupported
	// ErrLimit means that a file has more than ReadOptions.Limits allow, or that a Writer was given more than they allow by default.
	ErrLimit = format.ErrLimit
	// ErrInvalid means that a function was called with arguments, or in an order, that it does not take.
	ErrInvalid = layout.ErrInvalid
)

// Progress is called by long work now and then, with units done and units in all.
type Progress = trace.Progress

// Open opens a file on this machine; package [github.com/pandotrace/pando/store/remote] opens URLs. When ctx is done, all work of
// the Reader ends with its error, not only opening: [Reader.WithContext] and [Window.WithContext] put another in its place.
func Open(ctx context.Context, path string, opt ReadOptions) (*Reader, error) {
	if opt.Unfinished {
		return openPart(ctx, path, opt)
	}
	return opened(read.Open(ctx, path, opt))
}

// NewReader reads a file of the given size from anywhere. A source with a method ReadAtContext, as those of package remote have, is taken for
// one on a server: it is read in few and large pieces, and reads end with their context. See [Open] for the context.
func NewReader(ctx context.Context, src io.ReaderAt, size int64, opt ReadOptions) (*Reader, error) {
	if opt.Unfinished {
		return openUnfinished(ctx, src, size, opt)
	}
	return opened(read.NewReader(ctx, src, size, opt))
}

func opened(f *read.File, err error) (*Reader, error) {
	if err != nil {
		return nil, err
	}
	return &Reader{f}, nil
}

// WithContext returns the Reader for work that ends when ctx is done. Both are of one file and share what is decoded; Close closes both.
func (r *Reader) WithContext(ctx context.Context) *Reader { return &Reader{r.file.WithContext(ctx)} }

// Close closes the file, if Open opened it.
func (r *Reader) Close() error { return r.file.Close() }

// ID returns the file's id.
func (r *Reader) ID() format.FileID { return r.file.ID() }

// FormatVersion returns the version of the file's format: "1.0".
func (r *Reader) FormatVersion() string { return r.file.FormatVersion() }

// Meta says what the trace is as a whole.
func (r *Reader) Meta() *trace.Meta { return r.file.Meta() }

// Info says how much of everything the file holds. It must not be changed.
func (r *Reader) Info() *Info { return r.file.Info() }

// Locations returns what the file says of each location, in the order of their definitions, followed by those that are not defined. It is read
// page by page, 80 bytes of each location: who needs ids only asks for [Reader.LocationIDs].
func (r *Reader) Locations() ([]LocationInfo, error) { return r.file.Locations() }

// LocationIDs returns the ids of all locations, in the order of their definitions, followed by those that are not defined.
func (r *Reader) LocationIDs() ([]uint64, error) { return r.file.LocationIDs() }

// Definitions returns the log of definitions and the tables made from it. They are read when first asked for and
// must not be changed.
func (r *Reader) Definitions() (*trace.Definitions, error) { return r.file.Definitions() }

// Source returns the whole trace as it was written: what [Copy] takes.
func (r *Reader) Source() trace.Source { return query.Source(r.file) }

// CallStack returns the calls of a location that are open at a time, the outermost first.
func (r *Reader) CallStack(location uint64, t int64) ([]trace.Call, error) {
	return stacks.At(r.file, location, t)
}

// ReadStats says what a Reader or Recovery has done besides reading bytes.
type ReadStats = read.ReadStats

// ReadStats returns what has been done so far.
func (r *Reader) ReadStats() ReadStats { return r.file.ReadStats() }

// BytesRead returns the number of bytes read from the file so far.
func (r *Reader) BytesRead() int64 { return r.file.BytesRead() }

// VerifyReport is what verifying found.
type VerifyReport = verify.Report

// VerifyOptions of Reader.Verify. The zero value checks all blocks.
type VerifyOptions struct {
	// Level says how much is checked of each block.
	Level VerifyLevel
	// Sample, if it is not 0, is the share of the blocks to check, between 0 and 1. They are chosen at random. The level must be VerifyBlocks.
	Sample float64
	// Progress counts bytes of the file.
	Progress Progress
}

// VerifyLevel says how much a Reader verifies.
type VerifyLevel uint8

const (
	// VerifyBlocks checks every checksum, decodes every block, and holds the directory, summaries, bins and the fingerprint of the events
	// against them.
	VerifyBlocks VerifyLevel = iota
	// VerifyDeep also holds totals, postings, calls and messages against the events.
	VerifyDeep
)

// Verify checks the file. The report lists what is damaged; an error says that the file cannot be read to its end, or that ctx is done.
func (r *Reader) Verify(ctx context.Context, opt VerifyOptions) (*VerifyReport, error) {
	f := r.file.WithContext(ctx)
	switch {
	case opt.Sample != 0 && opt.Level != VerifyBlocks:
		return nil, layout.Invalidf("store: a sample of blocks is not verified deeply")
	case opt.Sample != 0:
		return verify.Sample(f, opt.Sample, opt.Progress)
	case opt.Level == VerifyDeep:
		return verify.Deep(f, opt.Progress)
	}
	return verify.Check(f, opt.Progress)
}

// SpaceUsage says what the bytes of a file are for.
type SpaceUsage = account.SpaceUsage

// SpaceLine is a line of a SpaceUsage.
type SpaceLine = account.SpaceLine

// SpacePart is a part of the file with a sum of its own in a SpaceUsage.
type SpacePart = account.SpacePart

// The parts of a file in a SpaceUsage.
const (
	SpaceFraming   = account.SpaceFraming
	SpaceIndex     = account.SpaceIndex
	SpaceModels    = account.SpaceModels
	SpaceRecords   = account.SpaceRecords
	SpaceStructure = account.SpaceStructure
	SpaceTimes     = account.SpaceTimes
	SpaceUnknown   = account.SpaceUnknown
	SpaceValues    = account.SpaceValues
)

// SpaceUsage reads the whole file and reports what its bytes are for. progress counts bytes.
func (r *Reader) SpaceUsage(ctx context.Context, progress Progress) (*SpaceUsage, error) {
	return account.Measure(r.file.WithContext(ctx), progress)
}

// Compaction says how much smaller the graph of shapes is than the call trees.
type Compaction = account.Compaction

// Graph is the size of a graph in nodes and edges.
type Graph = account.Graph

// Sizes of records of the uncompressed call tree, in bytes, by which compaction is measured.
const (
	CallBytes  = account.CallBytes
	EventBytes = account.EventBytes
	FieldBytes = account.FieldBytes
)

// Compaction reads the whole file and measures how much smaller the graph of shapes is than the call trees. progress counts bytes.
func (r *Reader) Compaction(ctx context.Context, progress Progress) (*Compaction, error) {
	return account.MeasureCompaction(r.file.WithContext(ctx), progress)
}
