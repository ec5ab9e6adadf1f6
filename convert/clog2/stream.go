package clog2

import (
	"io"
	"math"
	"os"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// stepPieces is the number of pieces that a step looks at: few, as streams of other locations need the same ones at
// about the same time.
const stepPieces = 32

// stream gives the events of a location.
type stream struct {
	archive  *Archive
	location *location
	index    int32
	cursor   *mpe.SecondsCursor
	slack    int64     // ticks that a time may lie off
	next     int32     // the next piece
	left     part      // of the piece
	at       *fileLine // of what is left; nil if they are several
	attrs    []trace.Attr
	err      error // final
}

func (a *Archive) stream(i int) *stream {
	l := &a.locations[i]
	s := &stream{archive: a, location: l, index: int32(i), cursor: l.fit.Cursor(l.clock), next: l.first}
	s.slack = mpe.Slack(l.clock, ticksPerSecond)
	if l.Records == 0 {
		s.err = io.EOF
	}
	return s
}

// Close ends the stream.
func (s *stream) Close() error {
	s.err, s.left = os.ErrClosed, part{}
	return nil
}

// Next implements trace.Stream.
func (s *stream) Next(b *trace.Batch, max int) error { return mpe.Next(s, b, max) }

// Step gives what there is in the next pieces.
func (s *stream) Step(b *trace.Batch, max int) (covered int64, err error) {
	b.Reset(s.location.ID)
	for n := 0; s.err == nil && b.Len() < max; n++ {
		if s.left.len() > 0 {
			s.read(b, max)
		} else if n < stepPieces {
			s.err = s.load()
		} else {
			break
		}
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
	if s.left.len() > 0 || s.next > s.location.last {
		return t
	}
	later := s.location.file.pieces[s.next].later
	return max(t, int64(math.Floor(later*ticksPerSecond))-s.slack)
}

// load goes to the next piece. It returns io.EOF behind the last that the location has records in.
func (s *stream) load() error {
	if s.next > s.location.last {
		return io.EOF
	}
	f := s.location.file
	r, err := s.archive.cache.get(f, int(s.next))
	if err != nil {
		return err
	}
	s.next++
	if s.left = r.of(s.index); s.left.source == mixed {
		s.at = nil
	} else {
		s.at = &f.located[s.left.source/2]
	}
	return nil
}

// read appends records of the piece until there are max.
func (s *stream) read(b *trace.Batch, max int) {
	for s.plain(b, max); s.left.len() > 0 && b.Len() < max; s.plain(b, max) {
		kind, attrs := s.words(b)
		tick, residual := s.cursor.Next(s.left.times[0])
		s.left.skip(1)
		b.Begin(kind, tick)
		b.End()
		b.SetResidual(residual)
		b.SetAttrs(attrs)
	}
}

// plain appends begins and ends of states, and messages, which most records are, as long as they need no attributes and no residuals.
func (s *stream) plain(b *trace.Batch, max int) {
	if s.at == nil || len(s.at.events.Attrs)+len(s.at.events.Distinctive)+len(b.AttrStarts) > 0 {
		return
	}
	whats, times := s.left.whats, s.left.times[:len(s.left.whats)]
	if len(b.Starts) == 0 {
		b.Starts = append(b.Starts, 0)
	}
	n, words := 0, len(b.Words)
	for n < len(whats) && len(b.Kinds) < max {
		kind := s.plainWords(b, whats[n])
		if kind == 0 {
			break
		}
		tick, ok := s.cursor.Exact(times[n])
		if !ok {
			break
		}
		words = len(b.Words)
		b.Kinds, b.Times, b.Starts = append(b.Kinds, kind), append(b.Times, tick), append(b.Starts, uint32(words))
		n++
	}
	b.Words = b.Words[:words]
	if len(b.Residuals) > 0 {
		b.Residuals = append(b.Residuals, make([]int64, n)...)
	}
	s.left.skip(n)
}

// plainWords appends the words of a record and returns its kind; 0 if it is no begin or end of a state, nor a message to or from the
// communicator of its line.
func (s *stream) plainWords(b *trace.Batch, w what) trace.Kind {
	if w.bare() {
		e := &s.archive.events[w]
		if e.kind != trace.KindEnter && e.kind != trace.KindLeave {
			return 0
		}
		b.Words = append(b.Words, uint64(e.category))
		return e.kind
	}
	if kind := endKinds[w.typ()]; kind != 0 {
		s.end(b, s.at.events, s.left.payloads[w&payloadMask:])
		return kind
	}
	return 0
}

// endKinds are the kinds of sends and receives within a communicator, by type.
var endKinds = [16]trace.Kind{typeSend: trace.KindMpiSend, typeReceive: trace.KindMpiRecv}

// end appends the words of a send or receive within a line's communicator.
func (s *stream) end(b *trace.Batch, l *mpe.Line, payload []byte) {
	f, p := s.location.file, (*[endBytes]byte)(payload)
	b.Words = append(b.Words, uint64(f.uint32(p[:])), l.Communicator(), uint64(f.uint32(p[4:])), uint64(f.uint32(p[8:])))
}

// words appends the words of the next record and returns its kind and attributes.
func (s *stream) words(b *trace.Batch) (trace.Kind, []trace.Attr) {
	f, source, w := s.location.file, s.left.sourceAt(0), s.left.whats[0]
	l := f.lineOf(source)
	if w.bare() {
		e := &s.archive.events[w]
		return e.kind, e.words(b, l)
	}
	switch typ, payload := w.payload(s.left.payloads); typ {
	case typeBare:
		e := s.archive.eventOf(f, payload)
		return e.kind, e.words(b, l)
	case typeCargo:
		e := s.archive.eventOf(f, payload)
		return e.kind, s.cargo(e.words(b, l), e, payload[8:8+mpe.CargoBytes])
	case typeMessage:
		return s.message(b, &f.located[source/2], payload)
	case typeSend, typeReceive:
		s.end(b, l, payload)
		return endKinds[typ], l.Distinctive
	default:
		return s.other(b, l, typ, payload), l.Distinctive
	}
}

// cargo returns attributes with those of a cargo behind them.
func (s *stream) cargo(attrs []trace.Attr, e *event, cargo []byte) []trace.Attr {
	layout := e.layout
	if layout == nil {
		layout = &noLayout
	}
	s.attrs = append(s.attrs[:0], attrs...)
	s.attrs, _ = layout.Append(s.attrs, cargo, s.archive.log.Lookup)
	return s.attrs
}

var noLayout mpe.Layout

// message appends the words of a send or receive.
func (s *stream) message(b *trace.Batch, at *fileLine, payload []byte) (trace.Kind, []trace.Attr) {
	f, l := s.location.file, at.events
	id, rank, tag, size := f.int32(payload), f.uint32(payload[8:]), f.uint32(payload[12:]), f.uint32(payload[16:])
	remote := f.peerComm(at, payload)
	kind := trace.KindMpiSend
	switch id {
	case eventSend:
	case eventReceive:
		kind = trace.KindMpiRecv
	default:
		signed := func(v uint32) uint64 { return uint64(int64(int32(v))) }
		b.Words = append(b.Words, l.Communicator(), uint64(int64(id)), uint64(uint32(remote)), signed(rank), signed(tag), signed(size))
		return trace.KindMpeMessage, l.Distinctive
	}
	comm, attrs := s.archive.comms.Message(l, remote)
	b.Words = append(b.Words, uint64(rank), comm, uint64(tag), uint64(size))
	return kind, attrs
}

// other appends the words of the records that define things or that the model does not know.
func (s *stream) other(b *trace.Batch, l *mpe.Line, typ int, payload []byte) trace.Kind {
	f := s.location.file
	number := func(at int) uint64 { return uint64(int64(f.int32(payload[at:]))) }
	double := func(at int) uint64 { return math.Float64bits(f.float64(payload[at:])) }
	put := func(from, to int) uint64 { return b.PutText(string(text(payload[from:to]))) }
	b.Words = append(b.Words, l.Communicator())
	switch typ {
	case typeStateDef:
		b.Words = append(b.Words, number(0), number(4), number(8), put(16, 40), put(40, 72), put(72, 112))
		return trace.KindMpeStateDef
	case typeEventDef:
		b.Words = append(b.Words, number(0), put(8, 32), put(32, 64), put(64, 104))
		return trace.KindMpeEventDef
	case typeConstDef:
		b.Words = append(b.Words, number(0), number(4), put(8, 40))
		return trace.KindMpeConstDef
	case typeColl:
		b.Words = append(b.Words, number(0), number(4), number(8))
		return trace.KindMpeCollective
	case typeComm:
		created := uint64(f.uint32(payload[4:]))
		if id, ok := f.commIDs[f.int32(payload[4:])]; ok {
			created = uint64(uint32(id))
		} else if int32(created) == unfilled {
			created = trace.Undefined >> 32 // none
		}
		b.Words = append(b.Words, uint64(f.uint32(payload)), created, number(8), number(12), number(16), double(20), put(28, 48))
		return trace.KindMpeCommEvent
	case typeSource:
		b.Words = append(b.Words, number(0), number(4), put(8, 48))
		return trace.KindMpeSourceLocation
	case typeTimeShift:
		b.Words = append(b.Words, double(0))
		return trace.KindMpeTimeShift
	}
	return 0
}

var _ trace.Stepper = (*stream)(nil)
