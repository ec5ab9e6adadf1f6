package tables

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
)

// Create makes a file that appears when it is complete.
type Create func(path string) (File, error)

// File is a file that is being written.
type File interface {
	io.Writer
	Commit() error
	Discard() error
}

// Export writes tables to files DIR/TABLE.FORMAT, one after the other.
func (s *Source) Export(dir string, names []string, format columnar.Format, create Create) (files []columnar.File, err error) {
	if err := os.MkdirAll(dir, fs.ModePerm); err != nil {
		return nil, err
	}
	var to []File
	defer func() {
		for _, f := range to {
			err = errors.Join(err, f.Discard()) // without effect on a complete one
		}
	}()
	path := func(name string) string { return filepath.Join(dir, name+"."+string(format)) }
	for _, name := range names { // all names are free before the first table is written
		f, err := create(path(name))
		if err != nil {
			return nil, err
		}
		to = append(to, f)
	}
	for i, name := range names {
		buffer := bufio.NewWriterSize(to[i], 256<<10)
		f, err := s.Write(buffer, name, format)
		if err == nil {
			err = buffer.Flush()
		}
		if err == nil {
			err = to[i].Commit()
		}
		if err != nil {
			return files, fmt.Errorf("table %s: %w", name, err)
		}
		f.Path = path(name)
		files = append(files, f)
	}
	return files, nil
}

// Write writes a table.
func (s *Source) Write(w io.Writer, name string, format columnar.Format) (f columnar.File, err error) {
	if name == "similarity" && s.likeness == nil {
		if s.likeness, err = s.Likeness(); err != nil {
			return f, err
		}
	}
	t := s.table(name)
	if t == nil {
		return f, Check([]string{name})
	}
	header := encode.Header{Schema: &t.Schema, Names: make([]*table.Names, len(t.Columns)), About: s.about()}
	for i, names := range t.Names {
		if names != nil {
			header.Names[i] = names(nil)
		}
	}
	to := &counter{w: w}
	out, err := encode.New(format, to, header)
	if err != nil {
		return f, err
	}
	for b, err := range t.Batches(nil, nil) {
		if err == nil {
			err = s.Context.Err()
		}
		if err == nil {
			f.Rows += int64(b.Rows)
			err = out.Write(b)
		}
		if err != nil {
			return f, err
		}
		b.Release()
	}
	if err := errors.Join(s.err, s.Context.Err()); err != nil {
		return f, err
	}
	err = out.Close()
	f.Table, f.Bytes = name, to.size
	return f, err
}

// table returns the table of a name, nil if there is none.
func (s *Source) table(name string) *table.Table {
	for _, make := range all {
		if t := make(s); t.Name == name {
			return t
		}
	}
	return nil
}

// about says what was compared.
func (s *Source) about() []encode.Property {
	c := s.Comparison
	if c.Units == 0 { // there is none
		return nil
	}
	return []encode.Property{
		{Name: "pando.compared_a", Value: c.Names[0]}, {Name: "pando.compared_b", Value: c.Names[1]},
		{Name: "pando.ticks_per_second", Value: strconv.FormatUint(c.Units, 10)},
		{Name: "pando.first_event_ticks_a", Value: strconv.FormatInt(c.Origins[0], 10)},
		{Name: "pando.first_event_ticks_b", Value: strconv.FormatInt(c.Origins[1], 10)},
	}
}

// counter counts the bytes of a table.
type counter struct {
	w    io.Writer
	size int64
}

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.size += int64(n)
	return n, err
}

// Seek implements io.Seeker for the one question that encoders have: how many bytes were written.
func (c *counter) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return c.size, nil
}
