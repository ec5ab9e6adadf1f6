package otf2

import (
	"io"
	"math"
	"os"

	"github.com/pandotrace/pando/trace"
)

// maxSpan bounds the distance of times from the epoch, in ticks, so that differences of times fit an int64.
const maxSpan = 1 << 62

// stream reads the records of one chunked file, a window at a time. It implements trace.Stream.
type stream struct {
	decoder
	window   *window
	grammar  *grammar
	location uint64
	warnings *trace.Warnings

	clock    *trace.Clock // nil if times are not corrected
	interval int          // of the clock
	latest   uint64       // no local time may be greater
	local    uint64       // the last time stamp
	stamped  bool         // there was one
	stale    bool         // time has to be computed again before the next record
	time     int64        // of the next record: corrected, relative to the epoch
	residual int64        // of the next record
	// latestTime is that of the last record. Time stamps that no record follows do not count: they are not written again.
	latestTime int64
	attrs      []trace.Attr // of the next record
	marks      *marks       // attributes that stand for records
	mark       mark         // of the next record
	rested     bool         // what the next record has besides its fields was taken in
	err        error        // final
}

// newStream reads from a window that was not read yet. maps are nil if ids are global; clock is nil if times are right.
func newStream(w *window, g *grammar, location, epoch uint64, maps *mappings, clock *trace.Clock, warn *trace.Warnings) *stream {
	if maps == nil {
		maps = &noMappings
	}
	latest := epoch + maxSpan
	if clock != nil && clock.Corrects() {
		latest = math.MaxUint64 // the corrected time, modulo 2^64, decides
	} else {
		clock = nil
	}
	return &stream{decoder: decoder{epoch: epoch, maps: maps}, window: w, grammar: g, location: location,
		warnings: warn, marks: &marks{}, clock: clock, latest: latest, time: math.MinInt64, latestTime: math.MinInt64}
}

// Next gives the records up to max that are complete in the current window.
func (s *stream) Next(b *trace.Batch, max int) error {
	b.Reset(s.location)
	for s.err == nil && b.Len() == 0 {
		s.err = s.read(b, max)
	}
	if b.Len() > 0 {
		return nil // an error after some records waits for the next call
	}
	return s.err
}

// Close ends the stream.
func (s *stream) Close() error {
	s.err = os.ErrClosed
	s.window.close()
	return nil
}

// read appends records until there are max, or the window has no other complete one; then, if there is none at all, it
// moves the window.
func (s *stream) read(b *trace.Batch, max int) error {
	if s.window.limit == 0 {
		if err := s.nextChunk(); err != nil {
			return err
		}
	}
	for b.Len() == 0 || b.Len() < max {
		s.plain(b, max)
		if b.Len() > 0 && b.Len() >= max {
			return nil
		}
		need, err := s.record(b)
		if err != nil {
			return err
		}
		if need == 0 {
			continue
		}
		if b.Len() > 0 {
			return nil
		}
		if err := s.window.need(need); err != nil {
			return err
		}
		s.data = s.window.data
	}
	return nil
}

func (s *stream) nextChunk() error {
	err := s.window.nextChunk()
	s.data, s.big = s.window.data, s.window.big
	return err
}

// record reads the next record, mark or time stamp. If it is not in the window as a whole, nothing happens, and need
// is the number of bytes to ask the window for.
func (s *stream) record(b *trace.Batch) (need uint64, err error) {
	w := s.window
	have := w.end - w.pos
	if have < 1 {
		return 1, nil
	}
	id := w.data[w.pos]
	switch {
	case id == idEndOfChunk:
		return 0, s.nextChunk()
	case id == idEndOfFile:
		return 0, s.finished()
	case id < 4: // the mark of the end of the buffer or of a chunk's begin, out of place
		return 0, corrupt(w.path, w.at(), "a record of id %d", id)
	case id == idTime && s.grammar.timed:
		if have < 9 {
			return 9, nil
		}
		t := load(w.data[w.pos+1:], 8, w.big)
		err := s.stamp(t)
		w.pos += 9
		return 0, err
	}
	l := s.grammar.layouts[id]
	header, length := formL(w, have)
	if l != nil && l.single {
		header, length = formS(w, have)
	}
	if length > math.MaxInt64 {
		return 0, corrupt(w.path, w.at(), "a record of %d bytes", length)
	}
	if total := header + length; total > uint64(have) {
		return total, nil
	}
	s.pos, s.end = w.pos+int(header), w.pos+int(header+length)
	if again, err := s.payloadOf(id, l, b); err != nil || again {
		return 0, err
	}
	w.pos += int(header + length)
	return 0, nil
}

// formL returns the lengths of header and payload of the record at the window's position, as far as the have bytes
// there tell: header+length is more than have if they do not.
func formL(w *window, have int) (header, length uint64) {
	if have < 2 {
		return 2, 0
	}
	if w.data[w.pos+1] != 0xff {
		return 2, uint64(w.data[w.pos+1])
	}
	if have < 10 {
		return 10, 0
	}
	return 10, load(w.data[w.pos+2:], 8, w.big)
}

