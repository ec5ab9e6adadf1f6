package growing

import (
	"context"
	"io"

	"github.com/pandotrace/pando/store/internal/blockio"
)

// prefix is a file whose first bytes are those of another one, and whose last ones are in memory.
type prefix struct {
	src  io.ReaderAt
	from int64 // where the bytes in memory begin
	tail []byte
}

func (p *prefix) size() int64 { return p.from + int64(len(p.tail)) }

// ReadAt implements io.ReaderAt.
func (p *prefix) ReadAt(b []byte, at int64) (int, error) {
	return p.ReadAtContext(context.Background(), b, at)
}

// ReadAtContext reads from both parts.
func (p *prefix) ReadAtContext(ctx context.Context, b []byte, at int64) (n int, err error) {
	if at < p.from {
		n = int(min(int64(len(b)), p.from-at))
		if n, err = blockio.ReadAt(ctx, p.src, b[:n], at); err != nil || at+int64(n) < p.from {
			return n, err
		}
	}
	if n < len(b) {
		if rest := at + int64(n) - p.from; rest < int64(len(p.tail)) {
			n += copy(b[n:], p.tail[rest:])
		}
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}
