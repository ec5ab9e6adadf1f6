package otf2

import (
	"bytes"
	"math"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// An archive has no records that say where a trace was cut. What was put in there has an attribute instead, whose value is the time
// that the event had in the whole trace, in ticks of the trace's clock. An archive that has such events ends its definitions with
// those of the attributes, and it is these very definitions by which a reader knows them.
const (
	cutBeforeName  = "pando.cut.before"
	cutAfterName   = "pando.cut.after"
	cutDescription = "when this event was, before the trace was cut"
)

// marks are the attributes that stand for the records CutBefore and CutAfter. The zero value is those of an archive that has none.
type marks struct {
	before, after uint64 // ids of attributes
	definitions   []trace.Record
}

// marksFor gives the attributes ids that the definitions leave free.
func marksFor(defs []trace.Record) marks {
	strings, attributes := freeID(defs, trace.KindString), freeID(defs, trace.KindAttribute)
	var m marks
	text := func(s string) uint64 {
		id := strings()
		m.definitions = append(m.definitions, trace.Record{Kind: trace.KindString, Words: []uint64{id, uint64(len(s))}, Text: []byte(s)})
		return id
	}
	description := text(cutDescription)
	define := func(name string) uint64 {
		id, nameID := attributes(), text(name)
		m.definitions = append(m.definitions, trace.Record{Kind: trace.KindAttribute, Words: []uint64{id, nameID, uint64(trace.ValueUint64), description}})
		return id
	}
	m.before, m.after = define(cutBeforeName), define(cutAfterName)
	return m
}

// freeID returns a function that gives ids which no definition of a kind has: those behind the greatest one, as long as there are
// any, since local ids are smaller than that.
func freeID(defs []trace.Record, kind trace.Kind) func() uint64 {
	taken, next := map[uint64]bool{}, uint64(0)
	for i := range defs {
		if d := &defs[i]; d.Kind == kind {
			taken[d.Words[0]] = true
			next = max(next, d.Words[0]+1)
		}
	}
	return func() uint64 {
		for next >= undefined32 || taken[next] {
			if next++; next > undefined32 {
				next = 0
			}
		}
		taken[next] = true
		next++
		return next - 1
	}
}

// takeMarks takes the definitions of marks out of those of an archive, if they end with them.
func takeMarks(defs []trace.Record) ([]trace.Record, marks) {
	n := len(defs) - markDefinitions
	if n < 0 || string(defs[n].Text) != cutDescription {
		return defs, marks{}
	}
	m := marksFor(defs[:n])
	if !slices.EqualFunc(defs[n:], m.definitions, sameRecord) {
		return defs, marks{}
	}
	return defs[:n], m
}

// markDefinitions is how many definitions there are of marks: three strings, two attributes.
const markDefinitions = 5

func sameRecord(a, b trace.Record) bool {
	return a.Kind == b.Kind && slices.Equal(a.Words, b.Words) && bytes.Equal(a.Text, b.Text)
}

// kindOf returns what an attribute stands for, 0 if it is an ordinary one.
func (m *marks) kindOf(a *trace.Attr) trace.Kind {
	switch {
	case m.definitions == nil || a.Type != trace.ValueUint64:
		return 0
	case a.ID == m.before:
		return trace.KindCutBefore
	case a.ID == m.after:
		return trace.KindCutAfter
	}
	return 0
}

// attribute returns the attribute that stands for a mark: time is in ticks of the trace's clock.
func (m *marks) attribute(kind trace.Kind, time uint64) trace.Attr {
	id := m.before
	if kind == trace.KindCutAfter {
		id = m.after
	}
	return trace.Attr{ID: id, Type: trace.ValueUint64, Value: time}
}

// mark is one that belongs to the next event; its kind is 0 if there is none.
type mark struct {
	kind trace.Kind
	time uint64 // in ticks of the trace's clock
}

// putMark appends the mark of the next event as a record of its own.
func (s *stream) putMark(b *trace.Batch) {
	b.Words = append(b.Words, s.mark.time-s.epoch)
	attrs := s.attrs
	s.attrs = nil
	s.finish(b, s.mark.kind)
	s.attrs, s.mark = attrs, mark{}
}

// marking makes marks in a file of events. Events that were put in stand at the time of the cut, of which the clock does not know
// exactly when it was locally: it was not after the location's own first event, nor before its last one. So those at the begin wait
// for that event.
type marking struct {
	*marks
	table  *trace.Table
	next   mark        // of the next event
	made   bool        // there was one
	past   bool        // the location's own events have begun
	waits  trace.Batch // marks, each with its event
	latest uint64      // local time of the location's first own event
}

// mostWaiting bounds the events that wait and their marks. With more, which no cut makes, those behind stand as they are.
const mostWaiting = 1 << 16

// waitsFor keeps an event that was put in at the begin, or its mark, and reports whether it was one.
func (m *marking) waitsFor(b *trace.Batch, i int) bool {
	n := m.waits.Len()
	marked := n > 0 && m.waits.Kinds[n-1] == trace.KindCutBefore
	if !marked && b.Kinds[i] != trace.KindCutBefore || n >= mostWaiting {
		return false
	}
	m.waits.AppendFrom(b, i, m.table)
	return true
}

// holds reports whether an event has to wait. The first one that does not is preceded by those that do.
func (o *output) holds(b *trace.Batch, i int) (bool, error) {
	m := o.marking
	if m == nil || m.past {
		return false, nil
	}
	if m.waitsFor(b, i) {
		return true, nil
	}
	return false, o.release(o.localTime(b.Times[i], b.Residual(i)))
}

// release writes the events that wait, at the latest at a local time.
func (o *output) release(latest uint64) error {
	m := o.marking
	if m == nil || m.past {
		return nil
	}
	m.past, m.latest = true, latest
	err := o.write(&m.waits)
	m.waits, m.latest = trace.Batch{}, math.MaxUint64
	return err
}

// isMark reports whether a record is a mark of the next event, and keeps it. One that no event follows is dropped.
func (o *output) isMark(e *entry) bool {
	if o.marking == nil || e.kind != trace.KindCutBefore && e.kind != trace.KindCutAfter {
		return false
	}
	o.dropMark()
	o.marking.next = mark{e.kind, e.words[0] + o.epoch}
	return true
}

// putMark makes the mark that stood before an event the first one of its attributes.
func (o *output) putMark(e *entry) {
	m := o.marking
	if m == nil || m.next.kind == 0 {
		return
	}
	e.attrs = slices.Insert(slices.Clone(e.attrs), 0, m.attribute(m.next.kind, m.next.time))
	if m.next.kind == trace.KindCutBefore {
		e.time = min(e.time, m.latest)
	}
	e.time = max(e.time, o.last)
	m.next, m.made = mark{}, true
}

func (o *output) dropMark() {
	if m := o.marking; m != nil && m.next.kind != 0 {
		o.dropped.add(m.next.kind)
		m.next = mark{}
	}
}
