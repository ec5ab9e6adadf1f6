package store

import (
	"context"
	"io"

	"github.com/pandotrace/pando/store/internal/salvage"
	"github.com/pandotrace/pando/trace"
)

// Salvage is what is left of a damaged file: the blocks that are intact.
type Salvage struct{ s *salvage.Salvage }

// Recovery says what was saved, and what was not.
type Recovery = salvage.Recovery

// Loss is a stretch of a location's events that was lost.
type Loss = salvage.Loss

// LostID is a location whose id was lost.
type LostID = salvage.LostID

// OpenSalvage looks through a damaged file for what is intact in it. progress counts bytes.
func OpenSalvage(ctx context.Context, src io.ReaderAt, size int64, opt ReadOptions, progress Progress) (*Salvage, error) {
	s, err := salvage.Open(ctx, src, size, opt, progress)
	if err != nil {
		return nil, err
	}
	return &Salvage{s}, nil
}

// Options returns options that make a file like the damaged one.
func (s *Salvage) Options() Options { return s.s.Options() }

// Meta says what the trace is as a whole, as far as that is known.
func (s *Salvage) Meta() *trace.Meta { return s.s.Meta() }

// Work returns what has been done so far besides reading bytes.
func (s *Salvage) Work() Work { return s.s.Work() }

// Create starts to write a file of what was saved, with the options of [Salvage.Options] or others. It is written as
// path.saved.part and gets its name when the writer is closed.
func (s *Salvage) Create(ctx context.Context, path string, opt Options) (*Writer, error) {
	return created(s.s.Create(ctx, path, opt))
}

// Copy writes all that was saved, and says what was not. An error is one of writing, or of reading the file.
// progress counts slices written.
func (s *Salvage) Copy(ctx context.Context, w *Writer, progress Progress) (*Recovery, error) {
	return s.s.Copy(ctx, w.w, progress)
}
