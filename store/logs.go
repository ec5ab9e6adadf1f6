package store

import (
	"fmt"
	"sync"
)

// logs is where blocks of bytes wait: so many bytes of all together stay in memory, the rest goes into a file. They are what nodes of
// the tree add up until they are complete, most of it in logs, and slices that are encoded.
type logs struct {
	mu    sync.Mutex // of what follows
	held  int64      // bytes of blocks in memory
	most  int64
	free  [][]byte // memory of blocks of logs
	spool spool
	err   error

	compacting sync.Mutex // of what follows
	rows       rowSpace
}

// log is entries in the order in which they came. It is appended to, entry by entry, and read once.
type log struct {
	of     *logs
	blocks []logBlock
	tail   []byte
}

// logBlock is some bytes that wait, such as some entries of a log.
type logBlock struct {
	b     []byte // nil in the file
	piece piece
}

func (b *logBlock) size() int { return max(len(b.b), b.piece.length) }

// Sizes of logs, in bytes.
const (
	logBlockBytes = 4096
	logEntryBytes = 160    // of an entry, at most
	freeLogBlocks = 1 << 8 // kept to be used again
)

// logShare is the part of the memory that a writer may have for logs.
const logShare = 64

// end ends an entry that was appended to the tail.
func (l *log) end(tail []byte) {
	if l.tail = tail; len(tail) > logBlockBytes-logEntryBytes {
		l.blocks = append(l.blocks, l.of.keep(tail))
		l.tail = l.of.memory()
	}
}

// keep keeps a block, whose memory it takes.
func (s *logs) keep(b []byte) logBlock {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+int64(cap(b)) <= s.most {
		s.held += int64(cap(b))
		return logBlock{b: b}
	}
	p, err := s.spool.put(b)
	if err != nil && s.err == nil {
		s.err = logError(err)
	}
	s.release(b)
	return logBlock{piece: p}
}

// take takes a block back.
func (s *logs) take(block logBlock) (b []byte, err error) {
	if b = block.b; b == nil {
		b, err = s.get(nil, block.piece)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(block)
	return b, err
}

// drop gives the room of a block up.
func (s *logs) drop(block logBlock) {
	switch {
	case block.b != nil:
		s.held -= int64(cap(block.b))
	case block.piece.length > 0:
		s.spool.drop(block.piece)
	}
}

// memory returns memory for a block, nil if there is none that was used before.
func (s *logs) memory() (b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free) - 1; n >= 0 {
		b, s.free = s.free[n], s.free[:n]
	}
	return b
}

// release takes the memory of a block back.
func (s *logs) release(b []byte) {
	if len(s.free) < freeLogBlocks && cap(b) >= logBlockBytes && cap(b) < 2*logBlockBytes {
		s.free = append(s.free, b[:0])
	}
}

func logError(err error) error { return fmt.Errorf("store: what waits to be written: %w", err) }

// get reads a block, into the memory of b if there is room. What could not be put into the file has no place in it: whoever reads
// anything after that gets the error.
func (s *logs) get(b []byte, p piece) ([]byte, error) {
	s.mu.Lock()
	err := s.err
	s.mu.Unlock()
	if err != nil || p.length == 0 {
		return nil, err
	}
	if b, err = s.spool.get(b, p); err != nil {
		return nil, logError(err)
	}
	return b, nil
}

// each calls f with the entries of a log, some at a time. They are valid until f returns.
func (l *log) each(f func(b []byte)) error {
	if l.of == nil {
		return nil // nothing was ever added
	}
	var buffer []byte
	for _, block := range l.blocks {
		b := block.b
		if b == nil {
			var err error
			if buffer, err = l.of.get(buffer, block.piece); err != nil {
				return err
			}
			b = buffer
		}
		f(b)
	}
	f(l.tail)
	return nil
}

// clear empties a log.
func (l *log) clear() {
	if l.of == nil {
		return
	}
	l.of.mu.Lock()
	defer l.of.mu.Unlock()
	for _, block := range l.blocks {
		l.of.drop(block)
		l.of.release(block.b)
	}
	l.blocks, l.tail = nil, l.tail[:0]
}
