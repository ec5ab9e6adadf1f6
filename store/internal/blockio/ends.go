package blockio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/format"
)

const (
	HeadBytes = 2 << 10
	TailBytes = 64 << 10
)

// FileEnds are the first and the last bytes of a file. They are all that most files need to be opened.
type FileEnds struct{ Head, Tail []byte }

// Holds copies the bytes at an offset of a file into b, if they lie within one of its ends.
func (e *FileEnds) Holds(b []byte, at, size int64) bool {
	if at+int64(len(b)) <= int64(len(e.Head)) {
		copy(b, e.Head[at:])
		return true
	}
	from := at - (size - int64(len(e.Tail)))
	if from < 0 || from+int64(len(b)) > int64(len(e.Tail)) {
		return false
	}
	copy(b, e.Tail[from:])
	return true
}

// Distant is a file on a server: what takes time is to wait for answers, and a read ends with its context.
type Distant interface {
	io.ReaderAt
	ReadAtContext(ctx context.Context, b []byte, at int64) (int, error)
}

// IsFar reports whether a file is on a server.
func IsFar(src io.ReaderAt) bool {
	_, ok := src.(Distant)
	return ok
}

// ReadEnds reads both ends of a file.
func ReadEnds(ctx context.Context, src io.ReaderAt, size int64, name string) (FileEnds, error) {
	e := FileEnds{make([]byte, min(HeadBytes, size)), make([]byte, min(TailBytes, size))}
	var group errgroup.Group
	read := func(b []byte, at int64) func() error {
		return func() error {
			if n, err := ReadAt(ctx, src, b, at); n < len(b) {
				return ReadError(name, at, n, len(b), err)
			}
			return nil
		}
	}
	group.Go(read(e.Head, 0))
	group.Go(read(e.Tail, size-int64(len(e.Tail))))
	return e, group.Wait()
}

// ReadAt reads from a file unless the context is done. A read over the network ends with the context; one on this machine, which takes
// little time for the parts that are read at once, is not interrupted.
func ReadAt(ctx context.Context, src io.ReaderAt, b []byte, at int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if far, ok := src.(Distant); ok {
		return far.ReadAtContext(ctx, b, at)
	}
	return src.ReadAt(b, at)
}

// ReadError makes an error of a read that gave too little.
func ReadError(name string, at int64, n, want int, err error) error {
	if errors.Is(err, io.EOF) || err == nil {
		return format.At(format.Corruptf("file", at, "ends after %d of %d bytes", n, want), name, -1)
	}
	return fmt.Errorf("%s: reading %d bytes at offset %d: %w", name, want, at, err)
}
