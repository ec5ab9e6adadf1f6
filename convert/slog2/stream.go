package slog2

import (
	"io"
	"math"
	"os"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// stepPieces is the number of pieces that a step looks at: few, as streams of other locations need the same ones at
// about the same time.
const stepPieces = 16

// stream gives the events of a location.
type stream struct {
	archive   *Archive
	location  *location
	index     int32
	cursor    *mpe.SecondsCursor
	slack     int64 // ticks that a time may lie off
	next      int32 // the next piece
	sequencer sequencer
	ahead     trace.Batch // records that were not given yet, from taken on
	taken     int
	attrs     []trace.Attr
	err       error // final
}

func (a *Archive) stream(i int) *stream {
	l := &a.locations[i]
	s := &stream{archive: a, location: l, index: int32(i), cursor: l.fit.Cursor(l.clock), next: l.first}
	s.slack = mpe.Slack(l.clock, ticksPerSecond)
	if l.first < 0 {
		s.err = io.EOF
	}
	s.ahead.Reset(l.ID)
	return s
}

// Close ends the stream.
func (s *stream) Close() error {
	s.err = os.ErrClosed
	s.ahead.Reset(s.location.ID)
	s.sequencer, s.taken = sequencer{}, 0
	return nil
}

// Next implements trace.Stream.
func (s *stream) Next(b *trace.Batch, max int) error { return mpe.Next(s, b, max) }

// Step gives what there is in the next pieces.
func (s *stream) Step(b *trace.Batch, max int) (covered int64, err error) {
	b.Reset(s.location.ID)
	for n := 0; b.Len() < max; n++ {
		have := s.ahead.Len() - s.taken
		if have > 0 && s.taken == 0 && b.Len() == 0 && have <= max {
			*b, s.ahead = s.ahead, *b
			continue
		}
		if have > 0 {
			count := min(have, max-b.Len())
			b.AppendRange(&s.ahead, s.taken, s.taken+count, trace.Standard)
			s.taken += count
			continue
		}
		if s.err != nil || n >= stepPieces {
			break
		}
		s.ahead.Reset(s.location.ID)
		s.taken = 0
		s.err = s.load()
	}
	if b.Len() == 0 && s.err != nil {
		return 0, s.err // after records it waits for the next call
	}
	return s.covered(b), nil
}

// covered returns a time that no later record is before.
func (s *stream) covered(b *trace.Batch) int64 {
	t := int64(math.MinInt64)
	if n := b.Len(); n > 0 {
		t = b.Times[n-1]
	}
	if s.taken < s.ahead.Len() || s.err != nil {
		return t
	}
	later := math.Inf(1)
	if s.next <= s.location.last {
		later = s.archive.pieces[s.next].later
	}
	if len(s.sequencer.waiting) > 0 {
		later = min(later, s.sequencer.waiting[0].time)
	}
	if math.IsInf(later, 1) {
		return t
	}
	return max(t, int64(math.Floor(later*ticksPerSecond))-s.slack)
}

// load takes in the next piece. Behind the last it gives what still waits, and io.EOF.
func (s *stream) load() error {
	if s.next > s.location.last {
		s.sequencer.finish(s.emit)
		return io.EOF
	}
	g, err := s.archive.piece(int(s.next))
	if err != nil {
		return err
	}
	s.next++
	here := func(line int32) bool { return s.archive.lines[line].Location == s.index }
	for _, i := range g.of(s.index) {
		s.sequencer.add(&g.drawables[i], here, s.emit)
	}
	return nil
}

// emit appends the record of something that happens.
func (s *stream) emit(m moment) {
	b := &s.ahead
	tick, residual := s.cursor.Next(m.time)
	attrs := s.attributes(m, tick, residual)
	kind := s.words(b, m)
	b.Begin(kind, tick)
	b.End()
	b.SetResidual(residual)
	b.SetAttrs(attrs)
}

// attributes returns the attributes of the record of something that happens. Bytes of its cargo that have no place in
// them become a record of their own.
func (s *stream) attributes(m moment, tick, residual int64) []trace.Attr {
	a, b := s.archive, &s.ahead
	line := a.lines[m.line]
	if _, _, isMessage := a.messageOf(m.drawable); isMessage {
		_, attrs := a.comms.Message(line, s.peer(m).Comm)
		return attrs
	}
	c, attrs := a.categories[m.category], line.Distinctive
	if m.kind == state && !c.crosses {
		attrs = line.Attrs
	}
	if m.cargoBytes == 0 || !m.carriesCargo() {
		return attrs
	}
	var left []byte
	s.attrs = append(s.attrs[:0], attrs...)
	if s.attrs, left = c.layout.Append(s.attrs, m.cargoOf(), a.log.Lookup); len(left) > 0 {
		b.Append(trace.KindAttributeBytes, tick, mpe.AttrRest, uint64(len(s.attrs)), b.PutText(string(left)))
		b.SetResidual(residual)
	}
	return s.attrs
}

// peer returns the line of the other end of an arrow.
func (s *stream) peer(m moment) *mpe.Line {
	if m.what == arrives || m.what == ends {
		return s.archive.lines[m.drawable.line]
	}
	return s.archive.lines[m.endLine]
}

// words appends the words of the record of something that happens, and returns its kind.
func (s *stream) words(b *trace.Batch, m moment) trace.Kind {
	a := s.archive
	c, line := a.categories[m.category], a.lines[m.line]
	id, comm := uint64(uint32(c.index)), line.Communicator()
	switch {
	case c.numbered && m.kind == state:
	case m.kind == state && !c.crosses:
		b.Words = append(b.Words, id)
		return either(m.what == begins, trace.KindEnter, trace.KindLeave)
	case m.kind == state:
		b.Words = append(b.Words, id, comm)
		return either(m.what == begins, trace.KindIntervalBegin, trace.KindIntervalEnd)
	case m.kind == solo:
		b.Words = append(b.Words, id, comm)
		return trace.KindSoloEvent
	}
	peer := s.peer(m)
	if tag, size, isMessage := a.messageOf(m.drawable); isMessage {
		comm, _ = a.comms.Message(line, peer.Comm)
		b.Words = append(b.Words, uint64(uint32(peer.Rank)), comm, uint64(tag), uint64(size))
		return either(m.what == leaves, trace.KindMpiSend, trace.KindMpiRecv)
	}
	b.Words = append(b.Words, id, comm, a.places[peer.Location].ID, uint64(m.at))
	return either(m.what == leaves || m.what == begins, trace.KindArrowBegin, trace.KindArrowEnd)
}

func either(first bool, one, other trace.Kind) trace.Kind {
	if first {
		return one
	}
	return other
}

var _ trace.Stepper = (*stream)(nil)
