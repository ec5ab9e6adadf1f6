package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// File gives back what a file holds. It is safe for concurrent use. Blocks are read and checked when they are needed;
// every error of damaged bytes is a *format.CorruptError that names file, block and offset.
//
// All work of a File ends when its context is done: each read of bytes, each use of the cache and each block that is decoded looks at it.
// WithContext returns the same file for work under another context.
type File struct {
	*file
	ctx   context.Context
	cache *cache.Share
	along *along // nil unless all of it is gone through
}

// file is the part of a File that is the same under all contexts.
type file struct {
	src    io.ReaderAt
	Far    bool // on a server: what takes time is to wait for answers
	closer io.Closer
	size   int64
	name   string
	limits format.Limits
	AtOnce AtOnce
	// Unfinished says that the file has no end yet, and that what it lacks was made up in memory.
	Unfinished bool
	blockio.FileEnds
	bytes, decompressed, expanded atomic.Int64
	closed                        atomic.Bool

	id        format.FileID
	version   [2]uint16
	blocks    uint32 // that the footer says
	root      *index.Root
	tree      index.Tree
	meta      *trace.Meta
	info      *index.Info
	locations locations
	nodes     map[BlockKey]format.Ref // blocks that the root lists
	nodeLanes map[LaneKey][]uint32
	defines   map[uint64]*records.Contents // by offset: what the root says of blocks of definitions

	latest      atomic.Pointer[Page] // the page of the directory with slices that was used last
	latestLanes atomic.Pointer[Page] // the further page about some lanes that was used last

	Numbers numbers // for summaries

	definitions [views]cache.Lazy[*trace.Definitions]
	Auxiliary   cache.Lazy[map[trace.StreamID][]format.Ref]
}

// WithContext returns the file for work that ends when a context is done.
func (r *File) WithContext(ctx context.Context) *File {
	return &File{r.file, ctx, r.cache.WithContext(ctx), r.along}
}

// Context returns the context of the file's work.
func (r *File) Context() context.Context { return r.ctx }

// Open opens a file on this machine.
func Open(ctx context.Context, path string, opt layout.ReadOptions) (*File, error) {
	if opt.Name == "" {
		opt.Name = path
	}
	f, size, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	ends, err := blockio.ReadEnds(ctx, f, size, opt.Name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	opt.Closer = f
	return openSource(ctx, f, size, ends, opt)
}

// OpenRegular opens a regular file. Opening a pipe would wait for somebody who writes into it.
func OpenRegular(path string) (f *os.File, size int64, err error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return nil, 0, fmt.Errorf("%s: is a directory, not a Pando file", path)
	} else if err == nil && !st.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: is not a regular file", path)
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, st.Size(), nil
}

// NewReader reads a file of the given size from anywhere.
func NewReader(ctx context.Context, src io.ReaderAt, size int64, opt layout.ReadOptions) (*File, error) {
	ends, err := blockio.ReadEnds(ctx, src, size, opt.Name)
	if err != nil {
		return nil, err
	}
	return openSource(ctx, src, size, ends, opt)
}

const (
	defaultCacheBytes = 256 << 20
	leastCacheBytes   = 16 << 20 // of small files, whatever they say of themselves
	cacheBytesPerByte = 1000
)

// RoomFor returns the memory that data decoded from a file of a size may take.
func RoomFor(size int64) int64 {
	return min(max(leastCacheBytes, cacheBytesPerByte*size), defaultCacheBytes)
}

func openSource(ctx context.Context, src io.ReaderAt, size int64, ends blockio.FileEnds, opt layout.ReadOptions) (*File, error) {
	room := RoomFor(size)
	if opt.CacheBytes == 0 {
		opt.CacheBytes = room
	}
	if opt.Cache == nil {
		opt.Cache = cache.NewCache(opt.CacheBytes)
	}
	r := &File{ctx: ctx, cache: cache.NewShare(ctx, opt.Cache), file: &file{
		src: src, Far: blockio.IsFar(src), closer: opt.Closer, size: size, name: opt.Name, limits: opt.Limits.WithDefaults(), FileEnds: ends,
	}}
	r.AtOnce = AtOnceOf(r.limits, room)
	r.bytes.Store(int64(len(ends.Head) + len(ends.Tail)))
	if err := r.open(); err != nil {
		return nil, errors.Join(format.At(err, r.name, size-format.FooterSize), r.Close())
	}
	return r, nil
}

func (r *File) open() error {
	h, err := format.ParseHeader(r.Head[:min(len(r.Head), format.HeaderSize)])
	if err != nil {
		return err
	}
	r.id, r.version = h.ID, [2]uint16{h.Major, h.Minor}
	if r.size < format.HeaderSize+format.FooterSize {
		return format.Corruptf("footer", r.size, format.IncompleteFile)
	}
	f, err := format.ParseFooter(r.Tail[len(r.Tail)-format.FooterSize:], r.size)
	if err != nil {
		return err
	}
	if err := f.CheckHeader(h); err != nil {
		return err
	}
	r.blocks = f.Blocks
	return r.readRoot(f.Root)
}

