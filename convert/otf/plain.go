package otf

import (
	"bytes"

	"github.com/pandotrace/pando/trace"
)

// plain takes in times, processes, enters and leaves, which nearly all lines are in most traces, until something else comes or the
// batch is full. Whatever needs thought it leaves to [reader.line].
func (r *reader) plain() {
	data, pos := r.data, r.pos
	for pos < len(data) {
		c := data[pos]
		switch {
		case classes[c] < notDigit:
			t, end := digits(data, pos)
			relative, ok := r.relative(t)
			if data[end] != '\n' || end-pos > 16 || t < r.clock || !ok {
				r.pos = pos
				return
			}
			r.clock, r.time, r.stamped = t, relative, true
			pos = end + 1
			continue
		case c == '*':
			p, end := digits(data, pos+1)
			if data[end] != '\n' || end == pos+1 || p>>32 != 0 || end-pos > 16 {
				r.pos = pos
				return
			}
			if uint32(p) != r.process || r.cur == nil {
				r.enterProcess(uint32(p))
			}
			pos = end + 1
			continue
		case !r.stamped || r.cur == nil || len(r.attrs)+len(r.bytes) > 0:
			r.pos = pos
			return
		case r.cur.batch == nil:
			if c == 'K' || c == 'T' || c == ' ' || c == '\t' { // not only a record of this process, or anything behind blanks
				r.pos = pos
				return
			}
			pos += bytes.IndexByte(data[pos:], '\n') + 1
			continue
		}
		end, ok := r.call(c, pos)
		if !ok {
			r.pos = pos
			return
		}
		pos = end
	}
	r.pos = pos
}

// call takes in the enter or leave whose line, which begins with c, stands at data[pos], and returns where the next line
// begins; ok is false if it needs thought.
func (r *reader) call(c byte, pos int) (next int, ok bool) {
	if c != 'E' && c != 'L' {
		return 0, false
	}
	data, s := r.data, r.cur
	at := pos + 1
	if len(data)-pos > len("ENTER ") && (string(data[pos:pos+6]) == "ENTER " || string(data[pos:pos+6]) == "LEAVE ") {
		at = pos + 6
	}
	function, end := digits(data, at)
	if data[end] != '\n' || function>>32 != 0 || end-at > 16 || len(s.ends) > 0 || len(s.begun) > maxBegun || s.full(r.max) {
		return 0, false
	}
	region := uint32(r.scope.ids[trace.SpaceRegion].of(function))
	kind := trace.KindEnter
	switch {
	case c == 'E' && end > at:
		s.calls.enter(region)
	case c == 'L' && s.calls.deeper == 0:
		if function == 0 {
			region, _ = s.calls.current()
		}
		s.calls.leave(region)
		kind = trace.KindLeave
	default:
		return 0, false
	}
	b := s.batch
	b.Begin(kind, r.time)
	b.Words = append(b.Words, uint64(region))
	b.End()
	return end + 1, true
}
