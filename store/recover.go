package store

import (
	"context"
	"errors"
	"io"

	"github.com/pandotrace/pando/store/internal/recovery"
	"github.com/pandotrace/pando/trace"
)

// RecoverReport says what was saved of a damaged file, and what was not.
type RecoverReport = recovery.RecoverReport

// LostEvents are successive events of a location that were lost.
type LostEvents = recovery.LostEvents

// LostID is a location whose id was lost.
type LostID = recovery.LostID

// RecoverOptions of Recover. The zero value means the defaults.
type RecoverOptions struct {
	// Read are the options of reading the damaged file.
	Read ReadOptions
	// Output says what becomes of files that are there already.
	Output OutputOptions
	// Searching counts bytes that are searched for blocks, Writing slices that are written.
	Searching, Writing Progress
}

// Recover makes a sound file of a damaged one, or of one that was never finished: it searches all of src for intact blocks, writes what
// they hold to path, and reports what is missing. After an error, there is no file at path. [OpenRecovery] does the same step by step.
func Recover(ctx context.Context, src io.ReaderAt, size int64, path string, opt RecoverOptions) (*RecoverReport, error) {
	r, err := OpenRecovery(ctx, src, size, opt.Read, opt.Searching)
	if err != nil {
		return nil, err
	}
	options := r.Options()
	options.Output = opt.Output
	w, err := r.Create(ctx, path, options)
	if err != nil {
		return nil, err
	}
	report, err := r.Copy(ctx, w, opt.Writing)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return report, nil
}

// Recovery is a damaged file with the blocks of it that are intact.
type Recovery struct{ r *recovery.Recovery }

// OpenRecovery searches a damaged file for blocks that are intact. progress counts bytes.
func OpenRecovery(ctx context.Context, src io.ReaderAt, size int64, opt ReadOptions, progress Progress) (*Recovery, error) {
	r, err := recovery.Open(ctx, src, size, opt, progress)
	if err != nil {
		return nil, err
	}
	return &Recovery{r}, nil
}

// Options returns options that make a file like the damaged one.
func (r *Recovery) Options() Options { return r.r.Options() }

// Meta describes the trace as a whole, with defaults for what was lost.
func (r *Recovery) Meta() *trace.Meta { return r.r.Meta() }

// ReadStats returns the work done so far.
func (r *Recovery) ReadStats() ReadStats { return r.r.ReadStats() }

// Create starts to write a file of what was saved, with the options of [Recovery.Options] or others. It is written as path.part, or as
// path.saved.part if path.part is the damaged file, and gets its name when the writer is closed.
func (r *Recovery) Create(ctx context.Context, path string, opt Options) (*Writer, error) {
	return created(r.r.Create(ctx, path, opt))
}

// Copy writes all that was saved, and says what was not. An error is one of writing, or of reading the damaged file. progress counts
// slices written.
func (r *Recovery) Copy(ctx context.Context, w *Writer, progress Progress) (*RecoverReport, error) {
	return r.r.Copy(ctx, w.w, progress)
}
