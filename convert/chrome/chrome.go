package chrome

import (
	"context"
	"io"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/convert/chrome/internal/write"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options of [Open]; zero fields mean the default.
type Options = read.Options

// ExportOptions are options of [Export] and [Write]; zero fields mean the default.
type ExportOptions = write.Options

// Detect reports whether a file that begins with prefix has trace events, compressed or not.
func Detect(prefix []byte) bool { return read.Detect(prefix) }

// Open opens a file and reads all of it, because events stand in any order and have to be sorted. When ctx is done, it returns the
// error of ctx. Closing the source removes its temporary files.
func Open(ctx context.Context, path string, opt Options) (trace.Source, error) {
	a, err := read.Open(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Export writes what a window holds as trace events to a file, compressed if the path ends in ".gz". Calls and messages are written whole,
// with begin and end. The file is written as path.part, by one writer at a time, and gets its name when it is complete. Export returns
// its size in bytes.
func Export(ctx context.Context, r *store.Reader, w *store.Window, path string, opt ExportOptions) (size int64, err error) {
	return write.File(ctx, r, w, path, opt)
}

// Write writes the events of a window like [Export], but to a writer and uncompressed.
func Write(ctx context.Context, out io.Writer, r *store.Reader, w *store.Window, opt ExportOptions) error {
	return write.Stream(ctx, out, r, w, opt)
}
