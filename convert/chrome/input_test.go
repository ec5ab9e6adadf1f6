package chrome

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// trickle gives few bytes at a time, as decompressors do.
type trickle struct{ io.Reader }

// Read implements io.Reader.
func (p trickle) Read(b []byte) (int, error) { return p.Reader.Read(b[:min(len(b), 1000)]) }

// A long event is parsed again each time more of it is there: that takes work in proportion to its length.
func TestWorkOfLongEvents(t *testing.T) {
	const size = 4 << 20
	in, err := scan.NewInput("long", trickle{strings.NewReader(strings.Repeat("x", size))})
	if err != nil {
		t.Fatal(err)
	}
	parsed := 0
	if err := in.Take(func(s *scan.Scanner) error { parsed += len(s.Text); return scan.ErrShort }); err != scan.ErrShort {
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
	in, err := scan.NewInput("endless", zeros{})
	if err != nil {
		t.Fatal(err)
	}
	err = in.Take(func(s *scan.Scanner) error { return scan.ErrShort })
	if !errors.Is(err, trace.ErrUnsupported) || cap(in.Buf) > scan.MaxEventBytes {
		t.Errorf("%v with %d bytes", err, cap(in.Buf))
	}
}
