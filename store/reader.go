package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// Reader gives back what a file holds. It is safe for concurrent use. Blocks are read and checked when they are needed;
// every error of damaged bytes is a *format.CorruptError that names file, block and offset.
type Reader struct {
	src    io.ReaderAt
	closer io.Closer
	size   int64
	name   string
	limits format.Limits
	atOnce atOnce
	cache  *cache
	fileEnds
	bytes, decompressed, expanded atomic.Int64

	id        format.FileID
	root      *index.Root
	tree      index.Tree
	meta      *trace.Meta
	info      *Info
	lanes     [][]uint32 // by lane: the indices of its locations
	byID      map[uint64]uint32
	nodes     map[blockKey]format.Ref // blocks that the root lists
	nodeLanes map[laneKey][]uint32

	latest atomic.Pointer[page] // the page of the directory used last

	numbers     numbers // for summaries
	laneNumbers []laneNumbers

	definitions lazy[*trace.Definitions]
	auxiliary   lazy[map[trace.StreamID][]format.Ref]
}

// Open opens a file; the path may be an http or https URL of a server that gives parts of files (by Range).
func Open(path string, opt ReadOptions) (*Reader, error) {
	if opt.Name == "" {
		opt.Name = path
	}
	if isRemote(path) {
		src, ends, err := openRemote(path, opt.HTTPClient)
		if err != nil {
			return nil, err
		}
		return openSource(src, src, src.size, ends, opt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s: is a directory, not a Pando file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	ends, err := readEnds(f, st.Size(), opt.Name)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return openSource(f, f, st.Size(), ends, opt)
}

// NewReader reads a file of the given size from anywhere.
func NewReader(src io.ReaderAt, size int64, opt ReadOptions) (*Reader, error) {
	ends, err := readEnds(src, size, opt.Name)
	if err != nil {
		return nil, err
	}
	return openSource(src, nil, size, ends, opt)
}

const (
	defaultCacheBytes = 256 << 20
	leastCacheBytes   = 16 << 20 // of small files, whatever they say of themselves
	cacheBytesPerByte = 1000

	headBytes = 2 << 10
	tailBytes = 64 << 10
)

// fileEnds are the first and the last bytes of a file. They are all that most files need to be opened.
type fileEnds struct{ head, tail []byte }

func readEnds(src io.ReaderAt, size int64, name string) (fileEnds, error) {
	e := fileEnds{make([]byte, min(headBytes, size)), make([]byte, min(tailBytes, size))}
	var group errgroup.Group
	read := func(b []byte, at int64) func() error {
		return func() error {
			if n, err := src.ReadAt(b, at); n < len(b) {
				return readError(name, at, n, len(b), err)
			}
			return nil
		}
	}
	group.Go(read(e.head, 0))
	group.Go(read(e.tail, size-int64(len(e.tail))))
	return e, group.Wait()
}

// roomFor returns how much memory what is made of a file of so many bytes may take.
func roomFor(size int64) int64 {
	return min(max(leastCacheBytes, cacheBytesPerByte*size), defaultCacheBytes)
}

func openSource(src io.ReaderAt, closer io.Closer, size int64, ends fileEnds, opt ReadOptions) (*Reader, error) {
	room := roomFor(size)
	if opt.CacheBytes == 0 {
		opt.CacheBytes = room
	}
	r := &Reader{
		src: src, closer: closer, size: size, name: opt.Name, limits: opt.Limits.WithDefaults(), cache: newCache(opt.CacheBytes), fileEnds: ends,
	}
	r.atOnce = atOnceOf(r.limits, room)
	r.bytes.Store(int64(len(ends.head) + len(ends.tail)))
	if err := r.open(); err != nil {
		return nil, errors.Join(format.At(err, r.name, -1), r.Close())
	}
	return r, nil
}

func (r *Reader) open() error {
	h, err := format.ParseHeader(r.head[:min(len(r.head), format.HeaderSize)])
	if err != nil {
		return err
	}
	r.id = h.ID
	if r.size < format.HeaderSize+format.FooterSize {
		return format.Corruptf("footer", r.size, "missing: the file is incomplete")
	}
	f, err := format.ParseFooter(r.tail[len(r.tail)-format.FooterSize:], r.size)
	if err != nil {
		return err
	}
	if f.ID != r.id {
		return format.Corruptf("footer", r.size-format.FooterSize, "belongs to another file")
	}
	return r.readRoot(f.Root)
}

func (r *Reader) readRoot(ref format.Ref) error {
	b, err := r.block(format.BlockRoot, ref)
	if err != nil {
		return err
	}
	if r.root, err = index.ParseRoot(b); err != nil {
		return format.At(err, r.name, int64(ref.Offset))
	}
	r.tree = index.Tree{Fanout: r.root.Fanout}
	r.nodes, r.nodeLanes = blocksOf(r.root.Entries), lanesOf(r.root.Entries)
	if b, err = r.only(format.BlockMeta); err != nil {
		return err
	}
	if r.meta, err = encode.ReadMeta(b); err != nil {
		return err
	}
	if b, err = r.only(format.BlockKinds); err != nil {
		return err
	}
	specs, err := encode.ReadKinds(b)
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
	return r.readInfo()
}

func (r *Reader) readInfo() error {
	b, err := r.only(format.BlockTotals)
	if err != nil {
		return err
	}
	if r.info, err = readTotals(b, r.limits); err != nil {
		return err
	}
	i := r.info
	i.FileBytes, i.Slices, i.Lanes = r.size, r.root.Slices, r.root.Lanes
	if i.Slices > 0 {
		i.Levels = uint64(r.tree.Levels(i.Slices))
	}
	if r.root.Lanes > uint64(len(i.Locations)) {
		return format.Corruptf("totals block", -1, "%d lanes for %d locations", r.root.Lanes, len(i.Locations))
	}
	r.lanes = make([][]uint32, r.root.Lanes)
	r.laneNumbers = make([]laneNumbers, r.root.Lanes)
	r.byID = make(map[uint64]uint32, len(i.Locations))
	for n, l := range i.Locations {
		if uint64(l.Lane) >= r.root.Lanes && l.Events > 0 {
			return format.Corruptf("totals block", -1, "location %d is in lane %d of %d", l.ID, l.Lane, r.root.Lanes)
		}
		if uint64(l.Lane) < r.root.Lanes {
			r.lanes[l.Lane] = append(r.lanes[l.Lane], uint32(n))
		}
		r.byID[l.ID] = uint32(n)
	}
	return nil
}

// Close closes the file, if Open opened it.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Meta says what the trace is as a whole.
func (r *Reader) Meta() *trace.Meta { return r.meta }

// Info says how much of everything the file holds. It must not be changed.
func (r *Reader) Info() *Info { return r.info }

// ID returns the file's id.
func (r *Reader) ID() format.FileID { return r.id }

// BytesRead returns the number of bytes read from the file so far.
func (r *Reader) BytesRead() int64 { return r.bytes.Load() }

// Work is what a Reader or Salvage has done besides reading bytes. It depends on the questions and the cache, and not on the machine.
type Work struct {
	// Decompressed is the number of bytes that blocks became, Events the number of events that slices did. What is decompressed or
	// decoded again counts again.
	Decompressed, Events int64
}

// Work returns what has been done so far.
func (r *Reader) Work() Work {
	return Work{r.decompressed.Load(), r.expanded.Load()}
}

// Definitions returns the log of definitions and the tables made from it. They are read when first asked for and
// must not be changed.
func (r *Reader) Definitions() (*trace.Definitions, error) {
	return r.definitions.get(r.readDefinitions)
}

func (r *Reader) readDefinitions() (*trace.Definitions, error) {
	log, err := r.readDefinitionLog()
	if err != nil {
		return nil, err
	}
	return trace.NewDefinitions(log), nil
}

// definitionLog returns the log of definitions.
func (r *Reader) definitionLog() ([]trace.Record, error) {
	if !r.definitions.made() {
		return r.readDefinitionLog()
	}
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	return d.Log, nil
}

func (r *Reader) readDefinitionLog() (log []trace.Record, err error) {
	for _, e := range r.root.Entries {
		if e.Kind != format.BlockDefinitions {
			continue
		}
		b, err := r.block(e.Kind, e.Ref)
		if err != nil {
			return nil, err
		}
		records, err := encode.ReadRecords(b, r.meta.Kinds)
		if err != nil {
			return nil, format.At(err, r.name, int64(e.Ref.Offset))
		}
		log = append(log, records...)
	}
	return log, nil
}

// readAt reads from the file, or from its ends, which have been read before.
func (r *Reader) readAt(b []byte, at int64) error {
	if at+int64(len(b)) <= int64(len(r.head)) {
		copy(b, r.head[at:])
		return nil
	}
	if from := at - (r.size - int64(len(r.tail))); from >= 0 && from+int64(len(b)) <= int64(len(r.tail)) {
		copy(b, r.tail[from:])
		return nil
	}
	n, err := r.src.ReadAt(b, at)
	r.bytes.Add(int64(n))
	if n == len(b) {
		return nil
	}
	return readError(r.name, at, n, len(b), err)
}

// readError makes an error of a read that gave too little.
func readError(name string, at int64, n, want int, err error) error {
	if errors.Is(err, io.EOF) || err == nil {
		return format.At(format.Corruptf("file", at, "ends after %d of %d bytes", n, want), name, -1)
	}
	return fmt.Errorf("%s: reading %d bytes at offset %d: %w", name, want, at, err)
}

// block reads a block, checks that it is the one that the directory means, and returns its decompressed payload.
func (r *Reader) block(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	b, err := r.checkedBlock(kind, ref)
	return b, format.At(err, r.name, int64(ref.Offset))
}

func (r *Reader) checkedBlock(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	section := kind.String()
	if !r.fits(ref) {
		return nil, format.Corruptf(section, -1, "%d bytes do not fit into the file or the limits", ref.Length)
	}
	b, err := r.blockBytes(ref)
	if err != nil {
		return nil, err
	}
	f, err := format.ParseFrame(b)
	if err != nil {
		return nil, err
	}
	if f.Kind != kind || f.CRC != ref.CRC || uint64(f.Stored)+format.FrameSize != uint64(ref.Length) {
		return nil, format.Corruptf(section, -1, "another block stands here: %s of %d bytes", f.Kind, f.Stored)
	}
	if err := f.CheckPayload(b, &r.id); err != nil {
		return nil, err
	}
	if uint64(f.Raw) > uint64(r.limits.BlockBytes) {
		return nil, format.Corruptf(section, -1, "%d bytes decompressed are over the limit", f.Raw)
	}
	if kind == format.BlockSlice {
		r.keepBytes(ref, b)
	}
	r.decompressed.Add(int64(f.Raw))
	return encode.Decompress(b[format.FrameSize:], f.Codec, int(f.Raw))
}

// keepBytes keeps a block that may be decoded again, for another question: it is small against what is made of it.
func (r *Reader) keepBytes(ref format.Ref, b []byte) {
	r.cache.put(cacheKey{what: cachedBytes, offset: ref.Offset}, bytes.Clone(b), int64(len(b)))
}

// fits reports whether a block can be where the directory says.
func (r *Reader) fits(ref format.Ref) bool {
	return ref.Length >= format.FrameSize && ref.Offset <= uint64(r.size) && uint64(ref.Length) <= uint64(r.size)-ref.Offset &&
		uint64(ref.Length) <= uint64(r.limits.BlockBytes)
}

// blockBytes returns the bytes of a block, which may have been read ahead.
func (r *Reader) blockBytes(ref format.Ref) ([]byte, error) {
	if b, ok := r.cache.take(cacheKey{what: cachedBytes, offset: ref.Offset}); ok && len(b.([]byte)) == int(ref.Length) {
		return b.([]byte), nil
	}
	b := make([]byte, ref.Length)
	return b, r.readAt(b, int64(ref.Offset))
}

// inTail reports whether an offset lies in the part of the file that was read when it was opened.
func (r *Reader) inTail(offset uint64) bool { return offset >= uint64(r.size)-uint64(len(r.tail)) }

// only returns the payload of the one block of its kind that the root lists.
func (r *Reader) only(kind format.BlockKind) ([]byte, error) {
	for _, e := range r.root.Entries {
		if e.Kind == kind {
			return r.block(kind, e.Ref)
		}
	}
	return nil, format.Corruptf("directory root", -1, "it lists no %s", kind)
}
