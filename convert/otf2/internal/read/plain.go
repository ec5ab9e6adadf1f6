package read

import (
	"slices"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/trace"
)

// plainBytes is the most that a time stamp and a record of form S have (9 + 1 + 1+8).
const plainBytes = 19

// plainForm says how records of form S of one id are read: the sizes of the integer are below limit (0 for other
// records), and it is a region or not to be translated.
type plainForm struct {
	limit  uint8
	region bool
}

var plainForms = func() (forms [256]plainForm) {
	for id, l := range form.EventGrammar.Layouts {
		if l != nil && l.Single {
			forms[id] = plainForm{limit: l.Head[0].Width + 1, region: l.Head[0].Space == trace.SpaceRegion}
		}
	}
	return forms
}()

// plain appends records of form S, which nearly all are in most traces, with their time stamps, until something else
// comes or there are max. Whatever needs thought it leaves to [stream.record].
func (s *Stream) plain(b *trace.Batch, max int) {
	w := s.window
	most := min(max-b.Len(), (w.end-w.pos)/2)
	if most <= 0 || !s.isPlain() {
		return
	}
	kinds, times, starts, words := room(b, most)
	regions := &s.maps[trace.SpaceRegion]
	twins := regions.Twins
	local, now, before := s.local, s.time, uint32(len(b.Words))
	pos, last, n := w.pos, w.end-plainBytes, 0
	for n < most && pos <= last {
		d := w.data[pos:][:plainBytes+form.Slack/2]
		at := 0
		if d[0] == form.IdTime {
			stamp := form.Load(d[1:], 8, w.big)
			t, ok := int64(stamp-s.epoch), true
			if s.Clock != nil {
				t, ok = s.exact(stamp)
			}
			if stamp < local || stamp > s.latest || t < now || !ok {
				break
			}
			local, now, at = stamp, t, 9
			pos += at
		}
		f, size := plainForms[d[at]], d[at+1]
		if size >= f.limit {
			break
		}
		v := form.Load(d[at+2:], int(size), w.big)
		if f.region {
			g := regions.Global(v)
			if (v >= uint64(len(twins)) || twins[v]) && regions.Shared != nil && !s.inUse(trace.SpaceRegion, v, g) {
				break
			}
			v = g
		}
		kinds[n], times[n], words[n], starts[n] = trace.Kind(d[at]), now, v, before+uint32(n)+1
		pos += 2 + int(size)
		n++
	}
	w.pos, s.local, s.time = pos, local, now
	keep(b, n)
	if n > 0 {
		s.latestTime = times[n-1]
	}
}

// isPlain reports whether records can be taken as they stand: with the time of their time stamp, without attributes.
func (s *Stream) isPlain() bool {
	return s.grammar == form.EventGrammar && s.stamped && !s.stale && s.residual == 0 && len(s.attrs) == 0 && s.mark.Kind == 0 && len(s.changes) == 0 && !s.settled
}

// room returns space for n records of one word each behind those of the batch: their kinds, times, the starts of the
// records after them, and words.
func room(b *trace.Batch, n int) (kinds []trace.Kind, times []int64, starts []uint32, words []uint64) {
	if len(b.Starts) == 0 {
		b.Starts = append(b.Starts, 0)
	}
	b.Kinds, b.Times = slices.Grow(b.Kinds, n), slices.Grow(b.Times, n)
	b.Starts, b.Words = slices.Grow(b.Starts, n), slices.Grow(b.Words, n)
	kinds, times = b.Kinds[len(b.Kinds):][:n], b.Times[len(b.Times):][:n]
	starts, words = b.Starts[len(b.Starts):][:n], b.Words[len(b.Words):][:n]
	return kinds, times, starts, words
}

// keep makes n records that were written to room part of the batch. They have no attributes and no residuals.
func keep(b *trace.Batch, n int) {
	b.Kinds, b.Times = b.Kinds[:len(b.Kinds)+n], b.Times[:len(b.Times)+n]
	b.Starts, b.Words = b.Starts[:len(b.Starts)+n], b.Words[:len(b.Words)+n]
	for len(b.AttrStarts) > 0 && len(b.AttrStarts) < len(b.Starts) {
		b.AttrStarts = append(b.AttrStarts, uint32(len(b.Attrs)))
	}
	for len(b.Residuals) > 0 && len(b.Residuals) < len(b.Kinds) {
		b.Residuals = append(b.Residuals, 0)
	}
}
