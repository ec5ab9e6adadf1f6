package slog2

import (
	"encoding/binary"
	"io"
	"math"
	"os"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// windowBytes is the size of the pieces that a part of a file is read in.
const windowBytes = 32 << 10

// input is a file that is not held open.
type input struct {
	path string
	size int64
	// read fills p from a position of the file.
	read func(p []byte, at int64) error
}

func openInput(path string) (*input, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, trace.Unreadable("", path, 0, err)
	}
	if info.IsDir() {
		return nil, mpe.Corrupt(path, 0, "is a directory where a file should be")
	}
	read := func(p []byte, at int64) error { return mpe.ReadAt(path, p, at) }
	return &input{path: path, size: info.Size(), read: read}, nil
}

// window reads a part of a file from its begin to its end. The first failure is kept in err; what is read after it is 0.
type window struct {
	*input
	data  []byte // of the file, from base on
	base  int64
	pos   int
	limit int64 // where the part ends
	err   error
}

// section returns a window on n bytes of the file.
func (in *input) section(at, n int64) *window {
	w := &window{input: in}
	w.move(at, n)
	return w
}

// move makes the window one on n bytes of the file, keeping its memory.
func (w *window) move(at, n int64) {
	w.data, w.base, w.pos, w.limit, w.err = w.data[:0], at, 0, at+n, nil
	if at < 0 || n < 0 || at > w.size || n > w.size-at {
		w.limit = at
		w.fail("a block of %d bytes at %d in a file of %d", n, at, w.size)
	}
}

func (w *window) fail(format string, args ...any) {
	if w.err == nil {
		w.err = mpe.Corrupt(w.path, w.at(), format, args...)
	}
}

// at returns the position in the file of what comes next.
func (w *window) at() int64 { return w.base + int64(w.pos) }

// left returns the number of bytes up to the part's end.
func (w *window) left() int64 { return w.limit - w.at() }

// take returns the next n bytes, nil if fewer are left. They are valid until the next call.
func (w *window) take(n int) []byte {
	if w.pos+n > len(w.data) && !w.fill(n) {
		return nil
	}
	w.pos += n
	return w.data[w.pos-n : w.pos]
}

// fill brings at least n bytes from pos on into memory.
func (w *window) fill(n int) bool {
	if w.err != nil {
		return false
	}
	if int64(n) > w.left() {
		w.fail("%d bytes where %d are left", n, w.left())
		return false
	}
	size := int(min(max(int64(n), windowBytes), w.left()))
	kept := w.data[w.pos:]
	data := w.data[:0]
	if cap(data) < size {
		data = make([]byte, 0, size)
	}
	have := copy(data[:size], kept)
	w.base, w.pos, w.data = w.at(), 0, data[:size]
	if err := w.read(w.data[have:], w.base+int64(have)); err != nil {
		w.data = w.data[:0]
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			w.fail("the file became shorter while it was read")
		} else {
			w.err = trace.Unreadable("", w.path, w.base, err)
		}
		return false
	}
	return true
}

func (w *window) byte() byte {
	if b := w.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (w *window) int16() int {
	if b := w.take(2); b != nil {
		return int(int16(binary.BigEndian.Uint16(b)))
	}
	return 0
}

func (w *window) int32() int32 {
	if b := w.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (w *window) int64() int64 {
	if b := w.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (w *window) float32() float64 { return float64(math.Float32frombits(uint32(w.int32()))) }
func (w *window) float64() float64 { return math.Float64frombits(uint64(w.int64())) }

// text reads a string: its length in two bytes, then the string.
func (w *window) text() string { return string(w.take(w.count16(1))) }

// count16 reads a number, in two bytes, of things of at least size bytes, and checks it against what is left.
func (w *window) count16(size int64) int { return w.count(int64(w.int16()), size) }

// count32 is count16 for numbers in four bytes.
func (w *window) count32(size int64) int { return w.count(int64(w.int32()), size) }

func (w *window) count(n, size int64) int {
	if n < 0 || n*size > w.left() {
		w.fail("%d things of %d bytes where %d bytes are left", n, size, w.left())
		return 0
	}
	return int(n)
}
