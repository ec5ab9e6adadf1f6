package read

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/convert/chrome/internal/sorting"
	"github.com/pandotrace/pando/trace"
)

// Ranks of records of equal times: first events as they stand in the file, then receives, sends, and slices, the longest
// first. Of receives and sends these are the last ones, as messages are taken in from the last to the first. Begins that have the
// company of other begins get the ranks of slices, and ends may get small ones; see nest.go.
const (
	receiveRank = 1 << 61
	sendRank    = 1 << 62
	SliceRank   = 1 << 63
)

// reader makes records of the events of a file.
type reader struct {
	Document
	warnings    *trace.Warnings
	names       names
	Locations   locations
	Sorted      *sorting.Threads
	flows       *sorting.Sorter
	doubles     bool         // times are doubles, as the first events tell: what is finer than picoseconds is noise
	finest      int          // digits behind the point that times have
	most        int64        // µs from 0 that times are away, at most
	first       scan.Instant // the earliest time
	last        scan.Instant
	messages    uint64 // messages taken in so far
	calls       uint64 // begins and slices taken in so far
	begins      bool   // there are begins, slices, and ends that say what they end
	slices      bool
	namedEnds   bool
	recent      recent
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
	inside      []scan.Member // of arguments
}

// read takes in the file.
func (r *reader) read() error {
	f := newFeed(&r.Document)
	opening, err := r.opening(f)
	for i := 0; i < len(opening) && err == nil; i++ {
		err = r.take(f, opening[i])
	}
	if err != nil {
		return err
	}
	for b := range f.full {
		if err := r.take(f, b); err != nil {
			return err
		}
	}
	r.event, r.inside = event{}, nil
	return f.err
}

// take takes in a batch.
func (r *reader) take(f *feed, b *Batch) error {
	for i := range b.Len() {
		b.event(&r.event, i)
		if err := r.handle(&r.event); err != nil {
			f.stop()
			return err
		}
	}
	f.done(b)
	return nil
}

// enoughTimed is how many events with times tell how the times of a file were written.
const enoughTimed = 64

// opening returns the first batches with times, and finds out of them whether these are doubles: a time of more digits than clocks count was computed with such. What has no times, as the names of threads, is taken in at once. One
// batch is left to read on, and after a large one there is none.
func (r *reader) opening(f *feed) (list []*Batch, err error) {
	timed := 0
	for b := range f.full {
		for i := range b.Len() {
			b.event(&r.event, i)
			if len(r.event.ts()) > 0 {
				timed++
			}
			r.doubles = r.doubles || fine(r.event.ts()) || fine(r.event.dur())
		}
		if timed == 0 {
			if err := r.take(f, b); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, b)
		if r.doubles || timed >= enoughTimed || len(list) == batchesAhead-1 || b.large() {
			break
		}
	}
	return list, nil
}

// fine reports whether a time has more digits than an instant.
func fine(value []byte) bool {
	d, _ := number(value)
	return d.Finer(scan.FracDigits)
}

// handle takes in an event.
func (r *reader) handle(e *event) error {
	if e.phase == 'M' {
		return r.metadata(e)
	}
	if e.phase == 0 && len(e.ts()) == 0 && len(e.name()) == 0 {
		return nil // a place holder behind the last comma
	}
	if len(e.ts()) == 0 {
		r.warnings.Add("event without a time", "line %d", r.event.line)
		return nil
	}
	at, ok := r.instant(e.ts())
	if !ok {
		r.warnings.Add("event with a bad time", "line %d: %.40s", r.event.line, e.ts())
		return nil
	}
	l := r.Locations.get(place{r.identOf(e.pid()), r.identOf(e.tid())})
	if err := r.limits(); err != nil {
		return err
	}
	r.note(at)
	if len(e.bind()) > 0 {
		if err := r.bound(e, l, at); err != nil {
			return err
		}
	}
	return r.put(e, l, at)
}

// put makes the record of an event.
func (r *reader) put(e *event, l uint32, at scan.Instant) error {
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
		r.warnings.Add("event of unknown phase", "line %d: %q", r.event.line, e.phase)
	}
	id := r.span64(e)
	if len(e.id()) > 0 {
		e.fields = append(e.fields, field{[]byte(`"id"`), e.id()})
	}
	return r.simple(e, l, at, trace.KindPhaseEvent, uint64(r.category(e)), uint64(e.phase), id)
}

// instant reads a time or a duration.
func (r *reader) instant(value []byte) (scan.Instant, bool) {
	const pico = scan.FracUnit / 1_000_000
	text := unquoted(value)
	t, ok := scan.PlainInstant(text)
	exact := ok
	if !ok {
		var d scan.Decimal
		if d, ok = scan.ParseDecimal(text); !ok {
			return scan.Instant{}, false
		}
		t, exact, ok = d.Instant()
	}
	if r.doubles && (!exact || t.Frac%pico != 0) {
		if double, is := scan.Double(text); is {
			t, exact = double, true
		}
		exact = exact && t.Frac%pico == 0
		t = t.Picoseconds()
	}
	if !exact {
		r.warnings.Add("digits of a time that are not kept", "line %d: %.40s", r.event.line, value)
	}
	if t.Frac%(scan.FracUnit/1000) != 0 {
		r.finest = max(r.finest, t.Digits())
	}
	return t, ok
}

