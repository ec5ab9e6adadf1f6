package blockio

import (
	"bufio"
	"crypto/rand"
	"io"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/layout"
)

// BlockFile writes a file block by block: it numbers the blocks, keeps their places for the directory, and closes the
// file with the footer.
type BlockFile struct {
	out    *bufio.Writer
	id     format.FileID
	offset uint64
	blocks uint32
	frame  []byte
}

const writeBuffer = 1 << 18

// NewBlockFile starts a file that has some optional features.
func NewBlockFile(w io.Writer, id format.FileID, optional uint64) (*BlockFile, error) {
	if id == (format.FileID{}) {
		rand.Read(id[:]) // never fails
	}
	f := &BlockFile{out: bufio.NewWriterSize(wholeWrites{w}, writeBuffer), id: id}
	h := format.Header{Major: format.Major, Minor: format.Minor, Optional: optional, ID: id}
	return f, f.write(h.Append(nil))
}

// Continue writes what follows on the first bytes of a file, which have some blocks.
func Continue(w io.Writer, id format.FileID, offset uint64, blocks uint32) *BlockFile {
	return &BlockFile{out: bufio.NewWriter(w), id: id, offset: offset, blocks: blocks}
}

// wholeWrites takes a write that was cut short for an error: a buffer would try the rest forever.
type wholeWrites struct{ io.Writer }

func (w wholeWrites) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

func (f *BlockFile) write(b []byte) error {
	n, err := f.out.Write(b)
	f.offset += uint64(n)
	return err
}

// Flush hands what is complete to the system: if the program is killed, it can be recovered.
func (f *BlockFile) Flush() error { return f.out.Flush() }

// Block writes a block uncompressed.
func (f *BlockFile) Block(kind format.BlockKind, payload []byte) (format.Ref, error) {
	return f.stored(kind, payload, format.CodecNone, len(payload))
}

// Compressed writes a block compressed, if that makes it smaller.
func (f *BlockFile) Compressed(kind format.BlockKind, payload []byte) (format.Ref, error) {
	stored, codec := records.Compress(payload)
	return f.stored(kind, stored, codec, len(payload))
}

func (f *BlockFile) stored(kind format.BlockKind, payload []byte, codec format.Codec, raw int) (format.Ref, error) {
	if uint64(raw) >= 1<<32 || f.blocks == 1<<32-1 {
		return format.Ref{}, layout.Overf("%s of %d bytes, number %d: too much for the format", kind, raw, f.blocks)
	}
	if raw > layout.Limits.BlockBytes-format.FrameSize {
		return format.Ref{}, layout.Overf("%s of %d bytes: no reader takes more than %d", kind, raw, layout.Limits.BlockBytes-format.FrameSize)
	}
	frame := format.Frame{Kind: kind, Codec: codec, Raw: uint32(raw), Ordinal: f.blocks}
	f.frame = format.AppendFrame(f.frame[:0], &frame, payload, &f.id)
	ref := format.Ref{Offset: f.offset, Length: uint32(len(f.frame)), CRC: frame.CRC}
	f.blocks++
	return ref, f.write(f.frame)
}

// Finish writes the directory's root and the footer, which has some optional features.
func (f *BlockFile) Finish(root *index.Root, optional uint64) error {
	ref, err := f.Compressed(format.BlockRoot, root.Append(nil))
	if err != nil {
		return err
	}
	footer := format.Footer{Root: ref, Optional: optional, ID: f.id, Length: f.offset + format.FooterSize, Blocks: f.blocks}
	if err := f.write(footer.Append(nil)); err != nil {
		return err
	}
	return f.out.Flush()
}
