package write

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Marking makes marks in a file of events. Events that were put in stand at the time of the cut, of which the clock does not know
// exactly when it was locally: it was not after the location's own first event, nor before its last one. So those at the begin wait
// for that event.
type Marking struct {
	*form.Marks
	Table  *trace.Table
	next   form.Mark   // of the next event
	Made   bool        // there was one
	past   bool        // the location's own events have begun
	waits  trace.Batch // marks, each with its event
	latest uint64      // local time of the location's first own event
}

// mostWaiting bounds the events that wait and their marks. With more, which no cut makes, those behind stand as they are.
const mostWaiting = 1 << 16

// waitsFor keeps an event that was put in at the begin, or its mark, and reports whether it was one.
func (m *Marking) waitsFor(b *trace.Batch, i int) bool {
	n := m.waits.Len()
	marked := n > 0 && m.waits.Kinds[n-1] == trace.KindCutBefore
	if !marked && b.Kinds[i] != trace.KindCutBefore || n >= mostWaiting {
		return false
	}
	m.waits.AppendFrom(b, i, m.Table)
	return true
}

// holds reports whether an event has to wait. The first one that does not is preceded by those that do.
func (o *Output) holds(b *trace.Batch, i int) (bool, error) {
	m := o.Marking
	if m == nil || m.past {
		return false, nil
	}
	if m.waitsFor(b, i) {
		return true, nil
	}
	return false, o.release(o.localTime(b.Times[i], b.Residual(i)))
}

// release writes the events that wait, at the latest at a local time.
func (o *Output) release(latest uint64) error {
	m := o.Marking
	if m == nil || m.past {
		return nil
	}
	m.past, m.latest = true, latest
	err := o.Write(&m.waits)
	m.waits, m.latest = trace.Batch{}, math.MaxUint64
	return err
}

// isMark reports whether a record is a mark of the next event, and keeps it. One that no event follows is dropped.
func (o *Output) isMark(e *entry) bool {
	if o.Marking == nil || e.kind != trace.KindCutBefore && e.kind != trace.KindCutAfter {
		return false
	}
	o.dropMark()
	o.Marking.next = form.Mark{Kind: e.kind, Time: e.words[0] + o.Epoch}
	return true
}

// putMark makes the mark that stood before an event the first one of its attributes.
func (o *Output) putMark(e *entry) {
	m := o.Marking
	if m == nil || m.next.Kind == 0 {
		return
	}
	e.attrs = slices.Insert(slices.Clone(e.attrs), 0, m.Attribute(m.next.Kind, m.next.Time))
	if m.next.Kind == trace.KindCutBefore {
		e.time = min(e.time, m.latest)
	}
	e.time = max(e.time, o.last)
	m.next, m.Made = form.Mark{}, true
}

func (o *Output) dropMark() {
	if m := o.Marking; m != nil && m.next.Kind != 0 {
		o.Dropped.add(m.next.Kind)
		m.next = form.Mark{}
	}
}
