package shape

import "math/bits"

// EventsOf returns the number of events of tokens (saturating).
func (d *Dictionary) EventsOf(tokens []Token) uint64 {
	events, _ := d.SizeOf(tokens)
	return events
}

// SizeOf returns the number of events of tokens, and of their words, attributes and times (saturating).
func (d *Dictionary) SizeOf(tokens []Token) (events, words uint64) {
	over := uint64(0) // 0 unless a number does not fit into 64 bits
	for _, t := range tokens {
		s, n := &d.shapes[t.Shape], uint64(t.Count)
		e, w := s.events, s.words
		if s.hole > 0 {
			e, w = d.sizeOf(t)
			n = 1
		}
		highE, e := bits.Mul64(e, n)
		highW, w := bits.Mul64(w, n)
		var carryE, carryW uint64
		events, carryE = bits.Add64(events, e, 0)
		words, carryW = bits.Add64(words, w, 0)
		over |= highE | highW | carryE | carryW
	}
	if over != 0 {
		return d.saturatingSizeOf(tokens)
	}
	return events, words
}

func (d *Dictionary) saturatingSizeOf(tokens []Token) (events, words uint64) {
	for _, t := range tokens {
		e, w := d.sizeOf(t)
		events, words = Plus(events, e), Plus(words, w)
	}
	return events, words
}

// Prepare makes a complete dictionary safe for concurrent reading. No shape can be added afterwards.
func (d *Dictionary) Prepare() {
	if d.pager != nil {
		d.pager.release()
	}
	d.pager, d.table, d.columns, d.layouts.numbers = nil, nil, nil, nil
	d.shapes, d.edges, d.leafShapes = exact(d.shapes), exact(d.edges), exact(d.leafShapes)
	d.leaves.clip()
}

// Expand appends the leaves of tokens in order, as numbers. EventsOf says beforehand how many there will be.
func (d *Dictionary) Expand(dst []uint32, tokens []Token) []uint32 {
	for _, t := range tokens {
		dst = walk(d, dst, t, d.expandLeaf)
	}
	return dst
}

func (d *Dictionary) expandLeaf(dst []uint32, t Token) ([]uint32, bool) {
	s := &d.shapes[t.Shape]
	if !s.isLeaf() {
		return dst, false
	}
	for range t.Count {
		dst = append(dst, s.at)
	}
	return dst, true
}

// Pieces appends the shapes of at most small events that the tokens are made of, in order, with how often each stands in a row.
func (d *Dictionary) Pieces(dst []Token, tokens []Token, small uint64) []Token {
	take := func(dst []Token, t Token) ([]Token, bool) {
		s := &d.shapes[t.Shape]
		if !s.isLeaf() && (s.events > small || s.hole > 0) {
			return dst, false
		}
		return append(dst, t), true
	}
	for _, t := range tokens {
		var ok bool
		if dst, ok = take(dst, t); !ok {
			dst = walk(d, dst, t, take)
		}
	}
	return dst
}

// walk appends the expansion of a token; expand does it for shapes that need no more walking. walk keeps its own stack:
// shapes may be nested as deep as a slice is long. What stands several times in a row is expanded once and copied.
func walk[T any](d *Dictionary, dst []T, t Token, expand func([]T, Token) ([]T, bool)) []T {
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
			for part := dst[f.from:]; f.count > 1; f.count-- {
				dst = append(dst, part...)
			}
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

// WordsOf returns the number of words, attributes and times of the events of tokens (saturating).
func (d *Dictionary) WordsOf(tokens []Token) uint64 {
	_, words := d.SizeOf(tokens)
	return words
}
