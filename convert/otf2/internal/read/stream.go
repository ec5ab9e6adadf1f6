package read

import (
	"io"
	"math"
	"os"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Stream reads the records of one chunked file, a window at a time. It implements trace.Stream.
type Stream struct {
	decoder
	window   *Window
	grammar  *form.Grammar
	location uint64
	warnings *trace.Warnings

	Clock    *trace.Clock // nil if times are not corrected
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
	Marks      *form.Marks  // attributes that encode records
	mark       form.Mark    // of the next record
	rested     bool         // what the next record has besides its fields was taken in
	err        error        // final
}

// NewStream reads from a window that was not read yet. maps are nil if ids are global; clock is nil if times are right.
func NewStream(w *Window, g *form.Grammar, location, epoch uint64, maps *form.Mappings, clock *trace.Clock, warn *trace.Warnings) *Stream {
	if maps == nil {
		maps = &form.NoMappings
	}
	latest := epoch + form.MaxSpan
	if clock != nil && clock.Corrects() {
		latest = math.MaxUint64 // the corrected time, modulo 2^64, decides
	} else {
		clock = nil
	}
	return &Stream{decoder: decoder{epoch: epoch, maps: maps}, window: w, grammar: g, location: location,
		warnings: warn, Marks: &form.Marks{}, Clock: clock, latest: latest, time: math.MinInt64, latestTime: math.MinInt64}
}

// Next gives the records up to max that are complete in the current window.
func (s *Stream) Next(b *trace.Batch, max int) error {
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
func (s *Stream) Close() error {
	s.err = os.ErrClosed
	s.window.close()
	return nil
}

// read appends records until there are max, or the window has no other complete one; then, if there is none at all, it
// moves the window.
func (s *Stream) read(b *trace.Batch, max int) error {
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
		s.Data = s.window.data
	}
	return nil
}

func (s *Stream) nextChunk() error {
	err := s.window.nextChunk()
	s.Data, s.Big = s.window.data, s.window.big
	return err
}

// record reads the next record, mark or time stamp. If it is not in the window as a whole, nothing happens, and need
// is the number of bytes to ask the window for.
func (s *Stream) record(b *trace.Batch) (need uint64, err error) {
	w := s.window
	have := w.end - w.pos
	if have < 1 {
		return 1, nil
	}
	id := w.data[w.pos]
	switch {
	case id == form.IdEndOfChunk:
		return 0, s.nextChunk()
	case id == form.IdEndOfFile:
		return 0, s.finished()
	case id < 4: // the mark of the end of the buffer or of a chunk's begin, out of place
		return 0, form.Corrupt(w.Path, w.at(), "a record of id %d", id)
	case id == form.IdTime && s.grammar.Timed:
		if have < 9 {
			return 9, nil
		}
		t := form.Load(w.data[w.pos+1:], 8, w.big)
		err := s.stamp(t)
		w.pos += 9
		return 0, err
	}
	l := s.grammar.Layouts[id]
	header, length := formL(w, have)
	if l != nil && l.Single {
		header, length = formS(w, have)
	}
	if length > math.MaxInt64 {
		return 0, form.Corrupt(w.Path, w.at(), "a record of %d bytes", length)
	}
	if total := header + length; total > uint64(have) {
		return total, nil
	}
	s.Pos, s.End = w.pos+int(header), w.pos+int(header+length)
	if again, err := s.payloadOf(id, l, b); err != nil || again {
		return 0, err
	}
	w.pos += int(header + length)
	return 0, nil
}

// formL returns the lengths of header and payload of the record at the window's position, of which the window has `have` bytes. header+length
// is more than have if the lengths are not among these bytes.
func formL(w *Window, have int) (header, length uint64) {
	if have < 2 {
		return 2, 0
	}
	if w.data[w.pos+1] != 0xff {
		return 2, uint64(w.data[w.pos+1])
	}
	if have < 10 {
		return 10, 0
	}
	return 10, form.Load(w.data[w.pos+2:], 8, w.big)
}

// formS is formL for records of form S, whose payload begins with the integer's size byte.
func formS(w *Window, have int) (header, length uint64) {
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
func (s *Stream) payloadOf(id byte, l *form.Layout, b *trace.Batch) (again bool, err error) {
	if id == form.IdAttributes && s.grammar.Timed {
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
	if l.Kind == trace.KindBufferFlush {
		s.flushed(b.Words[words:])
	}
	s.finish(b, l.Kind)
	return false, nil
}

// ahead returns what takes in something that comes before a record with these words, as a record of its own; nil if nothing does.
func (s *Stream) ahead(l *form.Layout, words []uint64) func(*trace.Batch) {
	if s.mark.Kind != 0 {
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
func (s *Stream) hasRest(l *form.Layout, words []uint64) bool {
	return s.Left() > 0 || l.Obsolete != nil && s.obsolete != l.Obsolete(words)
}

// rest takes in what a record has besides its fields.
func (s *Stream) rest(l *form.Layout, b *trace.Batch) {
	s.rested = true
	if s.Left() > 0 {
		s.warnings.Add("record longer than known", "%s at byte %d of %s has %d bytes more",
			l.Kind, s.window.at(), s.window.Path, s.Left())
	}
	obsolete := uint64(0)
	if l.Obsolete != nil {
		obsolete = s.obsolete
	}
	b.Words = append(b.Words, obsolete, flagOf(s.Big && s.Left() > 0), putText(b, s.Data[s.Pos:s.End]))
	attrs := s.attrs
	s.attrs = nil
	s.finish(b, s.grammar.Rest)
	s.attrs = attrs
}

func flagOf(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// failure returns the cursor's problem as an error.
func (s *Stream) failure(id byte) error {
	if s.Problem == "" {
		return nil
	}
	name := "attribute list"
	if l := s.grammar.Layouts[id]; l != nil {
		name = l.Kind.String()
	}
	return form.Corrupt(s.window.Path, s.window.at(), "%s: %s", name, s.Problem)
}

// unknown keeps a record of an unknown id unparsed.
func (s *Stream) unknown(id byte, b *trace.Batch) {
	b.Words = append(b.Words, uint64(id), flagOf(s.Big), putText(b, s.Data[s.Pos:s.End]))
	s.finish(b, s.grammar.Unknown)
	s.warnings.Add("unknown record", "id %d at byte %d of %s", id, s.window.at(), s.window.Path)
}

// finish makes a record of the words appended last.
func (s *Stream) finish(b *trace.Batch, kind trace.Kind) {
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
func (s *Stream) attributes() {
	const least = 3 // bytes of an attribute
	for range s.Times(s.Compressed(4), least) {
		id := s.global(trace.SpaceAttribute, s.Compressed(4))
		code := s.Byte()
		value := s.Value(code)
		if space := form.ValueForms[code].Space; space != trace.SpaceNone {
			value = s.global(space, value)
		}
		a := trace.Attr{ID: id, Type: trace.ValueType(code), Value: value}
		if kind := s.Marks.KindOf(&a); kind != 0 && s.mark.Kind == 0 {
			s.mark = form.Mark{Kind: kind, Time: value}
		} else {
			s.attrs = append(s.attrs, a)
		}
	}
}

// finished is called at the mark of the end of the file.
func (s *Stream) finished() error {
	if len(s.attrs) > 0 || s.mark.Kind != 0 {
		s.warnings.Add("attribute list without a record", "at the end of %s", s.window.Path)
	}
	s.window.close()
	return io.EOF
}
