package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// followEvery is how often a file that grows is looked at.
const followEvery = 500 * time.Millisecond

// followFile prints a line for each state of a file that grows.
func (v *infoVerb) followFile(out io.Writer, path string) error {
	if v.regions || v.locations || v.bytes || v.compaction {
		return verb.Usagef("--follow prints a line for each state; --regions, --locations, --bytes and --compaction are of one")
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		f := follower{out: w, path: path, json: v.Format == report.JSON}
		defer f.close()
		return f.run(ctx)
	})
}

// follower follows a file.
type follower struct {
	out  *bufio.Writer
	path string
	json bool
	file *store.Growing // nil while nothing can be read
}

func (f *follower) close() {
	if f.file != nil {
		_ = f.file.Close() // it was only read
	}
}

// run follows the file until it has its end, or nobody writes it.
func (f *follower) run(ctx context.Context) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		writing := f.written() // before the last look: what comes in between is seen
		grown, err := f.look(ctx)
		if err != nil {
			return err
		}
		if grown {
			if err := f.print(); err != nil {
				return err
			}
		}
		switch {
		case f.file != nil && f.file.Ended():
			return nil
		case !writing:
			return f.left()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// look takes up what is new, and reports whether there is anything.
func (f *follower) look(ctx context.Context) (grown bool, err error) {
	if f.file != nil {
		return f.file.Refresh(ctx)
	}
	f.file, err = store.OpenGrowing(ctx, f.path, store.ReadOptions{})
	if errors.Is(err, store.ErrNothing) {
		return false, nil
	}
	if errors.Is(err, os.ErrNotExist) && strings.HasSuffix(f.path, verb.PartExtension) { // it may have got its name meanwhile
		f.file, err = store.OpenGrowing(ctx, strings.TrimSuffix(f.path, verb.PartExtension), store.ReadOptions{Name: f.path})
	}
	return err == nil, err
}

// written reports whether somebody writes the file.
func (f *follower) written() bool {
	_, ok := claim.Writer(f.path)
	return ok
}

// left is the error that a file was left unfinished.
func (f *follower) left() error {
	if f.file != nil && f.file.Stopped() != nil {
		return fmt.Errorf("%w; pando recover may find more behind that", f.file.Stopped())
	}
	if _, err := os.Stat(f.path); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: its writer gave it up", f.path)
	}
	return fmt.Errorf("%s: it has no end, and nobody writes it; pando recover makes a file of it", f.path)
}

// print prints the state of the file.
func (f *follower) print() error {
	t, err := report.NewTrace(f.file.Reader(), f.path)
	if err != nil {
		return err
	}
	if err := report.NewInfo(t).WriteState(f.out, f.json); err != nil {
		return err
	}
	return f.out.Flush()
}
