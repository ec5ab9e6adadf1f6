package edit

import (
	"crypto/sha256"
	"errors"
	"io"

	"github.com/pandotrace/pando/trace"
)

// uncut takes out of a window's events what was put in where it borders on another one: pairs at its begin, unless it is the first
// window, and pairs at its end, unless it is the last.
type uncut struct {
	trace.Stream
	table       *trace.Table
	first, last bool
	batch       trace.Batch
	inside      bool // past the pairs at the begin
	pair        bool // the next event belongs to a mark
	ended       bool
}

// Next implements trace.Stream.
func (u *uncut) Next(b *trace.Batch, limit int) error {
	for !u.ended {
		if err := u.Stream.Next(&u.batch, limit); err != nil {
			b.Reset(u.batch.Location)
			return err
		}
		b.Reset(u.batch.Location)
		from, to := u.bounds()
		b.AppendRange(&u.batch, from, to, u.table)
		if b.Len() > 0 {
			return nil
		}
	}
	b.Reset(u.batch.Location)
	return io.EOF
}

// bounds returns which of the events at hand are the window's own.
func (u *uncut) bounds() (from, to int) {
	kinds := u.batch.Kinds
	for !u.first && !u.inside && from < len(kinds) {
		switch {
		case u.pair:
			u.pair = false
		case kinds[from] == trace.KindCutBefore:
			u.pair = true
		default:
			u.inside = true
			continue
		}
		from++
	}
	for to = from; to < len(kinds) && !u.ended; to++ {
		if u.ended = !u.last && kinds[to] == trace.KindCutAfter; u.ended {
			break
		}
	}
	return from, to
}

// sumOf reads a stream, and returns a hash of its records.
func sumOf(meta *trace.Meta, s trace.Stream) (sum [sha256.Size]byte, err error) {
	f := trace.NewFingerprint(meta)
	var b trace.Batch
	for {
		err := s.Next(&b, auxiliaryBatch)
		if errors.Is(err, io.EOF) {
			return f.Sum(), nil
		}
		if err != nil {
			return sum, err
		}
		f.Add(&b, 0, b.Len())
	}
}

// auxiliaryBatch is how many records of an auxiliary stream are read at once.
const auxiliaryBatch = 1024
