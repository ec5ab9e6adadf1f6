package otf

import (
	"errors"
	"io"
	"os"

	"github.com/pandotrace/pando/trace"
)

// stream gives the records of one process: those of one file, or of several in turn. It implements trace.Stepper.
type stream struct {
	location uint64
	members  []*member // on the ways through the files
	err      error     // final
}

// errLost says that a member's records have to be read again.
var errLost = errors.New("otf: the others went on")

// Next gives the next records.
func (s *stream) Next(b *trace.Batch, max int) error {
	_, err := s.read(b, max, true)
	return err
}

// Step gives the next records that stand near.
func (s *stream) Step(b *trace.Batch, max int) (covered int64, err error) {
	return s.read(b, max, false)
}

func (s *stream) read(b *trace.Batch, max int, search bool) (covered int64, err error) {
	b.Reset(s.location)
	for s.err == nil {
		if len(s.members) == 0 {
			s.err = io.EOF
			break
		}
		m := s.members[0]
		covered, err := m.pass.read(m, b, max, search)
		switch {
		case err == nil:
			return covered, nil
		case err == errLost:
			s.members[0], s.err = m.again()
		case err == io.EOF:
			s.members = s.members[1:]
		default:
			s.err = err
		}
	}
	return 0, s.err
}

// again begins a pass of its own for a member that was left behind, and goes to where it was.
func (m *member) again() (*member, error) {
	n := newPass(m.pass.part).take(m.sink.location)
	var b trace.Batch
	for n.given < m.given {
		b.Reset(m.sink.location)
		const most = 4096 // records at once
		if _, err := n.pass.read(n, &b, int(min(most, m.given-n.given)), true); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Close ends the stream.
func (s *stream) Close() error {
	s.err = os.ErrClosed
	for _, m := range s.members {
		m.pass.leave(m)
	}
	s.members = nil
	return nil
}

// tables is the stream of local definitions of a process: the tables that translate the ids of its stream.
type tables struct {
	location uint64
	words    [][]uint64
}

// Next gives the tables.
func (t *tables) Next(b *trace.Batch, max int) error {
	b.Reset(t.location)
	if len(t.words) == 0 {
		return io.EOF
	}
	n := min(max, len(t.words))
	for _, words := range t.words[:n] {
		b.Append(trace.KindMappingTable, 0, words...)
	}
	t.words = t.words[n:]
	return nil
}

// Close ends the stream.
func (t *tables) Close() error {
	t.words = nil
	return nil
}

var _ trace.Stepper = (*stream)(nil)
