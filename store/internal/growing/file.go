package growing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/write/match"
	"github.com/pandotrace/pando/trace"
)

// ErrNothing means that nothing was written yet that could be read: not even what the trace is as a whole.
var ErrNothing = errors.New("nothing is written yet that could be read")

// File is a file that grows. It must not be used by several goroutines at once; what Latest returns may.
type File struct {
	walker
	opt     layout.ReadOptions
	header  format.Header
	size    int64 // that was seen last
	workers int
	err     error // why nothing more can be found out
	ended   bool  // the file has its end

	meta        *trace.Meta
	metaRef     format.Ref
	definitions *trace.Definitions // their links alone
	defined     []records.Contents
	rootEntries []index.Entry // of blocks of definitions and auxiliary records
	streams     []trace.StreamInfo
	locations   locations
	epochs      []uint64
	group       group // that is to become whole
	groups      uint64
	slices      uint64 // of whole groups
	end         int64  // behind the last one
	endBlocks   uint32 // blocks before that

	division   index.Division // its fanout is 0 as long as it is not known
	tree       index.Tree
	followed   uint64 // slices whose events were gone through
	pages      []index.PageRef
	rows       []row
	pageFirst  uint64 // the first slice that no page has
	pageSlices []index.SliceEntry
	entries    []index.Entry // of these slices
	items      []itemBlock
	state      []*location // by index; nil without events
	lanes      []*lane
	logs       blockio.Logs
	matcher    *match.Matcher
	roles      *pairing.Roles
	pairs      pairs
	info       index.Info // what was added up
	kinds      map[trace.Kind]uint64

	streamPlaces map[trace.StreamID]int

	latest *read.File
}

// memory is what items and ends of messages of a growing file may take before they go into temporary files.
const memory = 256 << 20

