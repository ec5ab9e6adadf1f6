package blockio

import (
	"fmt"
	"sync"
)

// Logs keeps blocks of bytes: up to a budget in memory, and the rest in a file. They are what nodes of
// the tree add up until they are complete, most of it in logs, and slices that are encoded.
type Logs struct {
	mu    sync.Mutex // of what follows
	held  int64      // bytes of blocks in memory
	Most  int64
	free  [][]byte // memory of blocks of logs
	Spool Spool
	err   error

	Compacting sync.Mutex // of what follows
	Rows       RowSpace
}

// Log is entries in the order in which they came. It is appended to, entry by entry, and read once.
type Log struct {
	Of     *Logs
	blocks []LogBlock
	Tail   []byte
}

// LogBlock is some bytes that wait, such as some entries of a log.
type LogBlock struct {
	b     []byte // nil in the file
	piece Piece
}

func (b *LogBlock) Size() int { return max(len(b.b), b.piece.length) }

// Sizes of logs, in bytes.
const (
	logBlockBytes = 4096
	logEntryBytes = 160    // of an entry, at most
	freeLogBlocks = 1 << 8 // kept to be used again
)

// LogShare is the part of the memory that a writer may have for logs.
const LogShare = 64

// End ends an entry that was appended to the tail.
func (l *Log) End(tail []byte) {
	if l.Tail = tail; len(tail) > logBlockBytes-logEntryBytes {
		l.blocks = append(l.blocks, l.Of.Keep(tail))
		l.Tail = l.Of.memory()
	}
}

// Keep keeps a block, whose memory it takes.
func (s *Logs) Keep(b []byte) LogBlock {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+int64(cap(b)) <= s.Most {
		s.held += int64(cap(b))
		return LogBlock{b: b}
	}
	p, err := s.Spool.Put(b)
	if err != nil && s.err == nil {
		s.err = logError(err)
	}
	s.release(b)
	return LogBlock{piece: p}
}

// Take takes a block back.
func (s *Logs) Take(block LogBlock) (b []byte, err error) {
	if b = block.b; b == nil {
		b, err = s.get(nil, block.piece)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(block)
	return b, err
}

// drop gives the room of a block up.
func (s *Logs) drop(block LogBlock) {
	switch {
	case block.b != nil:
		s.held -= int64(cap(block.b))
	case block.piece.length > 0:
		s.Spool.Drop(block.piece)
	}
}

// memory returns memory for a block, nil if there is none that was used before.
func (s *Logs) memory() (b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free) - 1; n >= 0 {
		b, s.free = s.free[n], s.free[:n]
	}
	return b
}

// release takes the memory of a block back.
func (s *Logs) release(b []byte) {
	if len(s.free) < freeLogBlocks && cap(b) >= logBlockBytes && cap(b) < 2*logBlockBytes {
		s.free = append(s.free, b[:0])
	}
}

func logError(err error) error { return fmt.Errorf("store: what waits to be written: %w", err) }

// get reads a block, into the memory of b if there is room. After a failure to write the file, every
// read returns that error.
func (s *Logs) get(b []byte, p Piece) ([]byte, error) {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil || p.length == 0 {
		return nil, err
	}
	if b, err = s.Spool.Get(b, p); err != nil {
		return nil, logError(err)
	}
	return b, nil
}

// Each calls f with the entries of a log, some at a time. They are valid until f returns.
func (l *Log) Each(f func(b []byte)) error {
	if l.Of == nil {
		return nil // nothing was ever added
	}
	var buffer []byte
	for _, block := range l.blocks {
		b := block.b
		if b == nil {
			var err error
			if buffer, err = l.Of.get(buffer, block.piece); err != nil {
				return err
			}
			b = buffer
		}
		f(b)
	}
	f(l.Tail)
	return nil
}

// Clear empties a log.
func (l *Log) Clear() {
	if l.Of == nil {
		return
	}
	l.Of.mu.Lock()
	defer l.Of.mu.Unlock()
	for _, block := range l.blocks {
		l.Of.drop(block)
		l.Of.release(block.b)
	}
	l.blocks, l.Tail = nil, l.Tail[:0]
}
