package form

import (
	"bytes"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// An archive has no records that mark where a trace was cut. An event that was inserted at a cut has an attribute instead, whose value is
// the time of the event in the whole trace, in ticks of the trace's clock. The definitions of such an archive end with definitions of
// the two attributes, by which a reader recognizes them.
const (
	cutBeforeName  = "pando.cut.before"
	cutAfterName   = "pando.cut.after"
	cutDescription = "when this event was, before the trace was cut"
)

// Marks are the attributes that encode the records CutBefore and CutAfter. The zero value belongs to an archive without such events.
type Marks struct {
	Before, After uint64 // ids of attributes
	Definitions   []trace.Record
}

// MarksFor defines the attributes, with ids that no definition has.
func MarksFor(defs []trace.Record) Marks {
	strings, attributes := freeID(defs, trace.KindString), freeID(defs, trace.KindAttribute)
	var m Marks
	text := func(s string) uint64 {
		id := strings()
		m.Definitions = append(m.Definitions, trace.Record{Kind: trace.KindString, Words: []uint64{id, uint64(len(s))}, Text: []byte(s)})
		return id
	}
	description := text(cutDescription)
	define := func(name string) uint64 {
		id, nameID := attributes(), text(name)
		m.Definitions = append(m.Definitions, trace.Record{Kind: trace.KindAttribute, Words: []uint64{id, nameID, uint64(trace.ValueUint64), description}})
		return id
	}
	m.Before, m.After = define(cutBeforeName), define(cutAfterName)
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
		for next >= Undefined32 || taken[next] {
			if next++; next > Undefined32 {
				next = 0
			}
		}
		taken[next] = true
		next++
		return next - 1
	}
}

// TakeMarks removes the definitions of marks from the definitions of an archive that end with them.
func TakeMarks(defs []trace.Record) ([]trace.Record, Marks) {
	n := len(defs) - MarkDefinitions
	if n < 0 || string(defs[n].Text) != cutDescription {
		return defs, Marks{}
	}
	m := MarksFor(defs[:n])
	if !slices.EqualFunc(defs[n:], m.Definitions, sameRecord) {
		return defs, Marks{}
	}
	return defs[:n], m
}

// MarkDefinitions is how many definitions there are of marks: three strings, two attributes.
const MarkDefinitions = 5

func sameRecord(a, b trace.Record) bool {
	return a.Kind == b.Kind && slices.Equal(a.Words, b.Words) && bytes.Equal(a.Text, b.Text)
}

// KindOf returns the kind of mark that an attribute encodes, 0 for an ordinary attribute.
func (m *Marks) KindOf(a *trace.Attr) trace.Kind {
	switch {
	case m.Definitions == nil || a.Type != trace.ValueUint64:
		return 0
	case a.ID == m.Before:
		return trace.KindCutBefore
	case a.ID == m.After:
		return trace.KindCutAfter
	}
	return 0
}

// Attribute returns the attribute that encodes a mark. time is in ticks of the trace's clock.
func (m *Marks) Attribute(kind trace.Kind, time uint64) trace.Attr {
	id := m.Before
	if kind == trace.KindCutAfter {
		id = m.After
	}
	return trace.Attr{ID: id, Type: trace.ValueUint64, Value: time}
}

// Mark is one that belongs to the next event; its kind is 0 if there is none.
type Mark struct {
	Kind trace.Kind
	Time uint64 // in ticks of the trace's clock
}
