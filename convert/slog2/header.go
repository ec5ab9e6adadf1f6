package slog2

import (
	"bytes"
	"strconv"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// Versions: what all files begin with behind the length of the string, and the one that is read.
const (
	versionPrefix = "\x00\x0aSLOG 2"
	version       = "SLOG 2.0.6"
)

const (
	headerBytes  = 108
	pointerBytes = 12
)

// Detect reports whether a file that begins with prefix is a SLOG-2 file.
func Detect(prefix []byte) bool { return bytes.HasPrefix(prefix, []byte(versionPrefix)) }

// pointer says where a block is.
type pointer struct {
	at   int64
	size int32
}

func (w *window) pointer() pointer { return pointer{w.int64(), w.int32()} }

// exists reports whether the pointer points to a block at all.
func (p pointer) exists() bool { return p.at != 0 && p.size > 0 }

// header is the begin of a file.
type header struct {
	version                                                      string
	children, leafBytes, depth, largest                          int64
	categories, methods, lineMaps, root, directory, notes, extra pointer
}

func (in *input) header() (*header, error) {
	prefix := make([]byte, min(in.size, int64(len(versionPrefix))))
	if err := in.read(prefix, 0); err != nil {
		return nil, trace.Unreadable("", in.path, 0, err)
	}
	if !Detect(prefix) {
		return nil, mpe.Corrupt(in.path, 0, "is no SLOG-2 file")
	}
	if in.size < headerBytes {
		return nil, mpe.Corrupt(in.path, 0, "a header of %d bytes, not %d", in.size, headerBytes)
	}
	w := in.section(0, headerBytes)
	h := &header{version: w.text()}
	if h.version != version {
		return nil, mpe.Unsupported(in.path, 0, "version %q is not supported, only %s", h.version, version)
	}
	h.children, h.leafBytes, h.depth, h.largest = int64(w.int16()), int64(w.int32()), int64(w.int16()), int64(w.int32())
	for _, p := range []*pointer{&h.categories, &h.methods, &h.lineMaps, &h.root, &h.directory, &h.notes, &h.extra} {
		*p = w.pointer()
	}
	return h, w.err
}

func (h *header) properties() []trace.Property {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return []trace.Property{
		{Name: "slog2.version", Value: h.version},
		{Name: "slog2.childrenPerNode", Value: number(h.children)},
		{Name: "slog2.leafBytes", Value: number(h.leafBytes)},
		{Name: "slog2.depth", Value: number(h.depth)},
	}
}
