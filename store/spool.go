package store

import (
	"errors"
	"io/fs"
	"os"
)

// spool is a file for what does not fit into memory: pieces of bytes that are put there, and taken back one by one. The file is made
// when there is a first piece. While a spool is empty, its file begins anew.
type spool struct {
	dir    string // the system's, if empty
	file   *os.File
	size   int64
	pieces int
}

// piece is where bytes stand in a spool.
type piece struct {
	at     int64
	length int
}

// put appends bytes.
func (s *spool) put(b []byte) (piece, error) {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "pando-spool-")
		if err != nil {
			return piece{}, err
		}
		s.file = f
	}
	if s.pieces == 0 {
		s.size = 0
	}
	p := piece{s.size, len(b)}
	if _, err := s.file.WriteAt(b, p.at); err != nil {
		return piece{}, err
	}
	s.size += int64(len(b))
	s.pieces++
	return p, nil
}

// get reads a piece, into the memory of b if there is room. Pieces may be read at the same time, as long as none is put or dropped.
func (s *spool) get(b []byte, p piece) ([]byte, error) {
	if cap(b) < p.length {
		b = make([]byte, p.length)
	}
	b = b[:p.length]
	_, err := s.file.ReadAt(b, p.at)
	return b, err
}

// drop says that a piece will not be read again.
func (s *spool) drop() { s.pieces-- }

// close removes the file.
func (s *spool) close() error {
	if s == nil || s.file == nil {
		return nil
	}
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	s.file = nil
	return err
}
