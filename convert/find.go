package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/trace"
)

// Options of Find and Open.
type Options struct {
	// Lenient accepts traces of which parts are missing or cut off; what is missing becomes a warning.
	Lenient bool
	// TempDir is the folder that packed archives are unpacked below (default: the system's).
	TempDir string
	// Memory is about how many bytes it takes to open and read a trace whose events have to be sorted (default 512 MiB); what
	// does not fit is sorted in temporary files.
	Memory int64
	// Unpacking counts bytes of a packed archive that are read.
	Unpacking trace.Progress

	stream string // what errors call a file that came as a stream, "" for others
}

// Trace is a trace that was found at a path.
type Trace struct {
	// Format is the name of its format.
	Format string
	// Path is its main file; in a temporary folder if the trace was packed.
	Path string
	// Bytes is the size of all files of the trace, or of the packed archive that it is in.
	Bytes int64

	// open, if not nil, opens a trace that was made of others, origins; it has no format and no main file of its own.
	open    func(context.Context) (trace.Source, error)
	origins []*Trace

	format *Format
	opt    Options         // with the name of the stream that it came from
	cut    *edit.Selection // the part of a Pando file that this is, nil for all
	// choose, if not nil, says what is selected of the trace.
	choose func(trace.Source) (edit.Selection, error)
	packed string // the archive that it was in, "" if it was not packed
	temp   string // the folder that it was unpacked into
}

// Find finds the trace at a path: a trace's main file, a folder that holds one, or a packed archive of one.
// When ctx is done, unpacking ends with its error.
func Find(ctx context.Context, path string, opt Options) (*Trace, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return findIn(path, opt, false)
	}
	prefix, err := readPrefix(path)
	if err != nil {
		return nil, err
	}
	switch f := formatOf(prefix); {
	case f != nil:
		return newTrace(f, path, opt), nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: neither a file nor a folder", path)
	case len(prefix) == 0:
		return nil, fmt.Errorf("%s: the file is empty", path)
	case packing(prefix) != "":
		return findPacked(ctx, path, info.Size(), opt)
	}
	return nil, noTrace(path)
}

// Detect returns the name of the format that a file has by its content; ok is false if it is no main file of a trace.
func Detect(path string) (name string, ok bool) {
	prefix, err := readPrefix(path)
	if f := formatOf(prefix); err == nil && f != nil {
		return f.Name, true
	}
	return "", false
}

// IsPacked reports whether a file is packed as archives of traces are: tar, gzip or zstd.
func IsPacked(path string) bool {
	prefix, err := readPrefix(path)
	return err == nil && packing(prefix) != ""
}

// Open finds the trace at a path and opens it. Closing the source removes what was unpacked for it.
// When ctx is done, so is the work of opening, and all work of a source that is a Pando file.
func Open(ctx context.Context, path string, opt Options) (trace.Source, error) {
	t, err := Find(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	return t.OpenOnce(ctx)
}

// OpenOnce opens the trace and leaves its end to the source: closing that closes the trace, and so does an error.
func (t *Trace) OpenOnce(ctx context.Context) (trace.Source, error) {
	src, err := t.Open(ctx)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return &foundSource{src, t}, nil
}

type foundSource struct {
	trace.Source
	found *Trace
}

// DefinitionsPart implements trace.PartialDefiner.
func (s *foundSource) DefinitionsPart(from, max int) ([]trace.Record, error) {
	return trace.DefinitionsPart(s.Source, from, max)
}

// Deviations implements trace.Deviant.
func (s *foundSource) Deviations() ([]trace.CallDeviation, bool) { return trace.DeviationsOf(s.Source) }

// Close closes the source and the trace it came from.
func (s *foundSource) Close() error { return errors.Join(s.Source.Close(), s.found.Close()) }

// Open opens the trace. See the function Open for the context.
func (t *Trace) Open(ctx context.Context) (trace.Source, error) {
	switch {
	case t.open != nil:
		return t.open(ctx)
	case t.cut != nil:
		return openCut(ctx, t.Path, *t.cut)
	case t.choose != nil:
		return t.openSelected(ctx)
	}
	return t.format.open(ctx, t.Path, t.opt)
}

// Close removes what was unpacked. Sources of the trace must be closed before.
func (t *Trace) Close() error {
	if t.temp == "" {
		return nil
	}
	return os.RemoveAll(t.temp)
}

func newTrace(f *Format, path string, opt Options) *Trace {
	return &Trace{Format: f.Name, Path: path, Bytes: sizeOf(f, path), format: f, opt: opt}
}

// readPrefix reads the begin of a file, but nothing of what is no regular file.
func readPrefix(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, prefixBytes)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], err
}

// survey is what a folder holds: traces, by their main files, and other files. Paths are relative to the folder.
type survey struct {
	dir            string
	traces, others []string
	format         *Format // of the last trace
	joined         int     // how many of the traces are one of several that make up one trace
}

// look files a file of the folder under what it is. What cannot be read is no trace.
func (s *survey) look(path string) {
	prefix, _ := readPrefix(filepath.Join(s.dir, path))
	if f := formatOf(prefix); f != nil {
		s.traces, s.format = append(s.traces, path), f
		if f.joins != nil && f.joins(prefix) {
			s.joined++
		}
	} else {
		s.others = append(s.others, path)
	}
}

// together reports whether all traces are in one folder.
func (s *survey) together() bool {
	for _, path := range s.traces {
		if filepath.Dir(path) != filepath.Dir(s.traces[0]) {
			return false
		}
	}
	return true
}

// findIn finds the one trace that a folder holds; deep lets it look into the folders of the folder.
func findIn(dir string, opt Options, deep bool) (*Trace, error) {
	s := survey{dir: dir}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			s.look(path)
		case path != "." && !deep:
			s.others = append(s.others, path+"/")
			return fs.SkipDir
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", dir, err)
	case len(s.traces) == 0:
		return nil, fmt.Errorf("%s: no trace of a known format (%s) in this folder; it holds %s", dir, known(), listed(s.others))
	case len(s.traces) > 1 && s.joined == len(s.traces) && s.together():
		return newTrace(s.format, filepath.Join(dir, filepath.Dir(s.traces[0])), opt), nil
	case len(s.traces) > 1:
		return nil, fmt.Errorf("%s: several traces in this folder, name one of them: %s", dir, listed(s.traces))
	}
	return newTrace(s.format, filepath.Join(dir, s.traces[0]), opt), nil
}

// listed names the first of some files.
func listed(paths []string) string {
	const most = 6
	if len(paths) == 0 {
		return "no files"
	}
	names := strings.Join(paths[:min(most, len(paths))], ", ")
	if more := len(paths) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return names
}
