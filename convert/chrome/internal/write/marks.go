package write

import (
	"github.com/pandotrace/pando/trace"
)

// What was put in where a trace was cut has an argument that says when it was in the whole trace, in microseconds as all times.
const (
	cutBefore = `"pando.cut.before":`
	cutAfter  = `"pando.cut.after":`
)

// mostCuts bounds the ends of messages of which it is remembered that they were put in.
const mostCuts = 1 << 20

// end is an end of a message.
type end struct{ location, ordinal uint64 }

// mark keeps what a mark says of the event behind it.
func (x *exporter) mark(e *trace.Event) {
	s, name := x.stack(e.Batch.Location), cutBefore
	if e.Batch.Kinds[e.Index] == trace.KindCutAfter {
		name = cutAfter
	}
	s.mark = appendMicroseconds(append(s.mark[:0], name...), int64(e.Batch.Fields(e.Index)[0]), x.meta.Resolution)
}

// keepMark keeps the mark of an end of a message until the message is written.
func (x *exporter) keepMark(e *trace.Event) {
	if s := x.stack(e.Batch.Location); len(s.mark) > 0 && len(x.cuts) < mostCuts {
		x.cuts[end{e.Batch.Location, e.Ordinal}] = append([]byte(nil), s.mark...)
	}
}

// cutOf adds to the arguments of an end of a message that it was put in, if it was.
func (x *exporter) cutOf(location, ordinal uint64) {
	if m := x.cuts[end{location, ordinal}]; m != nil {
		x.out.add(",")
		x.out.b = append(x.out.b, m...)
	}
}

// between returns what stands between two lists of members.
func between(a, b []byte) []byte {
	if len(a) > 0 && len(b) > 0 {
		return []byte(",")
	}
	return nil
}
