package chrome

import (
	"encoding/binary"

	"github.com/pandotrace/pando/trace"
)

// Ranks of records of equal times: first events as they stand in the file, then receives, sends, and slices, the longest
// first. Of receives and sends these are the last ones, as messages are taken in from the last to the first. Begins that have the
// company of other begins get the ranks of slices, and ends may get small ones; see nest.go.
const (
	receiveRank = 1 << 61
	sendRank    = 1 << 62
	sliceRank   = 1 << 63
)

// reader makes records of the events of a file.
type reader struct {
	document
	names       names
	locations   locations
	sorted      *sorter
	flows       *sorter
	finest      int     // digits behind the point that times have
	most        int64   // µs from 0 that times are away, at most
	first       instant // the earliest time
	last        instant
	messages    uint64 // messages taken in so far
	calls       uint64 // begins and slices taken in so far
	begins      bool   // there are begins, slices, and ends that say what they end
	slices      bool
	namedEnds   bool
	event       event
	record      []byte
	list        []attribute
	texts       []byte
	room        []byte
	key         []byte
	joint       []byte
	pointRecord []byte
	values      []uint64
	memberIDs   []uint32
}

// line returns the number of the line that the event begins on.
func (r *reader) line() int64 { return r.lines + 1 }

// read takes in the file.
func (r *reader) read() error {
	r.document.event = func(s *scan) error {
		r.event.reset()
		if err := s.members(r.set); err != nil {
			return err
		}
		return r.handle(&r.event)
	}
	return r.document.read()
}

func (r *reader) set(key, value []byte) error {
	r.event.set(key, value)
	return nil
}

// handle takes in an event.
func (r *reader) handle(e *event) error {
	if e.phase == 'M' {
		return r.metadata(e)
	}
	if e.phase == 0 && len(e.ts) == 0 && len(e.name) == 0 {
		return nil // a place holder behind the last comma
	}
	if len(e.ts) == 0 {
		r.warnings.Add("event without a time", "line %d", r.line())
		return nil
	}
	at, ok := r.instant(e.ts)
	if !ok {
		r.warnings.Add("event with a bad time", "line %d: %.40s", r.line(), e.ts)
		return nil
	}
	l := r.locations.get(place{r.identOf(e.pid), r.identOf(e.tid)})
	if len(r.locations.list) > maxLocations || r.names.full() {
		return r.failure(trace.ErrUnsupported, "more than %d threads or %d names", maxLocations, maxNames)
	}
	r.note(at)
	if len(e.bind) > 0 {
		if err := r.bound(e, l, at); err != nil {
			return err
		}
	}
	return r.put(e, l, at)
}

// put makes the record of an event.
func (r *reader) put(e *event, l uint32, at instant) error {
	switch e.phase {
	case 'X':
		return r.slice(e, l, at)
	case 'B', 'E':
		return r.edge(e, l, at)
	case 'C':
		return r.counter(e, l, at)
	case 's', 't', 'f':
		return r.flow(e, l, at)
	case 'b', 'S':
		return r.span(e, l, at, trace.KindSpanBegin)
	case 'e', 'F':
		return r.span(e, l, at, trace.KindSpanEnd)
	case 'n', 'T', 'p':
		return r.span(e, l, at, trace.KindSpanPoint)
	case 'i', 'I', 'R':
		return r.simple(e, l, at, trace.KindSoloEvent, uint64(r.category(e)), none)
	case 'N', 'O', 'D', 'v', 'V', 'c', '(', ')', 'P':
	default:
		r.warnings.Add("event of unknown phase", "line %d: %q", r.line(), e.phase)
	}
	id := r.span64(e)
	if len(e.id) > 0 {
		e.fields = append(e.fields, field{[]byte(`"id"`), e.id})
	}
	return r.simple(e, l, at, trace.KindPhaseEvent, uint64(r.category(e)), uint64(e.phase), id)
}

// instant reads a time or a duration.
func (r *reader) instant(value []byte) (instant, bool) {
	d, ok := number(value)
	if !ok {
		return instant{}, false
	}
	t, exact, ok := d.instant()
	if !exact {
		r.warnings.Add("digits of a time that are not kept", "line %d: %.40s", r.line(), value)
	}
	if t.frac%(fracUnit/1000) != 0 {
		r.finest = max(r.finest, t.digits())
	}
	return t, ok
}