// Open reads what is there of a file of a size. Unless an error says otherwise, the file may be empty of events.
func Open(ctx context.Context, src io.ReaderAt, size int64, opt layout.ReadOptions) (*File, error) {
	f := &File{
		walker: walker{src: src, name: opt.Name, limits: opt.Limits.WithDefaults()}, opt: opt, workers: runtime.GOMAXPROCS(0),
		definitions: trace.NewDefinitions(nil), kinds: map[trace.Kind]uint64{}, streamPlaces: map[trace.StreamID]int{}, logs: blockio.Logs{Most: memory / 4},
	}
	if _, err := f.Refresh(ctx, size); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Latest returns the file as it was when it was refreshed last. It stays what it is.
func (f *File) Latest() *read.File { return f.latest }

// Ended reports whether the file has its end: then it is read as any other.
func (f *File) Ended() bool { return f.ended }

// Stopped returns what is wrong with the bytes behind those that are read, nil if nothing is.
func (f *File) Stopped() error { return f.stop }

// Close gives up temporary files. It does not close what [File.Latest] returned.
func (f *File) Close() error {
	err := f.logs.Spool.Close()
	if f.matcher != nil {
		err = errors.Join(err, f.matcher.Close())
	}
	return err
}

// Refresh takes up what is new, now that the file has a size, and reports whether Latest is another one. After an error that does not come from
// the context, the file stays as it was, and each later call returns that error.
func (f *File) Refresh(ctx context.Context, size int64) (grown bool, err error) {
	if f.err != nil || f.ended {
		return false, f.err
	}
	grown, err = f.refresh(ctx, size)
	if err != nil && !errors.Is(err, ErrNothing) && (ctx.Err() == nil || f.followed != f.slices) {
		f.err = err
	}
	return grown, err
}

func (f *File) refresh(ctx context.Context, size int64) (grown bool, err error) {
	if size < f.size {
		return false, fmt.Errorf("%s: it became shorter, from %d to %d bytes", f.name, f.size, size)
	}
	f.size = size
	if ended, err := f.finish(ctx, size); ended || err != nil {
		return ended, err
	}
	if err := f.open(ctx, size); err != nil {
		return false, err
	}
	for {
		more, err := f.advance(ctx, size)
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		grown = true
	}
	if f.meta == nil && f.stop != nil {
		return false, f.stop
	}
	if f.meta == nil {
		return false, fmt.Errorf("%s: %w", f.name, ErrNothing)
	}
	if f.latest != nil && !grown {
		return false, nil
	}
	latest, err := f.complete(ctx)
	if err == nil {
		f.latest = latest
	}
	return err == nil, err
}

// finish opens the file as a finished one if it has its end.
func (f *File) finish(ctx context.Context, size int64) (bool, error) {
	tail := make([]byte, min(format.FooterSize, size))
	if n, err := blockio.ReadAt(ctx, f.src, tail, size-int64(len(tail))); n < len(tail) {
		return false, blockio.ReadError(f.name, size-int64(len(tail)), n, len(tail), err)
	}
	if _, err := format.ParseFooter(tail, size); err != nil {
		return false, nil
	}
	r, err := read.NewReader(ctx, f.src, size, f.opt)
	if err != nil {
		return false, err
	}
	f.latest, f.ended = r, true
	return true, nil
}

// open reads the header if that was not done.
func (f *File) open(ctx context.Context, size int64) error {
	if f.at > 0 {
		return nil
	}
	head := make([]byte, min(format.HeaderSize, size))
	if n, err := blockio.ReadAt(ctx, f.src, head, 0); n < len(head) {
		return blockio.ReadError(f.name, 0, n, len(head), err)
	}
	if len(head) < format.HeaderSize && string(head) == format.Magic[:min(len(head), len(format.Magic))]+string(head[min(len(head), len(format.Magic)):]) {
		return fmt.Errorf("%s: %w", f.name, ErrNothing)
	}
	h, err := format.ParseHeader(head)
	if err != nil {
		return format.At(err, f.name, 0)
	}
	f.header, f.id, f.at = *h, h.ID, format.HeaderSize
	return nil
}

// batchSlices is the number of slices that are found before their events are gone through.
const batchSlices = 1024

// advance finds some groups that are whole, and goes through their events.
func (f *File) advance(ctx context.Context, size int64) (more bool, err error) {
	var found []group
	first := f.slices
	for f.slices-first < batchSlices {
		b, err := f.next(ctx, size)
		if err != nil {
			return false, err
		}
		if b == nil {
			break
		}
		if f.meta == nil && b.Kind != format.BlockMeta {
			f.stop = format.At(format.Corruptf(b.Kind.String(), -1, "the meta block does not stand before it"), f.name, int64(b.Offset))
			break
		}
		whole, err := f.take(b)
		if err == nil && whole {
			err = f.accept(&f.group)
			found, f.group = append(found, f.group), group{}
			f.endBlocks = f.blocks
		}
		if b.Kind == format.BlockMeta {
			f.endBlocks = f.blocks
		}
		if err != nil {
			f.stop = format.At(err, f.name, int64(b.Offset))
			break
		}
	}
	if len(found) == 0 {
		return false, nil
	}
	return true, f.followAll(ctx, found, first)
}

// followAll goes through the events of groups.
func (f *File) followAll(ctx context.Context, found []group, first uint64) error {
	if f.matcher == nil {
		f.begin()
	}
	r, err := f.provisional(ctx, found, first)
	if err != nil {
		return err
	}
	defer r.Close()
	for i := range found {
		f.pairs.begin()
		for n := range found[i].slices {
			if err := f.seal(); err != nil {
				return err
			}
			if err := f.followSlice(r, &found[i].slices[n], f.followed); err != nil {
				return err
			}
			f.followed++
		}
	}
	return f.pairs.settle(f, r)
}

// begin makes what goes through events, now that it is known how slices are divided.
func (f *File) begin() {
	f.tree = f.division.Tree()
	f.roles = pairing.NewRoles(f.meta.Table(), 0)
	f.matcher = match.New(match.Config{Definitions: f.definitions, Totals: &f.info, Tree: f.tree, Logs: &f.logs, Memory: memory})
}
