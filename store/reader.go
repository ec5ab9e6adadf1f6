package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

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
	cache  *cache
	tail   []byte // the last bytes of the file, read when it is opened
	bytes  atomic.Int64

	id    format.FileID
	root  *index.Root
	tree  index.Tree
	meta  *trace.Meta
	info  *Info
	lanes [][]uint32 // by lane: the indices of its locations
	byID  map[uint64]uint32
	nodes map[blockKey]format.Ref // blocks that the root lists

	latest atomic.Pointer[page] // the page of the directory used last

	definitions func() (*trace.Definitions, error)
	auxiliary   func() (map[trace.StreamID][]format.Ref, error)
}

// Open opens a file.
func Open(path string, opt ReadOptions) (*Reader, error) {
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
	if opt.Name == "" {
		opt.Name = path
	}
	r, err := NewReader(f, st.Size(), opt)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.closer = f
	return r, nil
}

const (
	defaultCacheBytes = 64 << 20
	tailBytes         = 64 << 10
)

// NewReader reads a file of the given size from anywhere.
func NewReader(src io.ReaderAt, size int64, opt ReadOptions) (*Reader, error) {
	if opt.CacheBytes == 0 {
		opt.CacheBytes = defaultCacheBytes
	}
	r := &Reader{src: src, size: size, name: opt.Name, limits: opt.Limits.WithDefaults(), cache: newCache(opt.CacheBytes)}
	r.definitions = sync.OnceValues(r.readDefinitions)
	r.auxiliary = sync.OnceValues(r.indexAuxiliary)
	if err := r.open(); err != nil {
		return nil, format.At(err, r.name, -1)
	}
	return r, nil
}

func (r *Reader) open() error {
	head := make([]byte, min(format.HeaderSize, r.size))
	if err := r.readAt(head, 0); err != nil {
		return err
	}
	h, err := format.ParseHeader(head)
	if err != nil {
		return err
	}
	r.id = h.ID
	if r.size < format.HeaderSize+format.FooterSize {
		return format.Corruptf("footer", r.size, "missing: the file is incomplete")
	}
	tail := make([]byte, min(tailBytes, r.size))
	if err := r.readAt(tail, r.size-int64(len(tail))); err != nil {
		return err
	}
	r.tail = tail
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
	r.nodes = make(map[blockKey]format.Ref, len(r.root.Entries))
	for i := range r.root.Entries {
		r.nodes[keyOf(&r.root.Entries[i])] = r.root.Entries[i].Ref
	}
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

// Definitions returns the log of definitions and the tables made from it. They are read when first asked for and
// must not be changed.
func (r *Reader) Definitions() (*trace.Definitions, error) { return r.definitions() }

func (r *Reader) readDefinitions() (*trace.Definitions, error) {
	d := trace.NewDefinitions(nil)
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
		d.Add(records)
	}
	return d, nil
}

// readAt reads from the file, or from its tail if that has been read before.
func (r *Reader) readAt(b []byte, at int64) error {
	if from := at - (r.size - int64(len(r.tail))); from >= 0 && from+int64(len(b)) <= int64(len(r.tail)) {
		copy(b, r.tail[from:])
		return nil
	}
	n, err := r.src.ReadAt(b, at)
	r.bytes.Add(int64(n))
	if n == len(b) {
		return nil
	}
	if errors.Is(err, io.EOF) || err == nil {
		return format.Corruptf("file", at, "ends after %d of %d bytes", n, len(b))
	}
	return fmt.Errorf("%s: reading %d bytes at offset %d: %w", r.name, len(b), at, err)
}

// block reads a block, checks that it is the one that the directory means, and returns its decompressed payload.
func (r *Reader) block(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	b, err := r.checkedBlock(kind, ref)
	return b, format.At(err, r.name, int64(ref.Offset))
}

func (r *Reader) checkedBlock(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	section := kind.String()
	if ref.Length < format.FrameSize || ref.Offset > uint64(r.size) || uint64(ref.Length) > uint64(r.size)-ref.Offset ||
		uint64(ref.Length) > uint64(r.limits.BlockBytes) {
		return nil, format.Corruptf(section, -1, "%d bytes do not fit into the file or the limits", ref.Length)
	}
	b := make([]byte, ref.Length)
	if err := r.readAt(b, int64(ref.Offset)); err != nil {
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
	return encode.Decompress(b[format.FrameSize:], f.Codec, int(f.Raw))
}

// only returns the payload of the one block of its kind that the root lists.
func (r *Reader) only(kind format.BlockKind) ([]byte, error) {
	for _, e := range r.root.Entries {
		if e.Kind == kind {
			return r.block(kind, e.Ref)
		}
	}
	return nil, format.Corruptf("directory root", -1, "it lists no %s", kind)
}
