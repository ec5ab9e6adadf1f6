package store

import (
	"io"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/account"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
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

// ErrChanged says that a file on a server changed while it was read.
var ErrChanged = blockio.ErrChanged

// Open opens a file; the path may be an http or https URL of a server that gives parts of files (by Range).
func Open(path string, opt ReadOptions) (*Reader, error) { return opened(read.Open(path, opt)) }

// NewReader reads a file of the given size from anywhere.
func NewReader(src io.ReaderAt, size int64, opt ReadOptions) (*Reader, error) {
	return opened(read.NewReader(src, size, opt))
}

func opened(f *read.File, err error) (*Reader, error) {
	if err != nil {
		return nil, err
	}
	return &Reader{f}, nil
}

// Close closes the file, if Open opened it.
func (r *Reader) Close() error { return r.file.Close() }

// ID returns the file's id.
func (r *Reader) ID() format.FileID { return r.file.ID() }

// Meta says what the trace is as a whole.
func (r *Reader) Meta() *trace.Meta { return r.file.Meta() }

// Info says how much of everything the file holds. It must not be changed.
func (r *Reader) Info() *Info { return r.file.Info() }

// Definitions returns the log of definitions and the tables made from it. They are read when first asked for and
// must not be changed.
func (r *Reader) Definitions() (*trace.Definitions, error) { return r.file.Definitions() }

// Source returns the whole trace as it was written: what [Copy] takes.
func (r *Reader) Source() trace.Source { return query.Source(r.file) }

// StackAt returns the calls of a location that are open at a time, the outermost first.
func (r *Reader) StackAt(location uint64, t int64) ([]trace.Call, error) {
	return r.file.StackAt(location, t)
}

// Work is what a Reader or Salvage has done besides reading bytes.
type Work = read.Work

// Work returns what has been done so far.
func (r *Reader) Work() Work { return r.file.Work() }

// BytesRead returns the number of bytes read from the file so far.
func (r *Reader) BytesRead() int64 { return r.file.BytesRead() }

// VerifyReport is what verifying found.
type VerifyReport = verify.Report

// Verify checks all bytes of the file: every block's checksum, and what blocks say of each other. progress may be nil.
func (r *Reader) Verify(progress func(bytes int64)) (*VerifyReport, error) {
	return verify.Check(r.file, progress)
}

// VerifySample does what Verify does with a share of the blocks, chosen at random.
func (r *Reader) VerifySample(share float64, progress func(bytes int64)) (*VerifyReport, error) {
	return verify.Sample(r.file, share, progress)
}

// VerifyDeep does what Verify does, and holds totals, postings, calls and messages against the events.
func (r *Reader) VerifyDeep(progress func(bytes int64)) (*VerifyReport, error) {
	return verify.Deep(r.file, progress)
}

// ByteReport says what the bytes of a file are for.
type ByteReport = account.ByteReport

// ByteLine is a line of a ByteReport.
type ByteLine = account.ByteLine

// BytePart is a part of the file that a ByteReport tells apart.
type BytePart = account.BytePart

// The parts that a ByteReport tells apart.
const (
	PartFraming   = account.PartFraming
	PartIndex     = account.PartIndex
	PartModels    = account.PartModels
	PartRecords   = account.PartRecords
	PartStructure = account.PartStructure
	PartTimes     = account.PartTimes
	PartUnknown   = account.PartUnknown
	PartValues    = account.PartValues
)

// Bytes tells what the bytes of the file are for.
func (r *Reader) Bytes(progress func(bytes int64)) (*ByteReport, error) {
	return account.Measure(r.file, progress)
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

// Compaction measures how much smaller the graph of shapes is than the call trees.
func (r *Reader) Compaction(progress func(bytes int64)) (*Compaction, error) {
	return account.MeasureCompaction(r.file, progress)
}
