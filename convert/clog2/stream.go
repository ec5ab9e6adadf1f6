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
	cursor   *trace.SecondsCursor
	slack    int64     // ticks that a time may lie off
	next     int32     // the next piece
	left     []byte    // records of the piece that are left
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
	s.err, s.left = os.ErrClosed, nil
	return nil
}

// Next gives the records up to max, or those of some pieces.
func (s *stream) Next(b *trace.Batch, max int) error {
	for {
		_, err := s.Step(b, max)
		if err != nil || b.Len() > 0 {
			return err
		}
	}
}

// Step gives what there is in the next pieces.
func (s *stream) Step(b *trace.Batch, max int) (covered int64, err error) {
	b.Reset(s.location.ID)
	for n := 0; s.err == nil && b.Len() < max; n++ {
		if len(s.left) > 0 {
			s.err = s.read(b, max)
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
	if len(s.left) > 0 || s.next > s.location.last {
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
	g, err := s.archive.cache.get(s.archive, s.location.file, int(s.next))
	if err != nil {
		return err
	}
	s.next++
	var line int32
	if s.left, line = g.of(s.index); line == mixed {
		s.at = nil
	} else {
		s.at = &s.location.file.located[line]
	}
	return nil
}

// read appends records of the piece until there are max.
func (s *stream) read(b *trace.Batch, max int) error {
	for s.plain(b, max); len(s.left) > 0 && b.Len() < max; s.plain(b, max) {
		f := s.location.file
		record := s.left[:recordSizes[f.typeOf(s.left)]]
		s.left = s.left[len(record):]
		kind, attrs := s.words(b, record)
		if kind == 0 {
			return f.changed(f.pieces[s.next-1].start)
		}
		tick, residual := s.cursor.Next(f.float64(record))
		b.Begin(kind, tick)
		b.End()
		b.SetResidual(residual)
		b.SetAttrs(attrs)
	}
	return nil
}

// plain appends begins and ends of states, which most records are, as long as they need no attributes and no residuals.
func (s *stream) plain(b *trace.Batch, max int) {
	if s.at == nil || len(s.at.events.Attrs)+len(b.AttrStarts)+len(b.Residuals) > 0 {
		return
	}
	f, events, left := s.location.file, s.archive.events, s.left
	if len(b.Starts) == 0 {
		b.Starts = append(b.Starts, 0)
	}
	for len(left) >= leastRecord && len(b.Kinds) < max {
		record := (*[leastRecord]byte)(left)
		if f.uint32(record[20:]) != typeBare {
			break
		}
		e := events.find(f.int32(record[headerBytes:]))
		if e == nil || e.role != begins && e.role != ends || e.kind >= trace.KindIntervalBegin {
			break
		}
		tick, ok := s.cursor.Exact(f.float64(record[:]))
		if !ok {
			break
		}
		b.Words = append(b.Words, uint64(e.category))
		b.Kinds, b.Times, b.Starts = append(b.Kinds, e.kind), append(b.Times, tick), append(b.Starts, uint32(len(b.Words)))
		left = left[leastRecord:]
	}
	s.left = left
}

// words appends the words of a record and returns its kind and attributes; the kind is 0 if the file changed.
func (s *stream) words(b *trace.Batch, record []byte) (trace.Kind, []trace.Attr) {
	f, payload := s.location.file, record[headerBytes:]
	at, typ := s.at, f.typeOf(record)
	if at == nil {
		at = f.lineOf(record)
	}
	l := at.of(typ)
	switch typ {
	case typeBare, typeCargo:
		e := s.archive.events.find(f.int32(payload))
		if e == nil {
			return 0, nil
		}
		attrs := l.Distinctive
		switch e.kind {
		case trace.KindEnter, trace.KindLeave:
			b.Words = append(b.Words, uint64(e.category))
			attrs = l.Attrs
		case trace.KindMpeEvent:
			b.Words = append(b.Words, l.Communicator(), uint64(int64(f.int32(payload))))
		default:
			b.Words = append(b.Words, uint64(e.category), l.Communicator())
		}
		if typ == typeCargo {
			attrs = s.cargo(attrs, e, payload[8:8+mpe.CargoBytes])
		}
		return e.kind, attrs
	case typeMessage:
		return s.message(b, at, payload)
	}
	return s.other(b, l, typ, payload), l.Distinctive
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
