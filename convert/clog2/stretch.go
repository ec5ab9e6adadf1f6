package clog2

import (
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/convert/mpe"
)

// stretchBytes is how much of a file is read at once when all of it is.
const stretchBytes = 16 * pieceBytes

// stretch is a part of a file that is walked by itself. What it says of the whole file is taken in stretch by stretch: until then its
// sources are those of its own lines.
type stretch struct {
	file    *file
	pieces  []piece
	records []*records // by piece
	next    piece      // what follows
	lines   lineTable
	ids     eventIDs
	defs    []definition
	comms   []commEvent
	done    bool // the log has ended,
	mark    bool // and says so
	err     error
	data    []byte // memory for the bytes of the file
	collector
}

// stretches are those that nobody uses.
var stretches = sync.Pool{New: func() any { return new(stretch) }}

func newStretch(f *file) *stretch {
	s := stretches.Get().(*stretch)
	s.file = f
	return s
}

// release gives the stretch up. Its records are kept by others.
func (s *stretch) release() {
	clear(s.records)
	clear(s.defs)
	clear(s.comms)
	s.pieces, s.records, s.defs, s.comms = s.pieces[:0], s.records[:0], s.defs[:0], s.comms[:0]
	s.lines.forget()
	s.ids.forget()
	s.file, s.done, s.mark, s.err = nil, false, false, nil
	s.slabs.size = 0
	stretches.Put(s)
}

// walk collects the pieces from first on that one read of the file covers, at most up to end.
func (s *stretch) walk(first piece, end int64) {
	n := min(s.file.atOnce, end-first.start)
	s.slabs.size = min(slabRecords, int(n)/leastRecord)
	s.data = slices.Grow(s.data[:0], int(n))
	data := s.data[:n]
	if s.err = s.file.fill(data, first.start); s.err != nil {
		return
	}
	s.next = first
	for behind := first.start + int64(len(data)); s.err == nil && !s.done; {
		n := min(pieceBytes, s.file.atOnce, end-s.next.start)
		if n == 0 && end < s.file.end || s.next.start+n > behind {
			return
		}
		s.piece(data[s.next.start-first.start:][:n])
	}
}

// piece walks along the next piece, of which data is what was read.
func (s *stretch) piece(data []byte) {
	var w walker
	w.begin(s.file, &s.next, data)
	p := s.next
	r, err := s.collect(&w, &p)
	s.pieces, s.records, s.err = append(s.pieces, p), append(s.records, r), err
	s.next, s.done, s.mark = piece{start: w.base + int64(w.next), shift: w.shift}, w.done, w.mark
}

// collect collects the records of a piece.
func (s *stretch) collect(w *walker, p *piece) (*records, error) {
	c := &s.collector
	c.begin()
	later := math.Inf(1)
	for w.step() {
		t := w.float64(w.record)
		if !(math.Abs(t) < maxSeconds) {
			return nil, mpe.Corrupt(w.path, p.start+int64(w.at), "a record of time %v", t)
		}
		if t < later {
			later = t
		}
		c.add(sourceOf(s.lines.number(w.line(w.record)), w.typ), t, s.what(w))
	}
	p.later = later
	for i := range c.runs {
		s.lines.counts[c.runs[i].source/2] += uint64(c.runs[i].to)
	}
	return c.sorted(w.data), w.err
}

// what returns what a record is, and notes what it says of more than itself.
func (s *stretch) what(w *walker) what {
	switch w.typ {
	case typeBare:
		id := w.int32(w.record[headerBytes:])
		if n, ok := nearID(id); ok {
			s.ids.near[n] = true
			return what(n)
		}
		s.ids.note(id)
	case typeMessage:
		return w.message()
	case typeCargo:
		s.ids.note(w.int32(w.record[headerBytes:]))
	case typeStateDef, typeEventDef:
		s.defs = append(s.defs, w.definition())
	case typeComm:
		s.comms = append(s.comms, w.commEvent())
	}
	return payloadAt(w.typ, w.at+headerBytes)
}

// message returns what the current record, a message, is.
func (w *walker) message() what {
	payload, at := w.record[headerBytes:], w.at+headerBytes
	if w.finished && w.int32(payload[4:]) == w.line(w.record).comm {
		switch w.int32(payload) {
		case eventSend:
			return payloadAt(typeSend, at+endAt)
		case eventReceive:
			return payloadAt(typeReceive, at+endAt)
		}
	}
	return payloadAt(typeMessage, at)
}

// renumber gives the records the lines that they have in the file.
func (s *stretch) renumber(lines []int32) {
	for _, r := range s.records {
		for i := range r.runs {
			source := &r.runs[i].source
			*source = 2*lines[*source/2] + *source%2
		}
	}
}