func (r *File) readRoot(ref format.Ref) error {
	b, err := r.Block(format.BlockRoot, ref)
	if err != nil {
		return err
	}
	if r.root, err = index.ParseRoot(b); err != nil {
		return format.At(err, r.name, int64(ref.Offset))
	}
	if r.root.Events > uint64(r.limits.Events) {
		return format.Corruptf("directory root", int64(ref.Offset), "%d events are over the limit", r.root.Events).Of(format.ErrLimit)
	}
	r.tree = r.root.Tree()
	if err := r.checkRootEntries(ref); err != nil {
		return err
	}
	r.defines = definesOf(r.root)
	r.nodes, r.nodeLanes = blocksOf(r.root.Entries), lanesOf(r.root.Entries)
	if err := r.only(format.BlockMeta, r.readMeta); err != nil {
		return err
	}
	if err := r.only(format.BlockKinds, r.readKinds); err != nil {
		return err
	}
	if len(r.Listed(format.BlockAnnotations)) > 0 {
		if err := r.only(format.BlockAnnotations, r.readAnnotations); err != nil {
			return err
		}
	}
	return r.only(format.BlockTotals, r.readInfo)
}

func (r *File) readMeta(b []byte) error {
	meta, extensions, err := records.ReadMeta(b)
	if err != nil {
		return err
	}
	r.meta = meta
	said, ok, err := index.ReadDivision(extensions)
	if err == nil && ok && said != r.root.Division {
		err = format.Corruptf("meta block", -1, "nodes of %d children and groups of %d slices, the root says %d and %d", said.Fanout, said.GroupSlices, r.root.Fanout, r.root.GroupSlices)
	}
	return err
}

func (r *File) readAnnotations(b []byte) (err error) {
	r.meta.Annotations, err = records.ReadAnnotations(b)
	return err
}

