package otf

import (
	"math"

	"github.com/pandotrace/pando/trace"
)

// line takes in the line at pos and moves behind what it understands of it. If it does not fit into its batch, nothing
// happens and done is false.
func (r *reader) line() (done bool) {
	r.blanks()
	switch c := r.data[r.pos]; {
	case c == '\n':
	case r.grammar.timed() && classes[c] < notDigit:
		r.stamp(r.number(64))
		r.ended()
	case r.grammar.timed() && c == '*':
		r.pos++
		r.enterProcess(uint32(r.number(32)))
		r.ended()
	default:
		return r.record()
	}
	return true
}

// record takes in a line that begins with a keyword, or with what is none.
func (r *reader) record() (done bool) {
	key, start := r.keyword()
	if isAttribute(key) {
		r.keyValue()
		if r.ended(); r.problem != "" {
			r.forget()
		}
		return true
	}
	f := r.grammar.form(key, r.data[start:r.pos])
	snapshot := r.grammar.snapshots
	if f != nil {
		snapshot = f.snapshot
	}
	r.skipped = r.skipped || snapshot != r.snapshots
	if snapshot != r.snapshots || !r.wanted() {
		r.forget()
		return true
	}
	if !r.ready() {
		return false
	}
	if f != nil {
		r.known(f)
		return true
	}
	r.warnings.Add("unknown record", "%s", r.where())
	r.unknown()
	return true
}

// keyword reads the keyword of a record: capital letters, which a # may precede.
func (r *reader) keyword() (key uint64, start int) {
	start = r.pos
	if r.data[r.pos] == '#' {
		key = '#' & 31
		r.pos++
	}
	for classes[r.data[r.pos]] == capital {
		key = key<<5 | uint64(r.data[r.pos]&31)
		r.pos++
	}
	return key, start
}

// ended makes sure that nothing is left of a line.
func (r *reader) ended() {
	if r.blanks(); r.data[r.pos] != '\n' {
		r.fail("something behind the end of the record")
	}
}

// wanted reports whether the records of the current process are wanted. It is a problem if there is none.
func (r *reader) wanted() bool {
	switch {
	case r.stamped && r.cur != nil:
		return r.cur.batch != nil
	case r.stamped && r.named && r.quiet:
	case r.stamped && r.named:
		r.warnings.Add("record of a process that the index does not give to the stream", "%s", r.where())
	case r.gaps == 0:
		r.fail("a record before the first time and process")
	}
	return false
}

// known takes in a record of a known form. A lenient reader keeps a damaged one unparsed.
func (r *reader) known(f *form) {
	if r.fields(f); r.problem == "" {
		r.behind()
	}
	switch {
	case r.problem != "":
	case f.do != nil:
		f.do(r, f)
	default:
		r.put(f)
	}
	if r.problem != "" && r.lenient {
		r.unknown()
	}
	r.forget()
}

// behind looks at what stands behind the fields of a record: nothing, or fields of later versions.
func (r *reader) behind() {
	switch c := r.data[r.pos]; {
	case c == '\n':
	case classes[c] == capital:
		r.warnings.Add("unknown field", "%s", r.where())
	default:
		r.fail("something behind the end of the record")
	}
}

// unknown keeps the current line unparsed. In files without times, the stream's number is stored with it.
func (r *reader) unknown() {
	b, number := r.cur.batch, uint64(0)
	if !r.grammar.timed() {
		number = r.streamID
	}
	b.Words = append(b.Words, number, 0, putText(b, r.scanner.line(r.lineAt)))
	r.finish(r.grammar.unknown)
	r.forget()
}

// forget drops the attributes that the next record would have had.
func (r *reader) forget() {
	if len(r.attrs)+len(r.bytes)+len(r.extra) == 0 && r.source == 0 {
		return
	}
	r.attrs, r.bytes, r.extra, r.source = r.attrs[:0], r.bytes[:0], r.extra[:0], 0
}

// finish makes a record of the words appended last, with all attributes.
func (r *reader) finish(kind trace.Kind) {
	b := r.cur.batch
	b.Begin(kind, r.time)
	b.End()
	if r.source != 0 {
		r.extra = append(r.extra, trace.Attr{ID: r.special.source, Type: trace.ValueSourceCodeLocation, Value: r.scope.ids[trace.SpaceSourceCodeLocation].of(r.source)})
	}
	if len(r.extra) > 0 {
		r.attrs = append(r.attrs, r.extra...)
		r.extra = r.extra[:0]
	}
	b.SetAttrs(r.attrs)
}

// putText is Batch.PutText without a string.
func putText(b *trace.Batch, text []byte) uint64 {
	word := uint64(len(b.Text))<<32 | uint64(len(text))
	b.Text = append(b.Text, text...)
	return word
}

// ready makes room for a record: what has to come before it is appended first. It returns false if the batch is full.
func (r *reader) ready() bool {
	s := r.cur
	for r.settle(s) {
		switch {
		case len(s.begun) > maxBegun:
			r.putUnended(s, r.time)
		case len(r.bytes) > 0 && !r.grammar.definitions:
			r.putBytes()
		default:
			return true
		}
	}
	return false
}

// stamp takes in a time. Where the reader is lenient, a wrong one leaves the time as it was.
func (r *reader) stamp(t uint64) {
	relative, ok := r.relative(t)
	switch {
	case t < r.clock:
		r.fail("time runs backwards from %x", r.clock)
	case !ok:
		r.fail("more than 2^61 ticks from the epoch %x", r.epoch)
	default:
		r.clock, r.time = t, relative
	}
	r.stamped = r.stamped || r.time > math.MinInt64
}

// enterProcess makes a process the one of the following records.
func (r *reader) enterProcess(p uint32) {
	r.process, r.named, r.cur = p, true, nil
	if i, ok := r.slots.find(p); ok {
		r.cur = r.sinks[i]
	}
}
