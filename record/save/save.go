// Package save makes Pando files of what a program records, in the program itself. It links the engine, which package record does not: who only records needs only that, and converts the recording with pando convert.
package save

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/store"
)

// CloseTo ends a recording and makes a Pando file of it, which replaces one that is there. The recording stays; pando convert makes one trace of those of several processes. After an error in making the file, the
// recording has been ended all the same.
func CloseTo(ctx context.Context, r *record.Recorder, path string) error {
	if err := r.Close(); err != nil {
		return err
	}
	return convert(ctx, r.Path(), path)
}

// Snapshot makes a Pando file of what a recorder holds of the last d, of all if d is 0, while the program goes on: see record.Recorder.Snapshot, whose file it makes for a while in the folder of path. It takes about as
// much processor time as pando convert; so it is best called by a goroutine of its own.
func Snapshot(ctx context.Context, r *record.Recorder, path string, d time.Duration) error {
	temp, err := os.MkdirTemp(filepath.Dir(path), ".pando-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	copied := filepath.Join(temp, filepath.Base(r.Path()))
	if err := r.Snapshot(copied, d); err != nil {
		return err
	}
	return convert(ctx, copied, path)
}

// convert makes a Pando file of a recording.
func convert(ctx context.Context, from, to string) error {
	a, err := recording.Open(from)
	if err != nil {
		return err
	}
	defer a.Close()
	w, err := store.Create(ctx, to, a.Meta(), store.Options{})
	if err != nil {
		return err
	}
	if err = store.Copy(ctx, w, a, nil); err == nil {
		err = w.Close()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", to, errors.Join(err, w.Abort()))
	}
	return nil
}
