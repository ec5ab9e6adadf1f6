package store

import (
	"errors"
	"os"
)

// spool is a file for what does not fit into memory: pieces of bytes that are put there, and taken back one by one. The file is made
// when there is a first piece. While a spool is empty, its file begins anew. The file has no name, so that nothing of it stays when the
// program is killed; where open files must have one, it goes when the spool is closed.
type spool struct {
	dir    string // the system's, if empty
	file   *os.File
	named  bool
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
		s.file, s.named = f, os.Remove(f.Name()) != nil
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
	if s.named {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	return err
}
