package convert

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// FindIn finds the trace in a stream, such as standard input: a trace of one file, or a packed archive. An archive is unpacked while it is
// read; another file is copied first, because traces are read at any place. Both is done into a folder below [Options.TempDir], which
// Close of the trace removes. What a trace refers to in other files is not there: the main file of such a trace is refused. Errors call the
// stream by its name. When ctx is done, reading ends with its error.
func FindIn(ctx context.Context, stream io.Reader, name string, opt Options) (*Trace, error) {
	in := bufio.NewReaderSize(stream, 64<<10)
	prefix, err := in.Peek(prefixBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := formatOf(prefix)
	switch {
	case len(prefix) == 0:
		return nil, fmt.Errorf("%s: it is empty", name)
	case f == nil && packing(prefix) == "":
		return nil, noTrace(name)
	case f != nil && len(f.parts) > 0:
		return nil, fmt.Errorf("%s: this is %s of %s, and the trace lies in other files too: name it, or pipe a tar archive of all its files", name, f.Main, f.Name)
	}
	temp, err := os.MkdirTemp(opt.TempDir, "pando-stream-")
	if err != nil {
		return nil, err
	}
	var t *Trace
	if f == nil {
		t, err = unpackFrom(ctx, in, name, temp, 0, opt)
	} else {
		opt.stream = name
		t, err = spool(ctx, in, f, filepath.Join(temp, "stream"), opt)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(temp))
	}
	t.temp = temp
	return t, nil
}

// spool copies a stream into a file, which is the trace.
func spool(ctx context.Context, in io.Reader, f *Format, path string, opt Options) (*Trace, error) {
	to, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(to, &meter{ctx: ctx, r: in, report: opt.Unpacking})
	if err = errors.Join(err, to.Close()); err != nil {
		return nil, err
	}
	return newTrace(f, path, opt), nil
}

// noTrace is the error about what has no format that is known.
func noTrace(name string) error {
	return fmt.Errorf("%s: no trace of a known format (%s), and no tar, tar.gz or tar.zst archive of one", name, known())
}
