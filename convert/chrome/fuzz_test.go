package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// FuzzEvents reads any text: there is an error of a class, or there are events in order of time that a Pando file takes, and
// of which trace events can be made again that are JSON. Reading in small pieces makes no difference.
func FuzzEvents(f *testing.F) {
	for _, path := range []string{"testdata/phases.json", "testdata/node.json"} {
		text := plainText(f, path)
		f.Add(text[:min(len(text), 6000)], true)
		f.Add(text[:min(len(text), 6000)], false)
	}
	for _, text := range []string{
		`{"traceEvents":[{"ph":"X","ts":1e3,"dur":.5e-3,"name":"a","pid":1,"tid":2}],"displayTimeUnit":"ms"}`,
		`[{"ph":"B","ts":1,"name":"a"},{"ph":"E","ts":2},{}]`,
		`[{"ph":"C","ts":-1.5,"name":"a","args":{"x":1,"y":"2","z":"q"}},]`,
		`[{"ph":"s","ts":3,"id":{"local":"1"}},{"ph":"f","ts":1,"id":{"local":"1"}},`,
		"\ufeff[{\"ph\":\"i\",\"ts\":\"9e18\",\"name\":\"\\ud800\\u00e4\"}] x",
		`[{"ph":"X","ts":0,"dur":2305843009213693951,"name":1},{"ph":"X","ts":1,"dur":2305843009213693951,"name":[]}]`,
	} {
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, lenient bool) {
		a, err := openText(text, Options{Lenient: lenient})
		b, inPieces := openPieces(text, Options{Lenient: lenient, Memory: 1})
		if err != nil || inPieces != nil {
			if (err == nil) != (inPieces == nil) || !errors.Is(err, trace.ErrCorrupt) && !errors.Is(err, trace.ErrUnsupported) && !errors.Is(err, scan.ErrShort) {
				t.Fatalf("%v, in pieces %v", err, inPieces)
			}
			return
		}
		list := listing(t, a)
		if !slices.Equal(list, listing(t, b)) {
			t.Fatal("reading in pieces makes a difference")
		}
		if len(list) > 2*len(text)+10 {
			t.Fatalf("%d events of %d bytes", len(list), len(text))
		}
		r := pandoOf(t, a)
		if out := exported(t, r, r.All()); !json.Valid(out) {
			t.Fatalf("no JSON:\n%s", out)
		}
	})
}

// openPieces opens a text that comes a byte at a time at first, then a few.
func openPieces(text []byte, opt Options) (*read.Archive, error) {
	in := &scan.Input{Path: "text.json", R: &pieces{text: text}, Buf: make([]byte, 0, 16)}
	if err := in.More(); err != nil {
		return nil, err
	}
	for bytes.HasPrefix(scan.ByteOrderMark, in.Buf) && !bytes.Equal(scan.ByteOrderMark, in.Buf) && !in.EOF {
		if err := in.More(); err == scan.ErrShort {
			break
		}
	}
	if bytes.HasPrefix(in.Buf, scan.ByteOrderMark) {
		in.Advance(len(scan.ByteOrderMark))
	}
	return read.OpenInput(context.Background(), in, opt)
}

type pieces struct {
	text []byte
	read int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	p.read++
	n := copy(b, p.text[:min(len(p.text), 1+p.read%5)])
	p.text = p.text[n:]
	return n, nil
}

// TestOrder checks that times do not run backwards in the streams of a file.
func TestOrder(t *testing.T) {
	a, err := read.Open(t.Context(), "testdata/clang.json.gz", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	events := 0
	for _, info := range a.Streams() {
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		var b trace.Batch
		for s.Next(&b, 100) == nil {
			for _, at := range b.Times {
				if at < last {
					t.Fatalf("%d after %d", at, last)
				}
				last = at
				events++
			}
		}
	}
	if events < 500 {
		t.Errorf("only %d events", events)
	}
}
