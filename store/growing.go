package store

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/pandotrace/pando/store/internal/growing"
	"github.com/pandotrace/pando/store/internal/read"
)

// ErrNothing means that of a file that is being written nothing can be read yet.
var ErrNothing = growing.ErrNothing

// Growing is a file that is being written, or that a writer left when it was killed: NAME.part. All groups of slices that are whole can be
// read. [Growing.Refresh] takes up those that are new, and no more than that. When the file has got its end, it is read as any other.
//
// What a Reader of a growing file says is what it would say of the whole file, as long as it does not depend on what comes later: calls that
// are open end with the last event and have the flag [trace.CallOpen], messages that are under way are ends without a partner, and what is
// defined later has no name.
//
// To open it takes time in proportion to its events, each of which is looked at once. A Growing is not safe for concurrent use, its Readers are.
type Growing struct {
	f      *growing.File
	file   *os.File // nil if it is not ours
	reader *Reader
}

// OpenGrowing opens a file on this machine that may have no end yet. See [Open] for the context, and [Growing] for what can be read. While its
// writer has written nothing that could be read, the error is [ErrNothing].
func OpenGrowing(ctx context.Context, path string, opt ReadOptions) (*Growing, error) {
	if opt.Name == "" {
		opt.Name = path
	}
	file, size, err := read.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	g, err := NewGrowing(ctx, file, size, opt)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	g.file = file
	return g, nil
}

// NewGrowing opens a file of which a number of bytes are there, from anywhere. They must not change.
func NewGrowing(ctx context.Context, src io.ReaderAt, size int64, opt ReadOptions) (*Growing, error) {
	opt.Closer = nil // readers come and go
	f, err := growing.Open(ctx, src, size, opt)
	if err != nil {
		return nil, err
	}
	return &Growing{f: f, reader: &Reader{f.Latest()}}, nil
}

// openPart opens a file on this machine as it is now.
func openPart(ctx context.Context, path string, opt ReadOptions) (*Reader, error) {
	if opt.Name == "" {
		opt.Name = path
	}
	file, size, err := read.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	opt.Closer = file
	r, err := openUnfinished(ctx, file, size, opt)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// openUnfinished opens a file as it is now.
func openUnfinished(ctx context.Context, src io.ReaderAt, size int64, opt ReadOptions) (*Reader, error) {
	g, err := NewGrowing(ctx, src, size, opt)
	if err != nil {
		return nil, err
	}
	g.reader.file.OwnedBy(opt.Closer)
	return g.reader, g.f.Close()
}

// Reader returns the file as it was when it was refreshed last. It stays what it is, until the Growing is closed.
func (g *Growing) Reader() *Reader { return g.reader }

// Refresh takes up what is new of a file that [OpenGrowing] opened, also after it was renamed, and reports whether Reader returns another one.
func (g *Growing) Refresh(ctx context.Context) (grown bool, err error) {
	info, err := g.file.Stat()
	if err != nil {
		return false, err
	}
	return g.RefreshTo(ctx, info.Size())
}

// RefreshTo takes up what is new, now that a number of bytes are there.
func (g *Growing) RefreshTo(ctx context.Context, size int64) (grown bool, err error) {
	if grown, err = g.f.Refresh(ctx, size); grown {
		g.reader = &Reader{g.f.Latest()}
	}
	return grown, err
}

// Ended reports whether the file has got its end.
func (g *Growing) Ended() bool { return g.f.Ended() }

// Stopped returns what is wrong with the bytes behind those that are read; nil if nothing is, as in a file that was torn off. All that is
// behind such damage is found by [Recover].
func (g *Growing) Stopped() error { return g.f.Stopped() }

// Close closes the file, if OpenGrowing opened it. Its Readers must not be used any more.
func (g *Growing) Close() error {
	err := errors.Join(g.reader.Close(), g.f.Close())
	if g.file != nil {
		err = errors.Join(err, g.file.Close())
	}
	return err
}

// Unfinished reports whether the Reader is of a file that has no end yet, see [Growing].
func (r *Reader) Unfinished() bool { return r.file.Unfinished }
