package fingerprint

import (
	"iter"
	"sync"

	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// hasher hashes shapes, and keeps the hashes of those that were used lately.
type hasher struct {
	mu     sync.Mutex // of what follows
	calls  *content.Calls
	shapes map[*shape.View]*content.Shapes
	kept   int64 // bytes
	most   int64
}

// shapeBytes is about what the hashes of a shape take.
const shapeBytes = 48

func newHasher(defs *trace.Definitions, opt Options) *hasher {
	return &hasher{calls: content.NewCalls(opt.Bases, defs), shapes: map[*shape.View]*content.Shapes{}, most: opt.Memory}
}

// of returns the hashes of the shapes of a view. It is safe for concurrent use.
func (h *hasher) of(v *shape.View) *content.Shapes {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.shapes[v]; s != nil {
		return s
	}
	bytes := shapeBytes * int64(v.Len())
	if h.kept+bytes > h.most {
		clear(h.shapes)
		h.kept = 0
	}
	s := content.NewShapes(v, h.calls.Symbol)
	h.shapes[v] = s
	h.kept += bytes
	return s
}

// piece is the part of a location in a slice, as far as it lies in a window: tokens, or the leaves of events in a slice that the window cuts.
type piece struct {
	slice, location uint64
	from, to        int64 // the part of the window that lies in the slice
	events          uint64
	hash            content.Hash
	shapes          *content.Shapes
	tokens          []shape.Token
	leaves          []uint32
}

// first returns the hash of the first n symbols.
func (p *piece) first(n uint64) (h content.Hash) {
	if p.leaves == nil {
		return p.shapes.First(n, p.tokens...)
	}
	for _, leaf := range p.leaves {
		if h.N == n {
			break
		}
		h = h.Then(p.shapes.Leaf(leaf))
	}
	return h
}

// pieces yields all pieces of a window, those of a location in order. A piece is valid until the next step.
func pieces(info *store.Info, w *store.Window, h *hasher) iter.Seq2[*piece, error] {
	return func(yield func(*piece, error) bool) {
		x := extent{info: info, window: w, hasher: h}
		x.from, x.to = w.Bounds()
		for s, err := range w.Structure() {
			if err != nil {
				yield(nil, err)
				return
			}
			if !x.slice(s, yield) {
				return
			}
		}
	}
}

// extent is a window on the way through its slices.
type extent struct {
	info     *store.Info
	window   *store.Window
	from, to int64
	hasher   *hasher
	cut      []uint64 // slices that the window cuts, whose events were followed: two at most
}

// slice yields the pieces of a lane of a slice; of one that the window cuts, those of all lanes. It returns false if it was told to stop.
func (x *extent) slice(s *store.LaneStructure, yield func(*piece, error) bool) bool {
	p := piece{slice: s.Slice, from: max(x.from, s.Start), to: min(x.to, s.End)}
	if (s.Start >= x.from || x.info.First >= x.from) && (s.End <= x.to || x.info.Last < x.to) {
		return x.whole(s, &p, yield)
	}
	for _, done := range x.cut {
		if done == s.Slice {
			return true
		}
	}
	x.cut = append(x.cut, s.Slice)
	return x.part(&p, yield)
}

// whole hashes a lane of a slice all of whose events lie in the window.
func (x *extent) whole(s *store.LaneStructure, p *piece, yield func(*piece, error) bool) bool {
	p.shapes = x.hasher.of(s.Shapes)
	for i := range s.Runs {
		r := &s.Runs[i]
		p.location, p.events, p.tokens, p.hash = r.Location, r.Events, r.Tokens, p.shapes.Of(r.Tokens...)
		if !yield(p, nil) {
			return false
		}
	}
	return true
}

// part hashes the events of a slice that lie in the window.
func (x *extent) part(p *piece, yield func(*piece, error) bool) bool {
	for run, err := range x.window.Within(p.from, p.to).Times() {
		if err != nil {
			yield(nil, err)
			return false
		}
		if run.Slice != p.slice { // another one of the same instant
			continue
		}
		p.shapes = x.hasher.of(run.Shapes)
		p.location, p.events, p.leaves, p.hash = run.Location, uint64(len(run.Leaves)), run.Leaves, content.Hash{}
		for _, leaf := range run.Leaves {
			p.hash = p.hash.Then(p.shapes.Leaf(leaf))
		}
		if !yield(p, nil) {
			return false
		}
	}
	return true
}
