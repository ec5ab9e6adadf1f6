package write

import (
	"iter"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/trace"
)

// Calls and events come in the same order, those of calls by their enters. Going through both at once gives each call the
// attributes of its enter, and the ends of calls in the order in which they stand among the events.

// events writes calls, counters and all other events that are no ends of messages.
func (x *exporter) events() error {
	next, stop := iter.Pull2(x.window.Calls())
	defer stop()
	call, err, more := next()
	// until writes the calls that begin before a time.
	until := func(t int64) error {
		for more && err == nil && call.Start < t {
			x.beginCall(&call, nil)
			call, err, more = next()
		}
		return err
	}
	for e, failed := range x.window.Events() {
		if failed == nil {
			failed = x.tick(e.Batch.Times[e.Index])
		}
		if failed == nil {
			failed = until(e.Batch.Times[e.Index])
		}
		if failed != nil {
			return failed
		}
		if !isEnter(e.Batch.Kinds[e.Index]) {
			x.event(&e)
		} else if more && call.Location == e.Batch.Location && call.Ordinal == e.Ordinal {
			x.beginCall(&call, &e)
			call, err, more = next()
		}
		switch e.Batch.Kinds[e.Index] {
		case trace.KindAttributeBytes, trace.KindCutBefore, trace.KindCutAfter:
		default:
			x.stack(e.Batch.Location).settle()
		}
	}
	for more && err == nil {
		x.beginCall(&call, nil)
		call, err, more = next()
	}
	if err != nil {
		return err
	}
	ids, err := x.reader.LocationIDs()
	if err != nil {
		return err
	}
	for _, id := range ids {
		x.endCalls(id, trace.Undefined, nil)
	}
	return nil
}

func isEnter(k trace.Kind) bool { return k == trace.KindEnter || k == trace.KindCallingContextEnter }

// settle forgets the bytes and the mark that belonged to an event.
func (s *callStack) settle() { s.bytes, s.text, s.mark = s.bytes[:0], s.text[:0], s.mark[:0] }

// beginCall writes the begin of a call; e is its enter, if it is in the window.
func (x *exporter) beginCall(c *trace.Call, e *trace.Event) {
	x.endCalls(c.Location, c.Ordinal, nil)
	s := x.stack(c.Location)
	s.open = append(s.open, openCall{Call: *c})
	x.out.open('B', c.Location, c.Start)
	x.out.nameOf(x.defs, c.Region, x.category(c.Region))
	if e != nil {
		x.attributes(e, nil)
	}
	x.out.close()
}

// category returns what kind of region it is.
func (x *exporter) category(region uint64) string {
	r, ok := x.defs.Region(region)
	switch {
	case !ok:
		return ""
	case x.meta.Format == form.FormatName:
		return x.defs.Strings[r.Description]
	}
	return x.defs.Name(trace.SpaceParadigm, r.Paradigm)
}

// endCalls writes the ends of the calls of a location that an event up to the given one ended; e is that event, if it is at hand.
func (x *exporter) endCalls(location, ordinal uint64, e *trace.Event) {
	s := x.stack(location)
	for n := len(s.open) - 1; n >= 0 && s.open[n].EndOrdinal <= ordinal; n-- {
		c := &s.open[n]
		s.open = s.open[:n]
		if c.Flags&trace.CallOpen != 0 {
			continue
		}
		x.out.open('E', location, c.End)
		if e != nil && c.EndOrdinal == e.Ordinal {
			x.attributes(e, c.args)
		} else if len(c.args) > 0 {
			x.out.args(c.args)
		}
		x.out.close()
	}
}

