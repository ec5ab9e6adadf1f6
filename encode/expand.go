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
		events, _ := d.sizeOf(t)
		n = saturatingAdd(n, events)
	}
	return n
}

// Prepare makes the dictionary ready for Expand. Call it once, when all shapes are there.
func (d *Dictionary) Prepare() {
	d.pager = nil
	d.flat = make([]atomic.Pointer[[]uint32], len(d.shapes))
}

// Expand appends the leaves that the tokens stand for, in order. The caller has bounded their number by EventsOf.
// It is safe for concurrent use after Prepare.
func (d *Dictionary) Expand(dst []uint32, tokens []Token) []uint32 {
	for _, t := range tokens {
		var ok bool
		if dst, ok = d.expandSmall(dst, t); !ok {
			dst = d.walk(dst, t, d.expandSmall)
		}
	}
	return dst
}

// expandSmall appends what a token stands for if its shape is a leaf or a small one.
func (d *Dictionary) expandSmall(dst []uint32, t Token) ([]uint32, bool) {
	s := &d.shapes[t.Shape]
	switch {
	case s.leaf >= 0:
		return appendLeaves(dst, t), true
	case s.events > flatEvents:
		return dst, false
	case s.hole > 0:
		before, core := d.EventsOf(d.edgesOf(s)[:s.hole]), d.shapes[d.edgesOf(s)[s.hole].Shape].events
		flat := d.flatten(s.level)
		dst = appendTimes(dst, flat[:before], t.Count)
		dst = append(dst, flat[before:before+core]...)
		return appendTimes(dst, flat[before+core:], t.Count), true
	}
	return appendTimes(dst, d.flatten(t.Shape), t.Count), true
}

// flatten returns the leaves of a small composite.
func (d *Dictionary) flatten(shape uint32) []uint32 {
	if p := d.flat[shape].Load(); p != nil {
		return *p
	}
	leaves := d.walk(make([]uint32, 0, d.shapes[shape].events), Token{shape, 1}, d.expandLeaf)
	d.flat[shape].Store(&leaves)
	return leaves
}

// expandLeaf appends what a token stands for if its shape is a leaf.
func (d *Dictionary) expandLeaf(dst []uint32, t Token) ([]uint32, bool) {
	if d.shapes[t.Shape].leaf < 0 {
		return dst, false
	}
	return appendLeaves(dst, t), true
}

// walk appends what a token stands for; expand does it for those shapes that need no more walking. It keeps its own stack:
// shapes may be nested as deep as a slice is long. What stands several times in a row is expanded once and copied.
func (d *Dictionary) walk(dst []uint32, t Token, expand func([]uint32, Token) ([]uint32, bool)) []uint32 {
	type frame struct {
		edges []Edge
		count uint32
		from  int // where it begins in dst, -1 if it has not begun
	}
	var few [8]frame
	stack := append(few[:0], frame{[]Edge{t}, 1, -1})
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.from < 0 {
			f.from = len(dst)
		}
		if len(f.edges) == 0 {
			dst = appendTimes(dst, dst[f.from:], f.count-1)
			stack = stack[:len(stack)-1]
			continue
		}
		e := f.edges[0]
		f.edges = f.edges[1:]
		var ok bool
		if dst, ok = expand(dst, e); ok {
			continue
		}
		s := &d.shapes[e.Shape]
		edges := d.edgesOf(s)
		if s.hole == 0 {
			stack = append(stack, frame{edges, e.Count, -1})
			continue
		}
		stack = append(stack, frame{edges[s.hole+1:], e.Count, -1}, frame{edges[s.hole : s.hole+1], 1, -1}, frame{edges[:s.hole], e.Count, -1})
	}
	return dst
}

func appendLeaves(dst []uint32, t Token) []uint32 {
	for range t.Count {
		dst = append(dst, t.Shape)
	}
	return dst
}

func appendTimes(dst, leaves []uint32, count uint32) []uint32 {
	for range count {
		dst = append(dst, leaves...)
	}
	return dst
}

// wordsOf returns the number of words, attributes and times of the events that tokens stand for (saturating).
func (d *Dictionary) wordsOf(tokens []Token) uint64 {
	n := uint64(0)
	for _, t := range tokens {
		_, words := d.sizeOf(t)
		n = saturatingAdd(n, words)
	}
	return n
}

// checkTokens gives each run its tokens. It fails unless they stand for the events of the run, and these for no more words than
// the limit: nothing is expanded before.
func (d *Dictionary) checkTokens(r *format.Decoder, s *Slice, tokens []Token, perRun []uint64, limits format.Limits) {
	if n := d.wordsOf(tokens); n > uint64(limits.SliceValues) {
		r.Fail("%d words of events, more than the limit of %d", n, limits.SliceValues)
	}
	for i := range s.Runs {
		run := &s.Runs[i]
		run.Tokens, tokens = tokens[:perRun[i]:perRun[i]], tokens[perRun[i]:]
		n := d.EventsOf(run.Tokens)
		if n != uint64(run.Events) {
			r.Fail("tokens stand for %d events of location %d, which has %d", n, run.Location, run.Events)
			return
		}
	}
}
