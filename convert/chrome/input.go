package chrome

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/pandotrace/pando/trace"
)

const (
	// bufferBytes is what is read at a time.
	bufferBytes = 1 << 20
	// maxEventBytes bounds an event, or another value that is not skipped piece by piece.
	maxEventBytes = 64 << 20
)

// errShort says that the text at hand ends within something.
var errShort = errors.New("the file ends within a value")

// input is the text of a file, of which a part is at hand.
type input struct {
	path  string
	r     io.Reader
	buf   []byte // the text at hand is buf[at:]
	at    int
	base  int64 // offset of buf[0]
	lines int64 // line feeds before buf[at]
	eof   bool
	// lenient takes a compressed file that ends too early as far as it goes; torn says that it did.
	lenient, torn bool

	scan scan // of take
}

// newInput returns the text of a file, which may be compressed.
func newInput(path string, file io.Reader) (*input, error) {
	b := bufio.NewReaderSize(file, 64<<10)
	in := &input{path: path, r: b, buf: make([]byte, 0, bufferBytes)}
	if head, _ := b.Peek(2); isGzip(head) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, &trace.SourceError{Format: "chrome", File: path, Line: 1, Problem: "cannot be unpacked", Class: trace.ErrCorrupt, Cause: err}
		}
		in.r = z
	}
	if err := in.more(); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(in.buf, byteOrderMark) {
		in.advance(len(byteOrderMark))
	}
	return in, nil
}

var byteOrderMark = []byte("\ufeff")

func isGzip(head []byte) bool { return len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b }

// rest returns the text at hand.
func (in *input) rest() []byte { return in.buf[in.at:] }

// advance passes over n bytes of the text at hand.
func (in *input) advance(n int) {
	in.lines += int64(bytes.Count(in.buf[in.at:in.at+n], []byte{'\n'}))
	in.at += n
}

// more reads on behind the text at hand. At the end of the file it returns errShort.
func (in *input) more() error {
	if in.eof {
		return errShort
	}
	if in.at > 0 {
		in.base += int64(in.at)
		in.buf = in.buf[:copy(in.buf, in.buf[in.at:])]
		in.at = 0
	}
	if n := len(in.buf); n == cap(in.buf) {
		if n >= maxEventBytes {
			return in.failure(trace.ErrUnsupported, "an event of more than %d bytes", maxEventBytes)
		}
		in.buf = append(make([]byte, 0, 2*n), in.buf...)
	}
	n, err := io.ReadAtLeast(in.r, in.buf[len(in.buf):cap(in.buf)], 1)
	in.buf = in.buf[:len(in.buf)+n]
	in.torn = in.torn || in.lenient && errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case errors.Is(err, io.EOF) || in.torn:
		in.eof = true
		if n == 0 {
			return errShort
		}
	case err != nil:
		return in.unreadable(err)
	}
	return nil
}

// unreadable returns the error of the system or of the decompressor.
func (in *input) unreadable(cause error) error {
	e := in.failure(nil, "cannot be read").(*trace.SourceError)
	e.Cause = cause
	if errors.Is(cause, io.ErrUnexpectedEOF) {
		e.Problem = "the compressed file ends too early; --lenient reads what is there"
	}
	var system *os.PathError
	if !errors.As(cause, &system) {
		e.Class = trace.ErrCorrupt
	}
	return e
}

// take parses something at the begin of the text at hand and passes over it. parse returns how long it is, and errShort
// if it does not end there: then it is called again with more text.
func (in *input) take(parse func(s *scan) error) error {
	for {
		s := &in.scan
		*s = scan{b: in.rest()}
		err := parse(s)
		if err == nil {
			in.advance(s.i)
			return nil
		}
		if wrong, ok := err.(syntaxError); ok {
			return in.syntax(s.i, wrong)
		}
		if err != errShort {
			return err
		}
		if err := in.double(); err != nil {
			return err
		}
	}
}

// double reads on until twice as much text is at hand: to parse it from its begin again then takes time in proportion to it, however
// little a decompressor gives at a time.
func (in *input) double() error {
	want := min(2*len(in.rest()), maxEventBytes)
	if err := in.more(); err != nil {
		return err
	}
	for !in.eof && len(in.rest()) < want {
		if in.more() != nil { // what is there comes first; the error comes again
			break
		}
	}
	return nil
}

// peek passes over white space and returns the next byte, 0 at the end of the file.
func (in *input) peek() (byte, error) {
	for {
		s := scan{b: in.rest()}
		c := s.peek()
		in.advance(s.i)
		if c != 0 || in.at < len(in.buf) {
			return c, nil
		}
		if err := in.more(); err == errShort {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
}
