package fingerprint

import (
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// hasher hashes shapes, and keeps the hashes of those that were used lately.
type hasher struct {
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

// of returns the hashes of the shapes of a view.
func (h *hasher) of(v *shape.View) *content.Shapes {
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

// piece is the part of a location in a slice, as far as it lies in a window.
type piece struct {
	slice, location uint64
	hash            content.Hash
	events          uint64
}

// follow calls f for all pieces of a window, those of a location in order.
func follow(info *store.Info, w *store.Window, h *hasher, f func(p *piece) error) error {
	x := extent{info: info, window: w, hasher: h, f: f}
	x.from, x.to = w.Bounds()
	for s, err := range w.Structure() {
		if err == nil {
			err = x.slice(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extent is a window on the way through its slices.
type extent struct {
	info     *store.Info
	window   *store.Window
	from, to int64
	hasher   *hasher
	f        func(p *piece) error
	cut      map[uint64]bool // slices that the window cuts, whose events were followed: two, or more where an instant fills several
}

func (x *extent) slice(s *store.LaneStructure) error {
	switch {
	case (s.Start >= x.from || x.info.First >= x.from) && (s.End <= x.to || x.info.Last < x.to):
		return x.whole(s)
	case x.cut[s.Slice]:
		return nil
	case x.cut == nil:
		x.cut = map[uint64]bool{}
	}
	x.cut[s.Slice] = true
	return x.part(s)
}

// whole hashes a lane of a slice all of whose events lie in the window.
func (x *extent) whole(s *store.LaneStructure) error {
	shapes := x.hasher.of(s.Shapes)
	for i := range s.Runs {
		r := &s.Runs[i]
		if err := x.f(&piece{s.Slice, r.Location, shapes.Of(r.Tokens...), r.Events}); err != nil {
			return err
		}
	}
	return nil
}

// part hashes the events of a slice that lie in the window, of all lanes.
func (x *extent) part(s *store.LaneStructure) error {
	for run, err := range x.window.Within(max(x.from, s.Start), min(x.to, s.End)).Times() {
		if err != nil {
			return err
		}
		if run.Slice != s.Slice { // another one of the same instant
			continue
		}
		shapes := x.hasher.of(run.Shapes)
		p := piece{slice: run.Slice, location: run.Location, events: uint64(len(run.Leaves))}
		for _, leaf := range run.Leaves {
			p.hash = p.hash.Then(shapes.Leaf(leaf))
		}
		if err := x.f(&p); err != nil {
			return err
		}
	}
	return nil
}
