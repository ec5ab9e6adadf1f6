package otf

import "github.com/pandotrace/pando/trace"

// collective is a process's part of a collective operation that is not over yet.
type collective struct {
	// time is when it ends, for those that are recorded as a whole.
	time int64
	// matchID is that of begin and end, for those that are recorded as two.
	matchID        uint64
	op, comm, root uint64 // as in the file
	sent, received uint64
}

// Numbers of operations of one process that may be under way. When there are more, what is known of the oldest begin is given
// as a record of its own, and an operation recorded as a whole stays one.
const (
	maxEnds  = 64
	maxBegun = 64
)

// collective: COLLOP op COMM c ROOT p SENT n RECVD n DUR d: a whole operation at its begin. It becomes a begin and, d
// later, an end, if the ends of all operations under way come in the order of their begins.
func (r *reader) collective(*form) {
	v, s := &r.values, r.cur
	c := collective{op: v[0], comm: v[1], root: v[2], sent: v[3], received: v[4]}
	room := maxSpan - r.time // not negative: see stamp
	n := len(s.ends)
	if v[5] > uint64(room) || n == maxEnds || n > 0 && r.time+int64(v[5]) < s.ends[n-1].time {
		r.warnings.Add("collective operation that ends out of order", "%s", r.where())
		b := s.batch
		b.Words = append(b.Words, c.op, r.scope.ids[trace.SpaceComm].of(c.comm), c.root, c.sent, c.received, v[5])
		r.finish(trace.KindCollective)
		return
	}
	c.time = r.time + int64(v[5])
	s.ends = append(s.ends, c)
	r.finish(trace.KindMpiCollectiveBegin)
}

// collectiveBegin: COLLOPBEGIN op HANDLEID m COMM c ROOT p SENT n RECVD n.
func (r *reader) collectiveBegin(*form) {
	v := &r.values
	r.cur.begun = append(r.cur.begun, collective{matchID: v[1], op: v[0], comm: v[2], root: v[3], sent: v[4], received: v[5]})
	r.extra = append(r.extra, r.matching(v[1]))
	r.finish(trace.KindMpiCollectiveBegin)
}

func (r *reader) matching(id uint64) trace.Attr {
	return trace.Attr{ID: r.special.matchingID, Type: trace.ValueUint64, Value: id}
}

// collectiveEnd: COLLOPEND m.
func (r *reader) collectiveEnd(*form) {
	s, id := r.cur, r.values[0]
	for i := len(s.begun) - 1; i >= 0; i-- {
		if c := s.begun[i]; c.matchID == id {
			s.begun = append(s.begun[:i], s.begun[i+1:]...)
			r.extra = append(r.extra, r.matching(id))
			r.words(s, c)
			r.finish(trace.KindMpiCollectiveEnd)
			return
		}
	}
	r.warnings.Add("end of a collective operation without a begin", "%s", r.where())
	s.batch.Words = append(s.batch.Words, id)
	r.finish(trace.KindCollectiveUnbegun)
}

// words appends the words of an operation's end; what they cannot say become attributes.
func (r *reader) words(s *sink, c collective) {
	op := r.scope.operation(c.op)
	if !op.exact {
		r.extra = append(r.extra, trace.Attr{ID: r.special.collective, Type: trace.ValueUint32, Value: c.op})
	}
	root := r.root(s, c.comm, c.root)
	s.batch.Words = append(s.batch.Words, uint64(op.code), r.scope.ids[trace.SpaceComm].of(c.comm), root, c.sent, c.received)
}

// putEnd appends the end of an operation that was recorded as a whole.
func (r *reader) putEnd(s *sink) {
	c := s.ends[0]
	s.ends = s.ends[:copy(s.ends, s.ends[1:])]
	r.extra = r.extra[:0]
	r.words(s, c)
	r.append(s, trace.KindMpiCollectiveEnd, c.time)
}

// putUnended appends what is known of the oldest operation that has no end.
func (r *reader) putUnended(s *sink, at int64) {
	c := s.begun[0]
	s.begun = s.begun[:copy(s.begun, s.begun[1:])]
	r.warnings.Add("collective operation without an end", "match id %x of process %x in %s", c.matchID, s.location, r.path)
	s.batch.Words = append(s.batch.Words, c.matchID, c.op, r.scope.ids[trace.SpaceComm].of(c.comm), c.root, c.sent, c.received)
	r.extra = r.extra[:0]
	r.append(s, trace.KindCollectiveUnended, at)
}

// append makes a record of the words appended last, which stands in no line of its own: with the extra attributes only.
func (r *reader) append(s *sink, kind trace.Kind, at int64) {
	s.batch.Begin(kind, at)
	s.batch.End()
	s.batch.SetAttrs(r.extra)
	r.extra = r.extra[:0]
}