// note widens the time that the trace takes.
func (r *reader) note(t instant) {
	if r.last.before(r.first) || t.before(r.first) {
		r.first = t
	}
	if r.last.before(t) {
		r.last = t
	}
	r.most = max(r.most, t.us+1, -t.us)
}

func (r *reader) name(e *event) uint32 {
	return r.names.strings.id(r.valid(text(e.name, &r.room)))
}

func (r *reader) cat(e *event) uint32 {
	return r.names.strings.id(r.valid(text(e.cat, &r.room)))
}

func (r *reader) region(e *event) uint32 {
	name := r.name(e)
	return r.names.regions.id(name, r.cat(e))
}

func (r *reader) category(e *event) uint32 {
	name := r.name(e)
	return r.names.categories.id(name, r.cat(e))
}

// add gives the record to the sorter, with the event's attributes.
func (r *reader) add(l uint32, at instant, rank uint64, records uint64, list []attribute) error {
	r.record = appendAttributes(r.record, list)
	r.locations.list[l].count(records, at)
	return r.sorted.add(key{uint64(l), rank, at}, r.record)
}

// simple takes in an event that becomes one of a kind.
func (r *reader) simple(e *event, l uint32, at instant, kind trace.Kind, words ...uint64) error {
	r.record = appendEvent(r.record[:0], kind, words...)
	return r.add(l, at, 0, 1, r.arguments(e))
}

// slice takes in a whole call.
func (r *reader) slice(e *event, l uint32, at instant) error {
	var d instant
	if len(e.dur) > 0 {
		var ok bool
		if d, ok = r.instant(e.dur); !ok || d.us < 0 {
			r.warnings.Add("slice with a bad duration", "line %d: %.40s", r.line(), e.dur)
			e.fields = append(e.fields, field{[]byte(`"dur"`), e.dur})
			d = instant{}
		}
	} else {
		r.warnings.Add("slice without a duration", "line %d", r.line())
	}
	end := at.plus(d)
	if end.us >= maxMicroseconds {
		r.warnings.Add("slice with a bad duration", "line %d: %.40s", r.line(), e.dur)
		end, d = at, instant{}
	}
	r.note(end)
	r.record = r.place(opSlice)
	r.record = binary.AppendUvarint(r.record, uint64(r.region(e)))
	r.record = binary.AppendUvarint(r.record, uint64(d.us))
	r.record = binary.AppendUvarint(r.record, uint64(d.frac))
	r.slices = true
	return r.add(l, at, lengthRank(d), 2, r.arguments(e))
}

// place begins the record of a begin or a slice with its place among those of the file.
func (r *reader) place(o op) []byte {
	r.calls++
	return binary.AppendUvarint(append(r.record[:0], byte(o)), r.calls)
}

// edge takes in the begin or the end of a call.
func (r *reader) edge(e *event, l uint32, at instant) error {
	o, what := opBegin, uint64(0)
	if e.phase == 'E' {
		o = opEnd
	}
	r.begins = r.begins || o == opBegin
	r.namedEnds = r.namedEnds || o == opEnd && len(e.name) > 0
	if o == opBegin || len(e.name) > 0 {
		what = uint64(r.region(e)) + 1
	}
	r.record = append(r.record[:0], byte(o))
	if o == opBegin {
		r.record = r.place(o)
	}
	r.record = binary.AppendUvarint(r.record, what)
	return r.add(l, at, 0, 1, r.arguments(e))
}

// span takes in an asynchronous event.
func (r *reader) span(e *event, l uint32, at instant, kind trace.Kind) error {
	id := r.span64(e)
	switch e.phase {
	case 'S', 'F', 'T', 'p':
		e.fields = append(e.fields, field{[]byte(`"ph"`), []byte{'"', e.phase, '"'}})
	}
	if len(e.id) > 0 && !isNumberID(text(e.id, &r.room)) {
		e.fields = append(e.fields, field{[]byte(`"id"`), e.id})
	}
	return r.simple(e, l, at, kind, uint64(r.region(e)), id)
}

// span64 returns the number of an event's id; ids of a process alone are told from those of others.
func (r *reader) span64(e *event) uint64 {
	id := r.number(e.id)
	if len(e.id) > 0 && e.id[0] == '{' {
		id = hash(id, e.pid)
	}
	return id
}
