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
	if far, ok := src.(*remote); ok {
		return far.readAt(ctx, b, at)
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
