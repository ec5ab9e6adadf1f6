package chrome

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// trickle gives few bytes at a time, as decompressors do.
type trickle struct{ io.Reader }

// Read implements io.Reader.
func (p trickle) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), 1000)]) }

// A long event is parsed again each time more of it is there: that takes work in proportion to its length.
func TestWorkOfLongEvents(t *testing.T) {
	const size = 4 << 20
	in, err := newInput("long", trickle{strings.NewReader(strings.Repeat("x", size))})
	if err != nil {
		t.Fatal(err)
	}
	parsed := 0
	if err := in.take(func(s *scan) error { parsed += len(s.b); return errShort }); err != errShort {
		t.Fatal(err)
	}
	if parsed < size || parsed > 4*size {
		t.Errorf("%d bytes are parsed, of %d", parsed, size)
	}
}

// zeros is text that never ends.
type zeros struct{}

// Read implements io.Reader.
func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

// An event without end is refused when it has taken the memory that an event may take.
func TestMemoryOfLongEvents(t *testing.T) {
	in, err := newInput("endless", zeros{})
	if err != nil {
		t.Fatal(err)
	}
	err = in.take(func(s *scan) error { return errShort })
	if !errors.Is(err, trace.ErrUnsupported) || cap(in.buf) > maxEventBytes {
		t.Errorf("%v with %d bytes", err, cap(in.buf))
	}
}
