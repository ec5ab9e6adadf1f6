package otf

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/flate"

	"github.com/pandotrace/pando/trace"
)

// file is a file of a trace: plain text, or compressed.
type file struct {
	path       string
	compressed bool
	// raw returns a reader of its bytes.
	raw func() io.Reader
}

// find finds a file, plain or compressed. If there is neither, ok is false.
func find(path string) (f file, ok bool, err error) {
	for _, f := range []file{{path: path}, {path: path + ".z", compressed: true}} {
		info, err := os.Stat(f.path)
		switch {
		case err == nil && info.Mode().IsRegular():
			f.raw = func() io.Reader { return &plain{path: f.path} }
			return f, true, nil
		case err == nil:
			return f, false, corrupt(f.path, 0, "is not a file")
		case !os.IsNotExist(err):
			return f, false, unreadable(f.path, 0, err)
		}
	}
	return file{path: path}, false, nil
}

// open returns a reader of the file's text. A lenient reader returns errGap at damage and continues behind it.
func (f *file) open(lenient bool, warn *trace.Warnings) io.Reader {
	if !f.compressed {
		return f.raw()
	}
	return &inflater{path: f.path, raw: &counter{in: bufio.NewReaderSize(f.raw(), rawWindow)}, lenient: lenient, warnings: warn}
}

// rawWindow is the number of bytes that are read of a compressed file at once.
const rawWindow = 4 << 10

// plain reads a file from its begin to its end, and holds nothing open in between.
type plain struct {
	path string
	at   int64
}

// Read implements io.Reader.
func (p *plain) Read(b []byte) (int, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return 0, unreadable(p.path, p.at, err)
	}
	defer f.Close()
	n, err := f.ReadAt(b, p.at)
	p.at += int64(n)
	switch {
	case n > 0 || len(b) == 0:
		return n, nil
	case err == io.EOF:
		return 0, io.EOF
	}
	return 0, unreadable(p.path, p.at, err)
}

// counter counts the bytes that the decompressor takes, and keeps the last four.
type counter struct {
	in   *bufio.Reader
	at   int64
	last uint32
}

// Read implements io.Reader.
func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.at += int64(n)
	for _, v := range b[:n][max(0, n-4):] {
		c.last = c.last<<8 | uint32(v)
	}
	return n, err
}

// ReadByte implements io.ByteReader.
func (c *counter) ReadByte() (byte, error) {
	b, err := c.in.ReadByte()
	if err == nil {
		c.at++
		c.last = c.last<<8 | uint32(b)
	}
	return b, err
}

// inflater gives the text of a compressed file: a zlib stream that hardly ever has an end, so that no checksum follows.
type inflater struct {
	path     string
	raw      *counter
	z        io.ReadCloser // nil before the header
	lenient  bool
	warnings *trace.Warnings
	err      error // final
	cut      bool  // the file ends where the compressor did not pause
}

// emptyBlock are the last bytes of an empty stored block, by which a compressor marks that all it was given is in the file so far.
const emptyBlock = 0x0000ffff

// Read implements io.Reader.
func (i *inflater) Read(b []byte) (int, error) {
	for i.err == nil {
		if i.z == nil {
			i.err = i.begin()
			continue
		}
		n, err := i.z.Read(b)
		if n > 0 {
			return n, nil // the error comes back
		}
		if i.err = i.end(err); errors.Is(i.err, errGap) {
			i.err = nil
			return 0, errGap
		}
	}
	return 0, i.err
}

// begin reads the header of a zlib stream and gets ready for what it holds. A file without a byte is an empty text.
func (i *inflater) begin() error {
	var header [2]byte
	n, err := io.ReadFull(i.raw, header[:])
	if n == 0 {
		return err
	}
	const deflate, dictionary = 8, 0x20
	if err != nil || header[0]&15 != deflate || header[1]&dictionary != 0 || (int(header[0])<<8|int(header[1]))%31 != 0 {
		return corrupt(i.path, i.raw.at-int64(n), "no zlib header")
	}
	i.z = flate.NewReader(i.raw)
	return nil
}

// end says what follows where decompression ended: nothing, another zlib stream, an error, or what comes after the
// damage.
func (i *inflater) end(err error) error {
	const checksum = 4 // bytes
	var damage flate.CorruptInputError
	var surprise flate.InternalError // of codes that cannot be: damage as well
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		i.cut = i.raw.last != emptyBlock
		return io.EOF
	case errors.Is(err, io.EOF):
		i.z = nil
		_, _ = i.raw.in.Discard(checksum)
		i.raw.at += checksum
		return nil
	case !errors.As(err, &damage) && !errors.As(err, &surprise):
		return err // of the file
	case !i.lenient:
		return &trace.SourceError{Format: "otf", File: i.path, Offset: i.raw.at, Problem: "the compressed text is damaged", Class: trace.ErrCorrupt, Cause: err}
	}
	return i.resume()
}

// resume goes to the next place at which the compressor began anew: after a full flush, which ends in an empty block.
func (i *inflater) resume() error {
	from := i.raw.at
	i.warnings.Add("damaged piece of a compressed file", "before byte %d of %s", from, i.path)
	flush := []byte("\x00\x00\xff\xff")
	last := make([]byte, 0, 2*len(flush))
	for {
		b, err := i.raw.ReadByte()
		if err != nil {
			return err
		}
		if last = append(last, b); len(last) == cap(last) {
			last = last[:copy(last, last[len(flush):])]
		}
		if bytes.HasSuffix(last, flush) {
			return errors.Join(i.z.(flate.Resetter).Reset(i.raw, nil), errGap)
		}
	}
}
