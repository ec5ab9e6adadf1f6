package waits

import (
	"encoding/binary"
	"fmt"
	"os"
)

// A spool keeps records in blocks, in memory as long as they fit, in a temporary file beyond that. Blocks are read in any order.
type spool[T any, P record[T]] struct {
	memory int64 // for blocks
	most   int   // records of a block
	blocks []block[T]
	open   []T // of the block that is being filled
	file   *os.File
	end    int64 // of the file, in bytes
	buffer []byte
}

// record is something that can be written to a file.
type record[T any] interface {
	*T
	append([]byte) []byte
	parse([]byte)
	size() int   // bytes
	time() int64 // records are in the order of it, rising or falling
}

// block is a number of records, in memory or at a place of the file.
type block[T any] struct {
	list  []T // nil if they lie in the file
	at    int64
	count int
	last  int64 // time of the last record
}

// mostRecords is the largest number of records of a block. A block takes a sixteenth of the memory at most.
const mostRecords = 1 << 14

func newSpool[T any, P record[T]](memory int64) *spool[T, P] {
	most := memory / 16 / int64(P(new(T)).size())
	return &spool[T, P]{memory: memory, most: int(max(1, min(most, mostRecords)))}
}

// add adds a record.
func (s *spool[T, P]) add(t *T) error {
	s.open = append(s.open, *t)
	if len(s.open) < s.most {
		return nil
	}
	return s.seal()
}

// seal ends a block.
func (s *spool[T, P]) seal() error {
	if len(s.open) == 0 {
		return nil
	}
	size, last := int64(P(&s.open[0]).size()*len(s.open)), P(&s.open[len(s.open)-1]).time()
	if s.memory -= size; s.memory >= 0 {
		s.blocks = append(s.blocks, block[T]{s.open, 0, len(s.open), last})
		s.open = nil
		return nil
	}
	if err := s.create(); err != nil {
		return err
	}
	s.buffer = s.buffer[:0]
	for i := range s.open {
		s.buffer = P(&s.open[i]).append(s.buffer)
	}
	if _, err := s.file.WriteAt(s.buffer, s.end); err != nil {
		return fmt.Errorf("temporary file of waits: %w", err)
	}
	s.blocks = append(s.blocks, block[T]{nil, s.end, len(s.open), last})
	s.end += int64(len(s.buffer))
	s.open = s.open[:0]
	return nil
}

// create makes the file, which nobody else sees.
func (s *spool[T, P]) create() error {
	if s.file != nil {
		return nil
	}
	f, err := os.CreateTemp("", "pando-waits-*")
	if err != nil {
		return fmt.Errorf("temporary file of waits: %w", err)
	}
	s.file = f
	os.Remove(f.Name()) // where that is not possible, close does it
	return nil
}

// close gives the file back.
func (s *spool[T, P]) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}

// len returns the number of blocks. All records are in one once seal was called.
func (s *spool[T, P]) len() int { return len(s.blocks) }

// read returns the records of a block, which are valid until the next call with the same memory to read into.
func (s *spool[T, P]) read(n int, into []T) ([]T, error) {
	b := &s.blocks[n]
	if b.list != nil {
		return b.list, nil
	}
	size := P(new(T)).size()
	if cap(s.buffer) < size*b.count {
		s.buffer = make([]byte, size*b.count)
	}
	s.buffer = s.buffer[:size*b.count]
	if _, err := s.file.ReadAt(s.buffer, b.at); err != nil {
		return nil, fmt.Errorf("temporary file of waits: %w", err)
	}
	into = into[:0]
	for at := 0; at < len(s.buffer); at += size {
		var t T
		P(&t).parse(s.buffer[at : at+size])
		into = append(into, t)
	}
	return into, nil
}

// append, parse and size make waits records: as much of them as the critical path needs.
func (l *link) append(b []byte) []byte {
	for _, v := range []uint64{uint64(l.start), uint64(l.end), uint64(l.known), l.call} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(l.place))
	b = binary.LittleEndian.AppendUint32(b, uint32(l.cause))
	return append(b, byte(l.kind))
}

func (l *link) parse(b []byte) {
	u := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	l.start, l.end, l.known, l.call = int64(u(0)), int64(u(8)), int64(u(16)), u(24)
	l.place, l.cause = int32(binary.LittleEndian.Uint32(b[32:])), int32(binary.LittleEndian.Uint32(b[36:]))
	l.kind = Kind(b[40])
}

func (*link) size() int { return 41 }

func (l *link) time() int64 { return l.known }

func (s *Step) append(b []byte) []byte {
	for _, v := range []uint64{uint64(s.Start), uint64(s.End)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(s.place))
	return append(b, byte(s.Reason))
}

func (s *Step) parse(b []byte) {
	s.Start, s.End = int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))
	s.place, s.Reason = int32(binary.LittleEndian.Uint32(b[16:])), Kind(b[20])
}

func (*Step) size() int { return 21 }

func (s *Step) time() int64 { return s.Start }
