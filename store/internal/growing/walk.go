package growing

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/blockio"
)

// walker goes from frame to frame, forward only. A block counts when all of it is there and its checksum holds.
type walker struct {
	src    io.ReaderAt
	name   string
	id     format.FileID
	limits format.Limits
	at     int64  // of the next frame
	blocks uint32 // before it
	buffer []byte
	rooted bool  // the root of the directory was met: the footer follows
	stop   error // why the walk goes no further, if that is damage and not the end
}

// block is one that was walked over.
type block struct {
	format.Frame
	format.Ref
	payload []byte // decompressed, valid until the next step; nil of those whose contents are not needed
}

// needed are the kinds of blocks whose contents are looked at. What other blocks say is found out from the events.
var needed = []format.BlockKind{
	format.BlockMeta, format.BlockDefinitions, format.BlockAuxiliary, format.BlockDictionary, format.BlockModel, format.BlockMarks, format.BlockSlice, format.BlockPage,
}

// next returns the next block, nil if it is not there yet. Damage ends the walk: what is behind it may belong to what is lost.
func (w *walker) next(ctx context.Context, size int64) (*block, error) {
	if w.stop != nil || w.rooted || size-w.at < format.FrameSize {
		return nil, nil
	}
	var head [format.FrameSize]byte
	if err := w.read(ctx, head[:]); err != nil {
		return nil, err
	}
	f, err := format.ParseFrame(head[:])
	if err == nil {
		err = w.check(f)
	}
	if err != nil {
		return nil, w.damage(err)
	}
	length := int64(f.Stored) + format.FrameSize
	if length > size-w.at {
		return nil, nil
	}
	b := &block{Frame: *f, Ref: format.Ref{Offset: uint64(w.at), Length: uint32(length), CRC: f.CRC}}
	if slices.Contains(needed, f.Kind) {
		if err := w.payload(ctx, b); err != nil {
			return nil, w.damage(err)
		}
	}
	w.at, w.blocks, w.rooted = w.at+length, w.blocks+1, f.Kind == format.BlockRoot
	return b, nil
}

// check refuses blocks that cannot be the next one.
func (w *walker) check(f *format.Frame) error {
	length := int64(f.Stored) + format.FrameSize
	switch {
	case f.Ordinal != w.blocks:
		return format.Corruptf(f.Kind.String(), -1, "it is block %d, and stands behind %d", f.Ordinal, w.blocks)
	case length > int64(w.limits.BlockBytes) || int64(f.Raw) > int64(w.limits.BlockBytes):
		return format.Corruptf(f.Kind.String(), -1, "%d bytes are over the limit", max(length, int64(f.Raw))).Of(format.ErrLimit)
	}
	return nil
}

// payload reads a block's contents.
func (w *walker) payload(ctx context.Context, b *block) error {
	w.buffer = slices.Grow(w.buffer[:0], int(b.Length))[:b.Length]
	if err := w.read(ctx, w.buffer); err != nil {
		return err
	}
	if err := b.CheckPayload(w.buffer, &w.id); err != nil {
		return err
	}
	payload, err := records.Decompress(w.buffer[format.FrameSize:], b.Codec, int(b.Raw))
	b.payload = payload
	return err
}

// damage ends the walk if an error is one of the file's bytes.
func (w *walker) damage(err error) error {
	if !format.IsCorrupt(err) {
		return err
	}
	w.stop = format.At(err, w.name, w.at)
	return nil
}

// read reads from the next frame on.
func (w *walker) read(ctx context.Context, b []byte) error {
	n, err := blockio.ReadAt(ctx, w.src, b, w.at)
	if n == len(b) {
		return nil
	}
	if err == io.EOF {
		return fmt.Errorf("%s: it became shorter while it was read", w.name)
	}
	return blockio.ReadError(w.name, w.at, n, len(b), err)
}
