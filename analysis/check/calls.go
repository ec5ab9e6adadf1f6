package check

import "github.com/pandotrace/pando/trace"

// frame is an open call.
type frame struct {
	id      uint64 // of the region, or of the calling context
	context bool
	time    int64
	ordinal uint64
}

// CallStack are the open calls of a location, the outermost one first.
type CallStack []frame

// find returns the place of the innermost open call of an id, -1 if there is none.
func (s CallStack) find(id uint64, context bool) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].id == id && s[i].context == context {
			return i
		}
	}
	return -1
}

// Open takes up a call that is open.
func (s *CallStack) Open(c *trace.Call) {
	if c.Context == trace.Undefined {
		*s = append(*s, frame{id: c.Region})
	} else {
		*s = append(*s, frame{id: c.Context, context: true})
	}
}

// Follow takes an event up. A leave of a region that is not open changes nothing; one of a call that is not the innermost closes those inside.
func (s *CallStack) Follow(kind trace.Kind, words []uint64) {
	switch kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		*s = append(*s, frame{id: words[0], context: kind == trace.KindCallingContextEnter})
	case trace.KindLeave, trace.KindCallingContextLeave:
		if i := s.find(words[0], kind == trace.KindCallingContextLeave); i >= 0 {
			*s = (*s)[:i]
		}
	}
}

// Regions returns the regions of open calls.
func (s CallStack) Regions(defs *trace.Definitions) []uint64 {
	list := make([]uint64, len(s))
	for i := range s {
		list[i] = s[i].region(defs)
	}
	return list
}

func (f *frame) region(defs *trace.Definitions) uint64 {
	if f.context {
		return defs.ContextRegion(f.id)
	}
	return f.id
}

// enter takes up a call.
func (l *lane) enter(i int, context bool) {
	l.calls = append(l.calls, frame{l.batch.Words[l.batch.Starts[i]], context, l.batch.Times[i], l.ordinal(i)})
}

// leave ends a call.
func (l *lane) leave(i int, context bool) {
	id := l.batch.Words[l.batch.Starts[i]]
	if n := len(l.calls) - 1; n >= 0 && l.calls[n].id == id && l.calls[n].context == context {
		l.calls = l.calls[:n]
		return
	}
	l.leaveOther(i, frame{id: id, context: context})
}

// leaveOther ends a call that is not the innermost one, if it is open at all.
func (l *lane) leaveOther(i int, left frame) {
	region := Value{"region", Region, left.region(l.defs)}
	at := l.calls.find(left.id, left.context)
	if at < 0 {
		l.ledger.add(LostEnter, LostEnter.Severity(), l.place(i), region)
		return
	}
	for n := len(l.calls) - 1; n > at; n-- {
		f := &l.calls[n]
		l.ledger.add(LostLeave, LostLeave.Severity(), l.place(i), Value{"region", Region, f.region(l.defs)},
			Value{"entered", Instant, uint64(f.time)}, Value{"entered_event", Plain, f.ordinal}, Value{"left", Region, region.Number})
	}
	l.calls = l.calls[:at]
}

// endCalls notes the calls that are open at the end.
func (l *lane) endCalls() {
	for i := range l.calls {
		f := &l.calls[i]
		l.ledger.add(OpenCall, unlessCut, Place{l.location, f.ordinal, f.time}, Value{"region", Region, f.region(l.defs)})
	}
}
