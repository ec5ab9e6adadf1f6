package otf2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/read"
	"github.com/pandotrace/pando/trace"
)

// inMemory is a window on bytes instead of a file.
func inMemory(data []byte, chunk int64, want int) *read.Window {
	return &read.Window{Path: "memory", Size: int64(len(data)), Chunk: chunk, Want: want,
		Read: func(p []byte, at int64) error {
			if n := copy(p, data[at:]); n < len(p) {
				return io.EOF
			}
			return nil
		}}
}

// all reads a stream to its end, records as text.
func all(s *read.Stream, max int) ([]string, error) {
	var list []string
	var b trace.Batch
	for {
		err := s.Next(&b, max)
		if err != nil {
			if b.Len() > 0 {
				return nil, errors.New("an error along with records")
			}
			if again := s.Next(&b, max); again != err {
				return nil, fmt.Errorf("the error %v is not final: %v", err, again)
			}
			if err == io.EOF {
				err = nil
			}
			return list, err
		}
		if err := b.Check(trace.Standard); err != nil {
			return nil, err
		}
		if b.Len() > max {
			return nil, fmt.Errorf("%d records, at most %d were asked for", b.Len(), max)
		}
		for i := range b.Len() {
			list = append(list, describe(&b, i))
		}
	}
}

// drain reads a stream to its end and forgets the records.
func drain(s *read.Stream) error {
	var b trace.Batch
	for {
		switch err := s.Next(&b, 1000); err {
		case nil:
			if err := b.Check(trace.Standard); err != nil {
				return err
			}
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// describe prints all that there is to a record.
func describe(b *trace.Batch, i int) string {
	s := fmt.Sprintf("%d %s %d%+d", b.Location, b.Kinds[i], b.Times[i], b.Residual(i))
	trace.Standard.Spec(b.Kinds[i]).Walk(b.Fields(i), func(_ int, f *trace.Field, w uint64) {
		if f.Type.InText() {
			s += fmt.Sprintf(" %q", b.TextOf(w))
		} else {
			s += fmt.Sprintf(" %d", w)
		}
	})
	return s + dumpAttrs(b.AttrsOf(i))
}

// fileOf makes a little-endian file of one chunk.
func fileOf(records ...[]byte) []byte {
	data := append([]byte{form.IdChunk, form.MarkLittle}, make([]byte, 16)...)
	for _, r := range records {
		data = append(data, r...)
	}
	return append(data, form.IdEndOfFile, form.IdEndOfBuffer)
}

func stampRecord(t uint64) []byte {
	return binary.LittleEndian.AppendUint64([]byte{form.IdTime}, t)
}

// recordL makes a record of form L.
func recordL(id byte, payload ...byte) []byte {
	if len(payload) < 0xff {
		return append([]byte{id, byte(len(payload))}, payload...)
	}
	return append(binary.LittleEndian.AppendUint64([]byte{id, 0xff}, uint64(len(payload))), payload...)
}

func events(t *testing.T, records ...[]byte) ([]string, error) {
	t.Helper()
	return all(read.NewStream(inMemory(fileOf(records...), 1<<20, 64), form.EventGrammar, 1, 0, nil, nil, &trace.Warnings{}), 100)
}
