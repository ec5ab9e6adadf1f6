package tables

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/trace"
)

// Set is the tables of one answer.
type Set struct {
	Tables []*table.Table
	About  []encode.Property // what files of tables say about them
	// Failed returns what went wrong while the rows of a table were made. It may be nil.
	Failed func() error
}

// Create makes a file that appears when it is complete.
type Create func(path string) (File, error)

// File is a file that is being written.
type File interface {
	io.Writer
	Commit() error
	Discard() error
}

// Check returns an error if there is no table of one of the names. of says whose tables they are: "a comparison".
func Check(of string, known, names []string) error {
	for _, n := range names {
		if !slices.Contains(known, n) {
			return fmt.Errorf("%s has no table %q%s; it has %s", of, n, trace.DidYouMean(trace.Near(n, slices.Values(known))), strings.Join(known, ", "))
		}
	}
	return nil
}

// Export writes tables to files DIR/TABLE.FORMAT, one after the other.
func (s *Set) Export(ctx context.Context, dir string, format columnar.Format, create Create) (files []columnar.File, err error) {
	if err := os.MkdirAll(dir, fs.ModePerm); err != nil {
		return nil, err
	}
	var to []File
	defer func() {
		for _, f := range to {
			err = errors.Join(err, f.Discard()) // without effect on a complete one
		}
	}()
	path := func(t *table.Table) string { return filepath.Join(dir, t.Name+"."+string(format)) }
	for _, t := range s.Tables { // all names are free before the first table is written
		f, err := create(path(t))
		if err != nil {
			return nil, err
		}
		to = append(to, f)
	}
	for i, t := range s.Tables {
		f, err := s.save(ctx, to[i], t, format)
		if err != nil {
			return files, fmt.Errorf("table %s: %w", t.Name, err)
		}
		f.Path = path(t)
		files = append(files, f)
	}
	return files, nil
}

// save writes a table to a file.
func (s *Set) save(ctx context.Context, to File, t *table.Table, format columnar.Format) (columnar.File, error) {
	buffer := bufio.NewWriterSize(to, 256<<10)
	f, err := s.Write(ctx, buffer, t, columnar.Options{Format: format})
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = to.Commit()
	}
	return f, err
}

// Write writes one of the tables. Of the options, those of [columnar.WriteTable] matter.
func (s *Set) Write(ctx context.Context, w io.Writer, t *table.Table, opt columnar.Options) (columnar.File, error) {
	f, err := columnar.WriteTable(ctx, w, t, s.About, opt)
	if s.Failed != nil {
		err = errors.Join(err, s.Failed())
	}
	return f, err
}
