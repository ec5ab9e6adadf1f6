package verb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
)

// cacheBytes is the budget for decoded blocks of a file, in bytes. It is small, because a verb reads little, or all once.
const cacheBytes = 64 << 20

// OpenFile opens a Pando file. For a trace of another format, the error has the command that converts it.
func OpenFile(path string) (*store.Reader, error) {
	return openFile(path, store.ReadOptions{CacheBytes: cacheBytes})
}

func openFile(path string, opt store.ReadOptions) (*store.Reader, error) {
	if path == outputs.Standard {
		return openStandard(opt)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%w; %s", &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}, convertFirst("the trace in it", path, "OUT"))
	}
	if remote.IsURL(path) {
		return remote.OpenReader(context.Background(), path, nil, opt)
	}
	r, err := store.Open(context.Background(), path, opt)
	if err == nil || !format.IsCorrupt(err) {
		return r, err
	}
	switch name, ok := convert.Detect(path); {
	case ok && name != "Pando":
		return nil, &unconverted{path, "a trace of format " + name, "it"}
	case !ok && convert.IsPacked(path):
		return nil, &unconverted{path, "a packed archive", "the trace in it"}
	}
	return nil, err
}

// unconverted is the error of a trace that is no Pando file yet.
type unconverted struct{ path, is, trace string }

// Error tells how it becomes one.
func (e *unconverted) Error() string {
	return fmt.Sprintf("%s: %s; %s", e.path, e.is, convertFirst(e.trace, e.path, "OUT"))
}

// convertFirst says how a trace becomes a Pando file.
func convertFirst(trace, from, to string) string {
	return fmt.Sprintf("make a Pando file of %s first: pando convert %s %s", trace, from, to)
}

// Is says that it is none.
func (e *unconverted) Is(target error) bool { return target == store.ErrNotPando }

// PartExtension is the extension of the names that files have while they are written.
const PartExtension = ".part"

// Open opens a Pando file for answers about it; NAME.part, which is being written or was left unfinished, as far as it goes.
func Open(path string) (*report.Trace, error) {
	return open(path, store.ReadOptions{CacheBytes: cacheBytes})
}

// OpenReader opens a file as Open does, and reads no definitions.
func OpenReader(path string) (*store.Reader, error) {
	return openReader(path, store.ReadOptions{CacheBytes: cacheBytes})
}

func openReader(path string, opt store.ReadOptions) (*store.Reader, error) {
	opt.Unfinished = strings.HasSuffix(path, PartExtension)
	return openFile(path, opt)
}

func open(path string, opt store.ReadOptions) (*report.Trace, error) {
	r, err := openReader(path, opt)
	if err != nil {
		return nil, err
	}
	t, err := report.NewTrace(r, path)
	if err != nil {
		r.Close()
		return nil, err
	}
	return t, nil
}

// standardInput is what errors call standard input.
const standardInput = "standard input"

// openStandard opens a Pando file that comes through standard input, from a temporary copy. The copy loses its name at once, so that nothing
// of it is left, however the program ends.
func openStandard(opt store.ReadOptions) (*store.Reader, error) {
	ctx, stop := Interruptible()
	defer stop()
	t, err := FindTrace(ctx, outputs.Standard, convert.Options{})
	if err != nil {
		return nil, err
	}
	if !t.IsPando() {
		return nil, errors.Join(fmt.Errorf("%s: a trace of format %s; %s", standardInput, t.Format, convertFirst("it", outputs.Standard, "OUT.pando")), t.Close())
	}
	opt.Name = standardInput
	r, err := store.Open(context.Background(), t.Path, opt)
	_ = t.Close() // some systems keep the names of open files
	return r, err
}

// FindTrace finds the trace at a path, on a web server, or in standard input.
func FindTrace(ctx context.Context, path string, opt convert.Options) (*convert.Trace, error) {
	if remote.IsURL(path) {
		return fetchTrace(ctx, path, opt)
	}
	if path != outputs.Standard {
		return convert.Find(ctx, path, opt)
	}
	if outputs.Terminal(os.Stdin) {
		return nil, Usagef("%s is a terminal: pipe a trace into it (< FILE, PROGRAM |), or name a file", standardInput)
	}
	from, to := io.Pipe()
	defer from.Close()
	defer context.AfterFunc(ctx, func() { to.CloseWithError(ctx.Err()) })() // a read may wait for a program that writes nothing
	go func() {
		_, err := io.Copy(to, os.Stdin)
		to.CloseWithError(err)
	}()
	return convert.FindIn(ctx, from, standardInput, opt)
}

// fetchedBytes is how much of a file on a web server is requested at a time.
const fetchedBytes = 4 << 20

// fetchTrace finds the trace in a file on a web server, all of which is copied into a temporary folder.
func fetchTrace(ctx context.Context, url string, opt convert.Options) (*convert.Trace, error) {
	f, err := remote.Open(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	t, err := convert.FindIn(ctx, bufio.NewReaderSize(io.NewSectionReader(f, 0, f.Size()), fetchedBytes), url, opt)
	return t, errors.Join(err, f.Close())
}
