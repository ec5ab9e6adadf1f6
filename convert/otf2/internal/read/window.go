package read

import (
	"io"
	"os"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Window is the part of a chunked file that is in memory: a piece of one chunk.
type Window struct {
	Path  string
	Size  int64 // of the file, in bytes
	Chunk int64 // size of chunks, in bytes
	Want  int   // bytes to read at once, or all that are left
	// Read fills p from a position of the file.
	Read func(p []byte, at int64) error
	// torn, if it is not nil, gets the place where the file is cut off, which ends reading in place of an error.
	torn func(at int64)
	// release ends reading; nil if there is nothing to do.
	release func()

	data  []byte // data[:end] is the file from base on; at least slack bytes follow
	base  int64
	pos   int // what comes next, in data
	end   int
	limit int64 // where the current chunk ends, in the file
	big   bool  // the current chunk's byte order
}

// openWindow gets a file ready to be read from its begin.
func openWindow(path string, chunk int64, want int, open *OpenFiles) (*Window, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, trace.Unreadable("otf2", path, 0, err)
	}
	if info.IsDir() {
		return nil, form.Corrupt(path, 0, "is a directory where a file should be")
	}
	f := &file{path: path, open: open}
	return &Window{Path: path, Size: info.Size(), Chunk: chunk, Want: want, Read: f.readAt, release: f.close}, nil
}

// close forgets what is in memory, and lets go of the file.
func (w *Window) close() {
	w.data = nil
	if w.release != nil {
		w.release()
	}
}

// at returns the position in the file of what comes next.
func (w *Window) at() int64 { return w.base + int64(w.pos) }

// need makes sure that n bytes from pos on are in memory. It is an error if the chunk or the file ends before.
func (w *Window) need(n uint64) error {
	if n <= uint64(w.end-w.pos) {
		return nil
	}
	where, left := "chunk", w.limit-w.at()
	if w.Size < w.limit {
		where, left = "file", w.Size-w.at()
	}
	if n > uint64(left) {
		return w.short(form.Corrupt(w.Path, w.at(), "a record of at least %d bytes where the %s has %d left", n, where, left))
	}
	return w.fill(int(min(max(int64(n), int64(w.Want)), left)))
}

// fill brings the n bytes from pos on into memory, to the front of data, keeping what is there already.
func (w *Window) fill(n int) error {
	kept := w.data[w.pos:w.end]
	if n+form.Slack > len(w.data) {
		w.data = make([]byte, n+form.Slack)
	}
	have := copy(w.data, kept)
	w.base, w.pos, w.end = w.at(), 0, have
	err := w.Read(w.data[have:n], w.base+int64(have))
	if err == io.EOF {
		return form.Corrupt(w.Path, w.base+int64(have), "the file became shorter while it was read")
	}
	if err != nil {
		return &trace.SourceError{Format: "otf2", File: w.Path, Offset: w.base + int64(have), Problem: "cannot be read", Cause: err}
	}
	w.end = n
	return nil
}

// short returns the error of what ends too early: the end of the stream, if the file is cut off there and may be.
func (w *Window) short(err error) error {
	if w.torn == nil || w.Size >= w.limit {
		return err
	}
	w.torn(w.at())
	return io.EOF
}

// nextChunk moves to the begin of the next chunk, the first one if none was read, and over its header.
func (w *Window) nextChunk() error {
	start := w.limit
	w.base, w.pos, w.end = start, 0, 0
	w.limit = start + w.Chunk
	if left := w.Size - start; left < form.ChunkHeader {
		return w.short(form.Corrupt(w.Path, start, "a chunk should begin, but the file has %d bytes left", max(left, 0)))
	}
	if err := w.need(form.ChunkHeader); err != nil {
		return err
	}
	switch {
	case w.data[0] != form.IdChunk:
		return form.Corrupt(w.Path, start, "a chunk should begin with 03, but here is %02x", w.data[0])
	case w.data[1] != form.MarkLittle && w.data[1] != form.MarkBig:
		return form.Corrupt(w.Path, start, "a chunk of unknown byte order %02x", w.data[1])
	}
	w.big = w.data[1] == form.MarkBig
	w.pos = form.ChunkHeader
	return nil
}
