package blockio

import (
	"errors"
	"os"
)

// Spool is a file for what does not fit into memory: pieces of bytes that are put there, and taken back one by one. The file is made
// when there is a first piece. Room of pieces that are not needed any longer is used again. The file has no name, so that nothing of it
// stays when the program is killed; where open files must have one, it goes when the spool is closed.
type Spool struct {
	Dir   string // the system's, if empty
	file  *os.File
	named bool
	size  int64
	free  map[int64][]int64 // by the room that pieces had: where they were
}

// spoolUnit is what the room of a piece is a multiple of, so that others fit into it.
const spoolUnit = 512

// Piece is where bytes stand in a spool.
type Piece struct {
	at     int64
	length int
}

// Put appends bytes.
func (s *Spool) Put(b []byte) (Piece, error) {
	if s.file == nil {
		f, err := os.CreateTemp(s.Dir, "pando-spool-")
		if err != nil {
			return Piece{}, err
		}
		s.file, s.named = f, os.Remove(f.Name()) != nil
	}
	p := s.room(len(b))
	_, err := s.file.WriteAt(b, p.at)
	return p, err
}

// room finds room for a piece.
func (s *Spool) room(length int) Piece {
	p := Piece{s.size, length}
	if free := s.free[p.room()]; len(free) > 0 {
		n := len(free) - 1
		p.at, s.free[p.room()] = free[n], free[:n]
		return p
	}
	s.size += p.room()
	return p
}

func (p Piece) room() int64 { return (int64(p.length) + spoolUnit - 1) / spoolUnit * spoolUnit }

// Get reads a piece, into the memory of b if there is room. Pieces may be read at the same time, and while others are put or dropped.
func (s *Spool) Get(b []byte, p Piece) ([]byte, error) {
	if cap(b) < p.length {
		b = make([]byte, p.length)
	}
	b = b[:p.length]
	_, err := s.file.ReadAt(b, p.at)
	return b, err
}

// Drop says that a piece will not be read again.
func (s *Spool) Drop(p Piece) {
	if s.free == nil {
		s.free = map[int64][]int64{}
	}
	s.free[p.room()] = append(s.free[p.room()], p.at)
}

// Close removes the file.
func (s *Spool) Close() error {
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