// note widens the time that the trace takes.
func (r *reader) note(t scan.Instant) {
	if r.last.Before(r.first) || t.Before(r.first) {
		r.first = t
	}
	if r.last.Before(t) {
		r.last = t
	}
	r.most = max(r.most, t.Micros+1, -t.Micros)
}

func (r *reader) name(e *event) uint32 {
	return r.names.strings.id(r.valid(scan.Text(e.name(), &r.room)))
}

func (r *reader) cat(e *event) uint32 {
	return r.names.strings.id(r.valid(scan.Text(e.cat(), &r.room)))
}

func (r *reader) region(e *event) uint32 {
	p := r.recent.place(e.name(), e.cat())
	if p.is(e.name(), e.cat()) {
		return p.region
	}
	name := r.name(e)
	region := r.names.regions.id(name, r.cat(e))
	if utf8.Valid(e.name()) && utf8.Valid(e.cat()) { // else each time is a warning
		p.set(e.name(), e.cat(), region)
	}
	return region
}

func (r *reader) category(e *event) uint32 {
	name := r.name(e)
	return r.names.categories.id(name, r.cat(e))
}

// add gives the record to the sorter, with the event's attributes.
func (r *reader) add(l uint32, at scan.Instant, rank uint64, records uint64, list []attribute) error {
	r.record = appendAttributes(r.record, list)
	r.Locations.List[l].count(records, at)
	return r.Sorted.Add(sorting.Key{Group: uint64(l), Rank: rank, Time: at}, r.record)
}

// simple takes in an event that becomes one of a kind.
func (r *reader) simple(e *event, l uint32, at scan.Instant, kind trace.Kind, words ...uint64) error {
	r.record = appendEvent(r.head(opEvent), kind, words...)
	return r.add(l, at, 0, 1, r.arguments(e))
}

// slice takes in a whole call.
func (r *reader) slice(e *event, l uint32, at scan.Instant) error {
	var d scan.Instant
	if len(e.dur()) > 0 {
		var ok bool
		if d, ok = r.instant(e.dur()); !ok || d.Micros < 0 {
			r.warnings.Add("slice with a bad duration", "line %d: %.40s", r.event.line, e.dur())
			e.fields = append(e.fields, field{[]byte(`"dur"`), e.dur()})
			d = scan.Instant{}
		}
	} else {
		r.warnings.Add("slice without a duration", "line %d", r.event.line)
	}
	end := at.Plus(d)
	if end.Micros >= scan.MaxMicroseconds {
		r.warnings.Add("slice with a bad duration", "line %d: %.40s", r.event.line, e.dur())
		end, d = at, scan.Instant{}
	}
	r.note(end)
	if l := &r.Locations.List[l]; !l.stream {
		l.stream = r.onStream(e)
	}
	r.record = r.head(OpSlice)
	r.record = binary.AppendUvarint(r.record, uint64(r.region(e)))
	r.record = binary.AppendUvarint(r.record, uint64(d.Micros))
	r.record = binary.AppendUvarint(r.record, uint64(d.Frac))
	r.slices = true
	return r.add(l, at, lengthRank(d), 2, r.arguments(e))
}

// head begins the record of an event.
func (r *reader) head(o op) []byte {
	call := o == opBegin || o == OpSlice
	if call {
		r.calls++
	} else if !r.slices {
		return append(r.record[:0], byte(o))
	}
	place := 2 * r.calls
	if !call {
		place++
	}
	return binary.AppendUvarint(append(r.record[:0], byte(o|Placed)), place)
}

// edge takes in the begin or the end of a call.
func (r *reader) edge(e *event, l uint32, at scan.Instant) error {
	o, what := opBegin, uint64(0)
	if e.phase == 'E' {
		o = opEnd
	}
	r.begins = r.begins || o == opBegin
	r.namedEnds = r.namedEnds || o == opEnd && len(e.name()) > 0
	if o == opBegin || len(e.name()) > 0 {
		what = uint64(r.region(e)) + 1
	}
	r.record = binary.AppendUvarint(r.head(o), what)
	return r.add(l, at, 0, 1, r.arguments(e))
}

// span takes in an asynchronous event.
func (r *reader) span(e *event, l uint32, at scan.Instant, kind trace.Kind) error {
	id := r.span64(e)
	switch e.phase {
	case 'S', 'F', 'T', 'p':
		e.fields = append(e.fields, field{[]byte(`"ph"`), []byte{'"', e.phase, '"'}})
	}
	if len(e.id()) > 0 && !isNumberID(scan.Text(e.id(), &r.room)) {
		e.fields = append(e.fields, field{[]byte(`"id"`), e.id()})
	}
	return r.simple(e, l, at, kind, uint64(r.region(e)), id)
}

// span64 returns the number of an event's id; ids that are local to a process are distinguished from those of other processes.
func (r *reader) span64(e *event) uint64 {
	id := r.number(e.id())
	if isLocal(e.id()) {
		id = hash(id, e.pid())
	}
	return id
}

// isLocal reports whether an id is one of a process alone: {"local":"0x1"}, and not {"global":"0x1"}.
func isLocal(id []byte) bool {
	return len(id) > 0 && id[0] == '{' && !bytes.HasPrefix(bytes.TrimLeft(id[1:], " \t\r\n"), []byte(`"global"`))
}
