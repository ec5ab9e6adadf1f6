package columnar

import (
	"bufio"
	"errors"
	"io"
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

// Seek implements io.Seeker for the one question that encoders have: how many bytes were written.
func (o *output) Seek(offset int64, whence int) (int64, error) {
	if offset != 0 || whence != io.SeekCurrent {
		return 0, errors.ErrUnsupported
	}
	return o.size, nil
}

// file is a file that is being written.
type file struct {
	output
	path string // when it is complete
	buf  *bufio.Writer
}

func newFile(path string, to io.Writer) *file {
	buf := bufio.NewWriterSize(to, 256<<10)
	return &file{output: output{w: buf}, path: path, buf: buf}
}