func (r *File) readKinds(b []byte) error {
	specs, err := records.ReadKinds(b)
	if err != nil {
		return err
	}
	for _, s := range specs { // kinds that this program does not know
		if r.meta.Kinds.Spec(s.ID) == nil {
			if err := r.meta.Kinds.Add(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *File) readInfo(b []byte) (err error) {
	t, err := index.ReadTotals(b)
	if err != nil {
		return err
	}
	i := &t.Info
	r.info = i
	i.FileBytes, i.Events, i.Slices, i.Lanes = r.size, r.root.Events, r.root.Slices, r.root.Lanes
	if i.Slices > 0 {
		i.Levels = uint64(r.tree.Levels(i.Slices))
	}
	return r.placeLocations(t)
}

// Alive returns an error when the file is closed or the context is done.
func (r *File) Alive() error {
	if r.closed.Load() {
		return fmt.Errorf("%s: %w", r.name, layout.ErrClosed)
	}
	return r.ctx.Err()
}

// OwnedBy says what is closed together with the file.
func (r *File) OwnedBy(c io.Closer) { r.closer = c }

// Close closes the file, if Open opened it, and empties the cache.
func (r *File) Close() error {
	r.closed.Store(true)
	r.cache.Clear()
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Meta says what the trace is as a whole.
func (r *File) Meta() *trace.Meta { return r.meta }

// Info says how much of everything the file holds. It must not be changed.
func (r *File) Info() *index.Info { return r.info }

// ID returns the file's id.
func (r *File) ID() format.FileID { return r.id }

// FormatVersion returns the version of the file's format: "1.0".
func (r *File) FormatVersion() string { return fmt.Sprintf("%d.%d", r.version[0], r.version[1]) }

// BytesRead returns the number of bytes read from the file so far.
func (r *File) BytesRead() int64 { return r.bytes.Load() }

// ReadStats says what a Reader or Recovery has done besides reading bytes. It depends on the questions and the cache, and not on the machine.
type ReadStats struct {
	// Decompressed is the number of bytes that blocks became, Events the number of events that slices did. What is decompressed or
	// decoded again counts again.
	Decompressed, Events int64
}

// ReadStats returns what has been done so far.
func (r *File) ReadStats() ReadStats {
	return ReadStats{r.decompressed.Load(), r.expanded.Load()}
}

// readAt reads from the file, or from its ends, which have been read before.
func (r *File) readAt(b []byte, at int64) error {
	if err := r.Alive(); err != nil {
		return err
	}
	if r.Holds(b, at, r.size) || r.along.copy(b, at) {
		return nil
	}
	return r.readSource(b, at)
}

// readSource reads from the file itself.
func (r *File) readSource(b []byte, at int64) error {
	n, err := blockio.ReadAt(r.ctx, r.src, b, at)
	r.bytes.Add(int64(n))
	if n == len(b) {
		return nil
	}
	return blockio.ReadError(r.name, at, n, len(b), err)
}

// Block reads a block, checks that it is the one that the directory means, and returns its decompressed payload.
func (r *File) Block(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	b, err := r.checkedBlock(kind, ref)
	return b, format.At(err, r.name, PlaceOf(ref))
}

func (r *File) checkedBlock(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	if err := r.admit(kind, ref); err != nil {
		return nil, err
	}
	b, err := r.blockBytes(kind, ref)
	if err != nil {
		return nil, err
	}
	f, err := checkedFrame(kind, ref, b)
	if err != nil {
		return nil, err
	}
	if err := f.CheckPayload(b, &r.id); err != nil {
		return nil, err
	}
	if uint64(f.Raw) > uint64(r.limits.BlockBytes) {
		return nil, format.Corruptf(kind.String(), -1, "%d bytes decompressed are over the limit", f.Raw).Of(format.ErrLimit)
	}
	if kind == format.BlockSlice {
		r.keepBytes(ref, b)
	}
	r.decompressed.Add(int64(f.Raw))
	return records.Decompress(b[format.FrameSize:], f.Codec, int(f.Raw))
}

// admit returns an error if a block cannot be read, or must not be.
func (r *File) admit(kind format.BlockKind, ref format.Ref) error {
	if err := r.Alive(); err != nil {
		return err
	}
	if r.fits(ref) {
		return nil
	}
	err := format.Corruptf(kind.String(), -1, "%d bytes do not fit into the file or the limits", ref.Length)
	if uint64(ref.Length) > uint64(r.limits.BlockBytes) {
		err = err.Of(format.ErrLimit)
	}
	return err
}

// checkedFrame returns the frame that some bytes begin with, of the block that the directory means.
func checkedFrame(kind format.BlockKind, ref format.Ref, b []byte) (f *format.Frame, err error) {
	if f, err = format.ParseFrame(b); err == nil && (f.Kind != kind || f.CRC != ref.CRC || uint64(f.Stored)+format.FrameSize != uint64(ref.Length)) {
		err = format.Corruptf(kind.String(), -1, "another block stands here: %s of %d bytes", f.Kind, f.Stored)
	}
	return f, err
}

// keepBytes keeps a slice block, which may be decoded again for another question: it is small against what is made of it.
func (r *File) keepBytes(ref format.Ref, b []byte) {
	r.cache.Put(cache.Key{What: cache.Bytes, Offset: ref.Offset}, b, int64(len(b)))
}

// fits reports whether a block can be where the directory says.
func (r *File) fits(ref format.Ref) bool {
	return ref.Length >= format.FrameSize && ref.Offset <= uint64(r.size) && uint64(ref.Length) <= uint64(r.size)-ref.Offset &&
		uint64(ref.Length) <= uint64(r.limits.BlockBytes)
}

// blockBytes returns the bytes of a block, which may have been read ahead. Those of a slice stay: while one goroutine decodes them, others
// would read them again.
func (r *File) blockBytes(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	kept := r.cache.Take
	if kind == format.BlockSlice {
		kept = r.cache.Kept
	}
	if b, ok := kept(cache.Key{What: cache.Bytes, Offset: ref.Offset}); ok && len(b.([]byte)) == int(ref.Length) {
		return b.([]byte), nil
	}
	b := make([]byte, ref.Length)
	return b, r.readAt(b, int64(ref.Offset))
}

// inTail reports whether an offset lies in the part of the file that was read when it was opened.
func (r *File) inTail(offset uint64) bool { return offset >= uint64(r.size)-uint64(len(r.Tail)) }

// only reads the one block of its kind that the root lists.
func (r *File) only(kind format.BlockKind, read func(payload []byte) error) error {
	for _, e := range r.root.Entries {
		if e.Kind != kind {
			continue
		}
		b, err := r.Block(kind, e.Ref)
		if err == nil {
			err = read(b)
		}
		return format.At(err, r.name, int64(e.Ref.Offset))
	}
	return format.Corruptf("directory root", -1, "it lists no %s", kind)
}

// Blocks returns the number of blocks that the footer says.
func (r *File) Blocks() uint32 { return r.blocks }

// Root returns the root of the directory.
func (r *File) Root() *index.Root { return r.root }

// Tree returns the shape of the interval tree.
func (r *File) Tree() index.Tree { return r.tree }

// Cache returns the cache of what was made of the file's blocks.
func (r *File) Cache() *cache.Share { return r.cache }

// Name returns the name of the file that errors tell.
func (r *File) Name() string { return r.name }

// Size returns the length of the file in bytes.
func (r *File) Size() int64 { return r.size }

// Limits returns the limits that the file's blocks are held against.
func (r *File) Limits() format.Limits { return r.limits }
