package faultfs

import (
	"errors"
	"io"
	"sync/atomic"
)

// ErrRead is what a read fails with.
var ErrRead = errors.New("the disk cannot be read")

// Fault is a way in which a read fails.
type Fault int

// The ways in which reads fail.
const (
	Nothing  Fault = iota // no bytes, with ErrRead
	Part                  // some of the bytes, with ErrRead
	EarlyEnd              // some of the bytes, with io.EOF
	Silence               // some of the bytes, with no error, which a ReaderAt must not do
	Faults                // number of ways
)

// Reader reads from a file. One read fails, or from it on all do.
type Reader struct {
	Src   io.ReaderAt
	Fault Fault
	From  int64 // number of the first read that fails
	Times int64 // number of reads that fail
	reads atomic.Int64
}

// Reads returns the number of reads so far.
func (r *Reader) Reads() int64 { return r.reads.Load() }

// ReadAt reads, or fails.
func (r *Reader) ReadAt(b []byte, at int64) (int, error) {
	if n := r.reads.Add(1) - 1; n < r.From || n >= r.From+r.Times {
		return r.Src.ReadAt(b, at)
	}
	if r.Fault == Nothing {
		return 0, ErrRead
	}
	n, err := r.Src.ReadAt(b[:len(b)/2], at)
	switch {
	case err != nil:
	case r.Fault == Part:
		err = ErrRead
	case r.Fault == EarlyEnd:
		err = io.EOF
	}
	return n, err
}
