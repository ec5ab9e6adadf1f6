package otf2

import (
	"io"
	"os"

	"github.com/pandotrace/pando/trace"
)

// chunkHeader is the size of a chunk's header: 03, byte order, first and last event number.
const chunkHeader = 18

// window is the part of a chunked file that is in memory: a piece of one chunk.
type window struct {
	path  string
	size  int64 // of the file, in bytes
	chunk int64 // size of chunks, in bytes
	want  int   // bytes to read at once, if there are so many
	// read fills p from a position of the file.
	read func(p []byte, at int64) error
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
func openWindow(path string, chunk int64, want int, open *openFiles) (*window, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, trace.Unreadable("otf2", path, 0, err)
	}
	if info.IsDir() {
		return nil, corrupt(path, 0, "is a directory where a file should be")
	}
	f := &file{path: path, open: open}
	return &window{path: path, size: info.Size(), chunk: chunk, want: want, read: f.readAt, release: f.close}, nil
}

// close forgets what is in memory, and lets go of the file.
func (w *window) close() {
	w.data = nil
	if w.release != nil {
		w.release()
	}
}

// at returns the position in the file of what comes next.
func (w *window) at() int64 { return w.base + int64(w.pos) }

// need makes sure that n bytes from pos on are in memory. It is an error if the chunk or the file ends before.
func (w *window) need(n uint64) error {
	if n <= uint64(w.end-w.pos) {
		return nil
	}
	where, left := "chunk", w.limit-w.at()
	if w.size < w.limit {
		where, left = "file", w.size-w.at()
	}
	if n > uint64(left) {
		return corrupt(w.path, w.at(), "a record of at least %d bytes where the %s has %d left", n, where, left)
	}
	return w.fill(int(min(max(int64(n), int64(w.want)), left)))
}

// fill brings the n bytes from pos on into memory, to the front of data, keeping what is there already.
func (w *window) fill(n int) error {
	kept := w.data[w.pos:w.end]
	if n+slack > len(w.data) {
		w.data = make([]byte, n+slack)
	}
	have := copy(w.data, kept)
	w.base, w.pos, w.end = w.at(), 0, have
	err := w.read(w.data[have:n], w.base+int64(have))
	if err == io.EOF {
		return corrupt(w.path, w.base+int64(have), "the file became shorter while it was read")
	}
	if err != nil {
		return &trace.SourceError{Format: "otf2", File: w.path, Offset: w.base + int64(have), Problem: "cannot be read", Cause: err}
	}
	w.end = n
	return nil
}

// nextChunk moves to the begin of the next chunk, the first one if none was read, and over its header.
func (w *window) nextChunk() error {
	start := w.limit
	w.base, w.pos, w.end = start, 0, 0
	w.limit = start + w.chunk
	if left := w.size - start; left < chunkHeader {
		return corrupt(w.path, start, "a chunk should begin, but the file has %d bytes left", max(left, 0))
	}
	if err := w.need(chunkHeader); err != nil {
		return err
	}
	switch {
	case w.data[0] != idChunk:
		return corrupt(w.path, start, "a chunk should begin with 03, but here is %02x", w.data[0])
	case w.data[1] != markLittle && w.data[1] != markBig:
		return corrupt(w.path, start, "a chunk of unknown byte order %02x", w.data[1])
	}
	w.big = w.data[1] == markBig
	w.pos = chunkHeader
	return nil
}
