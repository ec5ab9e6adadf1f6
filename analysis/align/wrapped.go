package align

import (
	"context"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// wrapped aligns two calls, or what is inside of them, where one of them stands around a part of the other: of the candidates, one of the
// wanted cost.
func (w *walk) wrapped(ctx context.Context, l leg, cost func(pairCost) uint64, want uint64) error {
	for _, outer := range [...]calltree.Node{l.y, l.x} {
		other, side := l.x, OnlyB
		if outer == l.x {
			other, side = l.y, OnlyA
		}
		runs, ok := w.s.forest.Flat(outer, mostWrapped)
		if !ok {
			continue
		}
		for at, r := range runs {
			around := shape.Times(lacking, without(w.s.forest.Size(outer), w.s.forest.Size(r.Node)))
			c, err := w.s.solve(ctx, w.s.inOrder(other, r.Node))
			if err != nil {
				return err
			}
			if shape.Plus(cost(c), around) == want {
				w.around(l.kind, runs, other, at, side)
				return nil
			}
		}
	}
	panic("align: no alignment has the cost that was found")
}

// around puts the legs of an outer call, with runs inside, on the stack. One inside, the first of a run, belongs to another call.
func (w *walk) around(kind legKind, runs []calltree.Run, other calltree.Node, at int, side State) {
	f := w.s.forest
	inner := runs[at].Node
	pair := leg{kind: kind, x: other, y: inner, count: 1}
	if side == OnlyA {
		pair.x, pair.y = inner, other
	}
	before := w.s.eventsOf(runs[:at])
	behind := shape.Plus(w.s.eventsOf(runs[at+1:]), shape.Times(shape.Times(2, f.Size(inner)), runs[at].Count-1))
	// The enters and leaves of the outer call; those of the inner one, if what is inside of it belongs to what is inside of the other.
	own, ends := uint64(1), uint64(0)
	if kind == insideLeg {
		own, ends = 0, 1
	}
	w.then(some(own+before+ends, side), pair, some(shape.Plus(ends+own, behind), side))
}

// eventsOf returns the number of events of runs.
func (s *Aligner) eventsOf(runs []calltree.Run) (n uint64) {
	for _, r := range runs {
		n = shape.Plus(n, shape.Times(shape.Times(2, s.forest.Size(r.Node)), r.Count))
	}
	return n
}
