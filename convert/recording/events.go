package recording

import (
	"encoding/binary"
	"strconv"

	"github.com/pandotrace/pando/trace"
)

func utoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// event is an event that is no call's.
type event struct {
	time  uint64
	kind  trace.Kind
	words []uint64
}

// feed reads the events of one kind of bins.
type feed struct {
	chain
	event
	whole  wholeRecords
	full   bool   // event is the next one
	all    bool   // also what is missing, and what was before the horizon
	fixes  []fix  // of events
	number uint64 // of the next event
	marks  bool   // markers are wanted, and no events
}

// head returns the next event.
func (e *feed) head() (*event, bool) {
	for !e.full && !e.done {
		if e.pos == 0 && !e.load() {
			e.done = true
			break
		}
		if e.pos == binHeader {
			e.whole.count = 0
		}
		if !e.decodeEvent() {
			e.pos = 0
			continue
		}
		e.full = e.full && (e.all || e.event.time >= e.f.horizon && e.fixed())
		if e.event.time > e.f.end() {
			e.done, e.full = true, false
		}
	}
	return &e.event, e.full
}

// fixed does what becomes of an event whose message or request lost its other end, and reports whether it is there.
func (e *feed) fixed() bool {
	e.number++
	if len(e.fixes) == 0 || e.fixes[0].event != e.number-1 {
		return true
	}
	x := e.fixes[0]
	e.fixes = e.fixes[1:]
	if x.kind != 0 {
		e.kind, e.words = x.kind, e.words[:x.words]
	}
	return x.kind != 0
}

// decodeEvent reads a record of an event, or a repeat of one. full tells whether they make an event.
func (e *feed) decodeEvent() bool {
	p := e.buf[e.pos:e.f.bin]
	const least = 2
	if len(p) < least || p[0] == 0 {
		return false
	}
	record := e.decodeWhole
	if p[0]&repeat != 0 {
		record = e.decodeRepeat
	}
	delta, size, ok := record(p)
	if !ok {
		return false
	}
	t := e.chain.time + delta
	if t < e.chain.time || t >= endOfTime {
		e.bad("an event %d after %d", delta, e.chain.time)
		return false
	}
	switch e.full = !e.marks && known(e.kind, e.words); {
	case e.kind == trace.KindMarker && e.f.marks.has(e.words):
		e.full = e.marks
	case e.kind == missing && (len(e.words) == 0 || len(e.words) == leftWords || len(e.words) == numberWords):
		e.full = e.all
	case !e.full && !e.marks:
		e.f.warnings.Add("event that is none", "%s: kind %d with the words %d", e.f.path, e.kind, e.words)
	}
	e.chain.time, e.event.time = t, t
	e.pos += size
	return true
}

// decodeWhole reads a record: tag, kind, time since the record before, words.
func (e *feed) decodeWhole(p []byte) (delta uint64, size int, ok bool) {
	const kindAt, timeAt = 1, 3
	if len(p) <= timeAt {
		return 0, 0, false
	}
	e.kind = trace.Kind(le.Uint16(p[kindAt:]))
	delta, n := binary.Uvarint(p[timeAt:])
	if n <= 0 {
		e.bad("no event")
		return 0, 0, false
	}
	size = timeAt + n
	e.words = e.words[:0]
	for range p[0] - 1 {
		w, n := binary.Uvarint(p[size:])
		if n <= 0 {
			e.bad("an event that is cut off")
			return 0, 0, false
		}
		size += n
		e.words = append(e.words, w)
	}
	e.whole.add(e.kind, e.words)
	return delta, size, true
}

// decodeRepeat reads a record with the kind and the words of one before: tag, time since the record before, and by what a request differs.
func (e *feed) decodeRepeat(p []byte) (delta uint64, size int, ok bool) {
	r := e.whole.at(p[0] &^ repeat)
	if r == nil {
		e.bad("an event like one that is not there")
		return 0, 0, false
	}
	delta, n := binary.Uvarint(p[1:])
	if n <= 0 {
		e.bad("no event")
		return 0, 0, false
	}
	size = 1 + n
	if request := r.request(); request != nil {
		by, n := binary.Uvarint(p[size:])
		if n <= 0 {
			e.bad("an event that is cut off")
			return 0, 0, false
		}
		size += n
		*request += by>>1 ^ -(by & 1)
	}
	e.kind, e.words = r.kind, append(e.words[:0], r.words[:r.count]...)
	return delta, size, true
}

// known reports whether words make an event of a kind that may stand in a recording.
func known(kind trace.Kind, words []uint64) bool {
	if kind < trace.KindMeasurementOnOff || kind > trace.KindCommDestroy || kind == trace.KindEnter || kind == trace.KindLeave {
		return false
	}
	spec := trace.Standard.Spec(kind)
	if spec == nil {
		return false
	}
	if _, ok := spec.Count(words); !ok {
		return false
	}
	fits := true
	at := 0
	spec.Walk(words, func(_ int, f *trace.Field, word uint64) {
		fits = fits && !f.Type.InText() && (f.Bits == 0 || f.Bits >= 64 || word>>f.Bits == 0)
		at++
	})
	return fits
}
