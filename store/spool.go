package store

import (
	"errors"
	"os"
)

// spool is a file for what does not fit into memory: pieces of bytes that are put there, and taken back one by one. The file is made
// when there is a first piece. Room of pieces that are not needed any longer is used again. The file has no name, so that nothing of it
// stays when the program is killed; where open files must have one, it goes when the spool is closed.
type spool struct {
	dir   string // the system's, if empty
	file  *os.File
	named bool
	size  int64
	free  map[int64][]int64 // by the room that pieces had: where they were
}

// spoolUnit is what the room of a piece is a multiple of, so that others fit into it.
const spoolUnit = 512

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
	p := s.room(len(b))
	_, err := s.file.WriteAt(b, p.at)
	return p, err
}

// room finds room for a piece.
func (s *spool) room(length int) piece {
	p := piece{s.size, length}
	if free := s.free[p.room()]; len(free) > 0 {
		n := len(free) - 1
		p.at, s.free[p.room()] = free[n], free[:n]
		return p
	}
	s.size += p.room()
	return p
}

func (p piece) room() int64 { return (int64(p.length) + spoolUnit - 1) / spoolUnit * spoolUnit }

// get reads a piece, into the memory of b if there is room. Pieces may be read at the same time, and while others are put or dropped.
func (s *spool) get(b []byte, p piece) ([]byte, error) {
	if cap(b) < p.length {
		b = make([]byte, p.length)
	}
	b = b[:p.length]
	_, err := s.file.ReadAt(b, p.at)
	return b, err
}

// drop says that a piece will not be read again.
func (s *spool) drop(p piece) {
	if s.free == nil {
		s.free = map[int64][]int64{}
	}
	s.free[p.room()] = append(s.free[p.room()], p.at)
}

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
