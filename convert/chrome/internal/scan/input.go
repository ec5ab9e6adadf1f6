package scan

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
	// MaxEventBytes bounds an event, or another value that is not skipped piece by piece.
	MaxEventBytes = 64 << 20
)

// ErrShort says that the text at hand ends within something.
var ErrShort = errors.New("the file ends within a value")

// Input is the text of a file, of which a part is at hand.
type Input struct {
	Path  string
	R     io.Reader
	Buf   []byte // the text at hand is buf[at:]
	at    int
	base  int64 // offset of buf[0]
	Lines int64 // line feeds before buf[at]
	feed  int   // where the next line feed is, len(buf) if there is none
	EOF   bool
	// Lenient accepts a compressed file that ends too early; Torn is true after such an end.
	Lenient, Torn bool

	scan Scanner // of take
}

// NewInput returns the text of a file, which may be compressed.
func NewInput(path string, file io.Reader) (*Input, error) {
	b := bufio.NewReaderSize(file, 64<<10)
	in := &Input{Path: path, R: b, Buf: make([]byte, 0, bufferBytes)}
	if head, _ := b.Peek(2); IsGzip(head) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, &trace.SourceError{Format: "chrome", File: path, Line: 1, Problem: "cannot be unpacked", Class: trace.ErrCorrupt, Cause: err}
		}
		in.R = z
	}
	if err := in.More(); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(in.Buf, ByteOrderMark) {
		in.Advance(len(ByteOrderMark))
	}
	return in, nil
}

// ByteOrderMark may stand before the text.
var ByteOrderMark = []byte("\ufeff")

// IsGzip reports whether a file that begins with head is compressed by gzip.
func IsGzip(head []byte) bool { return len(head) > 1 && head[0] == 0x1f && head[1] == 0x8b }

// rest returns the text at hand.
func (in *Input) rest() []byte { return in.Buf[in.at:] }

// Offset returns the byte of the file that the text at hand begins with.
func (in *Input) Offset() int64 { return in.base + int64(in.at) }

// Advance passes over n bytes of the text at hand.
func (in *Input) Advance(n int) {
	in.at += n
	for in.feed < in.at {
		in.Lines++
		in.findFeed(in.feed + 1)
	}
}

// findFeed finds the next line feed, from buf[from] on.
func (in *Input) findFeed(from int) {
	if i := bytes.IndexByte(in.Buf[from:], '\n'); i >= 0 {
		in.feed = from + i
	} else {
		in.feed = len(in.Buf)
	}
}

// More reads on behind the text at hand. At the end of the file it returns ErrShort.
func (in *Input) More() error {
	if in.EOF {
		return ErrShort
	}
	if in.at > 0 {
		in.base += int64(in.at)
		in.Buf = in.Buf[:copy(in.Buf, in.Buf[in.at:])]
		in.feed -= in.at
		in.at = 0
	}
	if n := len(in.Buf); n == cap(in.Buf) {
		if n >= MaxEventBytes {
			return in.Failure(trace.ErrUnsupported, "an event of more than %d bytes", MaxEventBytes)
		}
		in.Buf = append(make([]byte, 0, 2*n), in.Buf...)
	}
	have := len(in.Buf)
	n, err := io.ReadAtLeast(in.R, in.Buf[have:cap(in.Buf)], 1)
	in.Buf = in.Buf[:have+n]
	if in.feed == have {
		in.findFeed(have)
	}
	in.Torn = in.Torn || in.Lenient && errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case errors.Is(err, io.EOF) || in.Torn:
		in.EOF = true
		if n == 0 {
			return ErrShort
		}
	case err != nil:
		return in.unreadable(err)
	}
	return nil
}

// unreadable returns the error of the system or of the decompressor.
func (in *Input) unreadable(cause error) error {
	e := in.Failure(nil, "cannot be read").(*trace.SourceError)
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

// Take parses something at the begin of the text at hand and passes over it. parse returns ErrShort
// if it does not end there: then it is called again with more text.
func (in *Input) Take(parse func(s *Scanner) error) error {
	for {
		s := &in.scan
		*s = Scanner{Text: in.rest()}
		err := parse(s)
		if err == nil {
			in.Advance(s.At)
			return nil
		}
		if wrong, ok := err.(syntaxError); ok {
			return in.syntax(s.At, wrong)
		}
		if err != ErrShort {
			return err
		}
		if err := in.double(); err != nil {
			return err
		}
	}
}

// double reads on until twice as much text is at hand: to parse it from its begin again then takes time in proportion to it, however
// little a decompressor gives at a time.
func (in *Input) double() error {
	want := min(2*len(in.rest()), MaxEventBytes)
	if err := in.More(); err != nil {
		return err
	}
	for !in.EOF && len(in.rest()) < want {
		if in.More() != nil { // what is there comes first; the error comes again
			break
		}
	}
	return nil
}

func isBetween(c byte) bool { return c == ',' || c == '\n' || c == ' ' || c == '\t' || c == '\r' }

// PeekItem passes over white space and commas and returns the next byte, 0 at the end of the file.
func (in *Input) PeekItem() (byte, error) {
	for {
		at := in.at
		for at < len(in.Buf) && isBetween(in.Buf[at]) {
			at++
		}
		in.Advance(at - in.at)
		if at < len(in.Buf) {
			return in.Buf[at], nil
		}
		if c, err := in.Peek(); c == 0 {
			return 0, err
		}
	}
}

// AtEnd reports whether all of the file has been passed over, behind a Peek. A byte of 0 is no end.
func (in *Input) AtEnd() bool { return in.EOF && in.at == len(in.Buf) }

// Peek passes over white space and returns the next byte, 0 at the end of the file.
func (in *Input) Peek() (byte, error) {
	for {
		s := Scanner{Text: in.rest()}
		c := s.Peek()
		in.Advance(s.At)
		if c != 0 || in.at < len(in.Buf) {
			return c, nil
		}
		if err := in.More(); err == ErrShort {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
}