// event writes an event that is no enter.
func (x *exporter) event(e *trace.Event) {
	b, i := e.Batch, e.Index
	x.endCalls(b.Location, e.Ordinal, e)
	w := b.Fields(i)
	switch b.Kinds[i] {
	case trace.KindLeave, trace.KindCallingContextLeave:
	case trace.KindMpiSend, trace.KindMpiIsend, trace.KindMpiRecv, trace.KindMpiIrecv,
		trace.KindMpiIsendComplete, trace.KindMpiIrecvRequest, trace.KindMpiRequestTest, trace.KindMpiRequestCancelled:
		x.keepMark(e)
	case trace.KindCutBefore, trace.KindCutAfter:
		x.mark(e)
	case trace.KindAttributeBytes:
		x.attributeBytes(e)
	case trace.KindMetric:
		x.counters(b, i)
	case trace.KindParameterString, trace.KindParameterInt, trace.KindParameterUnsignedInt:
		x.parameter(e)
	case trace.KindSoloEvent:
		x.out.open('i', b.Location, b.Times[i])
		x.out.categorised(x.defs.Name(trace.SpaceCategory, w[0]), x.meta.Format)
		x.finish(e)
	case trace.KindSpanBegin, trace.KindSpanEnd, trace.KindSpanPoint:
		x.span(e)
	case trace.KindIntervalBegin, trace.KindIntervalEnd:
		x.interval(e)
	case trace.KindArrowBegin, trace.KindArrowEnd:
		x.arrow(e)
	case trace.KindPhaseEvent:
		x.phase(e)
	default:
		x.other(e)
	}
}

// attributeBytes keeps an attribute of the next event.
func (x *exporter) attributeBytes(e *trace.Event) {
	w, s := e.Batch.Fields(e.Index), x.stack(e.Batch.Location)
	bytes := e.Batch.TextOf(w[2])
	s.bytes = append(s.bytes, trace.Attr{ID: w[0], Value: uint64(len(s.text))<<32 | uint64(len(bytes))})
	s.text = append(s.text, bytes...)
}

// finish ends an event with its attributes.
func (x *exporter) finish(e *trace.Event) {
	x.attributes(e, nil)
	x.out.close()
}

// parameter makes a parameter an argument of the call that it was recorded in, or an event if there is none.
func (x *exporter) parameter(e *trace.Event) {
	w := e.Batch.Fields(e.Index)
	name := x.defs.Name(trace.SpaceParameter, w[0])
	typ := map[trace.Kind]trace.ValueType{
		trace.KindParameterString: trace.ValueString, trace.KindParameterInt: trace.ValueInt64, trace.KindParameterUnsignedInt: trace.ValueUint64,
	}[e.Batch.Kinds[e.Index]]
	s := x.stack(e.Batch.Location)
	n := len(s.open) - 1
	if n < 0 || len(s.open[n].args) > maxArgs {
		x.other(e)
		return
	}
	args := s.open[n].args
	if len(args) > 0 {
		args = append(args, ',')
	}
	args = append(AppendString(args, name), ':')
	s.open[n].args = x.appendValue(args, typ, w[1], form.InArgs)
}

// counters writes the values of a metric event, one by one: their names tell them apart.
func (x *exporter) counters(b *trace.Batch, i int) {
	w := b.Fields(i)
	members := x.defs.MetricMembers(w[0])
	for j, values := 0, w[2:]; len(values) > 1; j, values = j+1, values[2:] {
		name, exponent := "", int64(0)
		var m trace.MetricMember
		if j < len(members) {
			m = x.defs.Members[members[j]]
			name, exponent = x.defs.Strings[m.Name], m.Exponent
		}
		x.out.open('C', b.Location, b.Times[i])
		x.out.add(`,"name":`)
		x.out.string(name)
		if id, shared := x.out.sharesProcess(b.Location); shared {
			x.out.add(`,"id":`)
			x.out.uint(id)
		}
		x.out.add(`,"args":{"value":`)
		typ, v := trace.ValueType(values[0]), values[1]
		if exponent != 0 {
			typ, v = scaled(typ, v, m.Base, exponent)
		}
		x.out.b = x.appendValue(x.out.b, typ, v, form.InArgs)
		x.out.add(`}`)
		x.out.close()
	}
}
