package columnar

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// file is a file that gets its name when it is complete. It can be written, and asked where it stands.
type file struct {
	path string
	size int64 // bytes written
	part *os.File
	buf  *bufio.Writer
}

func createFile(dir, name string) (*file, error) {
	path := filepath.Join(dir, name)
	part, err := os.Create(path + ".part")
	if err != nil {
		return nil, err
	}
	return &file{path: path, part: part, buf: bufio.NewWriterSize(part, 256<<10)}, nil
}

// Write implements io.Writer.
func (f *file) Write(b []byte) (int, error) {
	n, err := f.buf.Write(b)
	f.size += int64(n)
	return n, err
}

// Seek implements io.Seeker as far as to say where the file stands.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return f.size, nil
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
