package columnar

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// output is what tables are written to; it can be asked where it stands.
type output struct {
	w    io.Writer
	size int64 // bytes written
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	o.size += int64(n)
	return n, err
}

// Seek implements io.Seeker as far as to say where the output stands.
func (o *output) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return o.size, nil
}

// file is a file that gets its name when it is complete.
type file struct {
	output
	path string
	part *os.File
	buf  *bufio.Writer
}

func createFile(dir, name string) (*file, error) {
	path := filepath.Join(dir, name)
	part, err := os.Create(path + ".part")
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(part, 256<<10)
	return &file{output: output{w: buf}, path: path, part: part, buf: buf}, nil
}

// commit completes the file and gives it its name.
func (f *file) commit() error {
	if err := f.buf.Flush(); err != nil {
		return err
	}
	if err := f.part.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.part.Name(), f.path); err != nil {
		return err
	}
	f.part = nil
	return nil
}

// discard removes the file unless it is complete.
func (f *file) discard() {
	if f.part == nil {
		return
	}
	f.part.Close()
	os.Remove(f.part.Name())
}