// formS is formL for records of form S, whose payload begins with the integer's size byte.
func formS(w *window, have int) (header, length uint64) {
	if have < 2 {
		return 2, 0
	}
	size := w.data[w.pos+1]
	if size == 0xff {
		size = 0
	}
	return 1, 1 + uint64(size)
}

// payloadOf takes in the record whose payload the cursor stands at. If the record has a mark, ids that were not in use, or more than
// its fields, that is taken in first, as a record of its own, and again says that the record itself is still to come.
func (s *stream) payloadOf(id byte, l *layout, b *trace.Batch) (again bool, err error) {
	if id == idAttributes && s.grammar.timed {
		s.attributes()
		return false, s.failure(id)
	}
	if err := s.now(); err != nil {
		return false, err
	}
	if len(s.changes) > 0 {
		s.putChange(b)
		return true, nil
	}
	words, text, used := len(b.Words), len(b.Text), len(s.used)
	if l != nil {
		s.payload(l, b)
	}
	if err := s.failure(id); err != nil {
		b.Words, b.Text = b.Words[:words], b.Text[:text]
		return false, err
	}
	if take := s.ahead(l, b.Words[words:]); take != nil {
		b.Words, b.Text, s.used = b.Words[:words], b.Text[:text], s.used[:used]
		take(b)
		return true, nil
	}
	s.rested, s.settled, s.used = false, false, s.used[:0]
	if l == nil {
		s.unknown(id, b)
		return false, nil
	}
	if l.kind == trace.KindBufferFlush {
		s.flushed(b.Words[words:])
	}
	s.finish(b, l.kind)
	return false, nil
}

// ahead returns what takes in something that comes before a record with these words, as a record of its own; nil if nothing does.
func (s *stream) ahead(l *layout, words []uint64) func(*trace.Batch) {
	if s.mark.kind != 0 {
		return s.putMark
	}
	if len(s.used) > 0 && !s.settled {
		if s.settle(); len(s.changes) > 0 {
			return s.putChange
		}
	}
	if l != nil && !s.rested && s.hasRest(l, words) {
		return func(b *trace.Batch) { s.rest(l, b) }
	}
	return nil
}

// hasRest reports whether a record has more than its fields: bytes behind them, or an obsolete field that is not what it would be
// today.
func (s *stream) hasRest(l *layout, words []uint64) bool {
	return s.left() > 0 || l.obsolete != nil && s.obsolete != l.obsolete(words)
}

// rest takes in what a record has besides its fields.
func (s *stream) rest(l *layout, b *trace.Batch) {
	s.rested = true
	if s.left() > 0 {
		s.warnings.Add("record longer than known", "%s at byte %d of %s has %d bytes more",
			l.kind, s.window.at(), s.window.path, s.left())
	}
	obsolete := uint64(0)
	if l.obsolete != nil {
		obsolete = s.obsolete
	}
	b.Words = append(b.Words, obsolete, flagOf(s.big && s.left() > 0), putText(b, s.data[s.pos:s.end]))
	attrs := s.attrs
	s.attrs = nil
	s.finish(b, s.grammar.rest)
	s.attrs = attrs
}

func flagOf(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// failure returns the cursor's problem as an error.
func (s *stream) failure(id byte) error {
	if s.problem == "" {
		return nil
	}
	name := "attribute list"
	if l := s.grammar.layouts[id]; l != nil {
		name = l.kind.String()
	}
	return corrupt(s.window.path, s.window.at(), "%s: %s", name, s.problem)
}

// unknown carries a record of an unknown id as it is.
func (s *stream) unknown(id byte, b *trace.Batch) {
	b.Words = append(b.Words, uint64(id), flagOf(s.big), putText(b, s.data[s.pos:s.end]))
	s.finish(b, s.grammar.unknown)
	s.warnings.Add("unknown record", "id %d at byte %d of %s", id, s.window.at(), s.window.path)
}

// finish makes a record of the words appended last.
func (s *stream) finish(b *trace.Batch, kind trace.Kind) {
	b.Begin(kind, s.time)
	b.End()
	s.latestTime = s.time
	b.SetResidual(s.residual)
	if len(s.attrs) > 0 {
		b.SetAttrs(s.attrs)
		s.attrs = s.attrs[:0]
	}
}

// attributes reads an attribute list, which belongs to the next record.
func (s *stream) attributes() {
	const least = 3 // bytes of an attribute
	for range s.times(s.compressed(4), least) {
		id := s.global(trace.SpaceAttribute, s.compressed(4))
		code := s.byte()
		value := s.value(code)
		if space := valueForms[code].space; space != trace.SpaceNone {
			value = s.global(space, value)
		}
		a := trace.Attr{ID: id, Type: trace.ValueType(code), Value: value}
		if kind := s.marks.kindOf(&a); kind != 0 && s.mark.kind == 0 {
			s.mark = mark{kind, value}
		} else {
			s.attrs = append(s.attrs, a)
		}
	}
}

// finished is called at the mark of the end of the file.
func (s *stream) finished() error {
	if len(s.attrs) > 0 || s.mark.kind != 0 {
		s.warnings.Add("attribute list without a record", "at the end of %s", s.window.path)
	}
	s.window.close()
	return io.EOF
}
