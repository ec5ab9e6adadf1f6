package encode

import (
	"sync/atomic"

	"github.com/pandotrace/pando/format"
)

// flatEvents bounds the shapes whose leaves are kept ready as a flat list once they were needed.
const flatEvents = 1024

// EventsOf returns the number of events that tokens stand for (saturating).
func (d *Dictionary) EventsOf(tokens []Token) uint64 {
	n := uint64(0)
	for _, t := range tokens {
		n = saturatingAdd(n, saturatingMul(d.shapes[t.Shape].events, uint64(t.Count)))
	}
	return n
}

// Prepare makes the dictionary ready for Expand. Call it once, when all shapes are there.
func (d *Dictionary) Prepare() { d.flat = make([]atomic.Pointer[[]uint32], len(d.shapes)) }

// Expand appends the leaves that the tokens stand for, in order. The caller has bounded their number by EventsOf.
// It is safe for concurrent use after Prepare.
func (d *Dictionary) Expand(dst []uint32, tokens []Token) []uint32 {
	for _, t := range tokens {
		s := &d.shapes[t.Shape]
		switch {
		case s.leaf >= 0:
			for range t.Count {
				dst = append(dst, t.Shape)
			}
		case s.events <= flatEvents:
			flat := d.flatten(t.Shape)
			for range t.Count {
				dst = append(dst, flat...)
			}
		default:
			for range t.Count {
				dst = d.walk(dst, t.Shape)
			}
		}
	}
	return dst
}

// flatten returns the leaves of a small shape.
func (d *Dictionary) flatten(shape uint32) []uint32 {
	if p := d.flat[shape].Load(); p != nil {
		return *p
	}
	leaves := d.appendLeaves(make([]uint32, 0, d.shapes[shape].events), shape)
	d.flat[shape].Store(&leaves)
	return leaves
}

// appendLeaves appends the leaves of a small composite. A shape has fewer events than its parent, so the recursion is no
// deeper than flatEvents.
func (d *Dictionary) appendLeaves(dst []uint32, shape uint32) []uint32 {
	for _, e := range d.EdgesOf(shape) {
		from := len(dst)
		if d.shapes[e.Shape].leaf >= 0 {
			dst = append(dst, e.Shape)
		} else {
			dst = d.appendLeaves(dst, e.Shape)
		}
		once := dst[from:]
		for range e.Count - 1 {
			dst = append(dst, once...)
		}
	}
	return dst
}

// walk appends the leaves of a large shape. It keeps its own stack: shapes may be nested as deep as a slice is long.
func (d *Dictionary) walk(dst []uint32, shape uint32) []uint32 {
	type frame struct {
		edges []Edge
		done  uint32 // repetitions of edges[0] done
	}
	stack := []frame{{edges: d.EdgesOf(shape)}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if len(f.edges) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		e := f.edges[0]
		s := &d.shapes[e.Shape]
		if s.leaf < 0 && s.events > flatEvents && f.done < e.Count {
			f.done++
			stack = append(stack, frame{edges: d.EdgesOf(e.Shape)})
			continue
		}
		if f.done == 0 {
			dst = d.Expand(dst, f.edges[:1])
		}
		f.edges, f.done = f.edges[1:], 0
	}
	return dst
}

// wordsOf returns the number of words, attributes and times of the events that tokens stand for (saturating).
func (d *Dictionary) wordsOf(tokens []Token) uint64 {
	n := uint64(0)
	for _, t := range tokens {
		n = saturatingAdd(n, saturatingMul(d.shapes[t.Shape].words, uint64(t.Count)))
	}
	return n
}

// checkTokens gives each run its tokens and its number of events. It fails unless what they stand for is within the limits:
// nothing is expanded before.
func (d *Dictionary) checkTokens(r *format.Decoder, s *Slice, tokens []Token, perRun []uint64, limits format.Limits) {
	if n := d.wordsOf(tokens); n > uint64(limits.SliceValues) {
		r.Fail("%d words of events, more than the limit of %d", n, limits.SliceValues)
	}
	left := uint64(limits.SliceEvents)
	for i := range s.Runs {
		run := &s.Runs[i]
		run.Tokens, tokens = tokens[:perRun[i]:perRun[i]], tokens[perRun[i]:]
		n := d.EventsOf(run.Tokens)
		if n == 0 || n > left {
			r.Fail("%d events of location %d; the limit allows 1 to %d", n, run.Location, left)
			return
		}
		run.Events = int(n)
		left -= n
	}
}
