package align

import (
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// task is the work on the cost of one pair of calls. It stops where it needs the cost of another pair.
type task struct {
	pair
	cost   pairCost
	lists  lists
	listed bool // the cost of the lists is known
	wrap   *wrapping
}

// newTask returns a task, with the memory of one that is done.
func (s *Aligner) newTask(p pair) *task {
	n := len(s.idle)
	if n == 0 {
		s.idle = append(s.idle, &task{})
		n = 1
	}
	t := s.idle[n-1]
	s.idle = s.idle[:n-1]
	*t = task{pair: p, lists: lists{parts: t.lists.parts[:0]}}
	s.prepare(&t.lists, p)
	return t
}

// work goes on with the task; ok is false if it needs a pair.
func (t *task) work(s *Aligner) (need pair, ok bool) {
	if !t.listed {
		if need, ok = t.lists.work(s); !ok {
			return need, false
		}
		t.cost.inside, t.cost.how, t.listed = t.lists.cost, t.lists.bestHow, true
		t.cost.whole = t.cost.inside.add(s.nameCost(t.x, t.y))
	}
	if s.opt.Level < Wrap || s.forest.IsGroup(t.x) {
		return pair{}, true
	}
	if t.wrap == nil {
		t.wrap = s.newWrapping(t)
	}
	return t.wrap.work(s, t)
}

// wrapping looks for alignments of a pair in which one of the two calls, or of their lists, stands around a part of the other.
type wrapping struct {
	inX, inY []calltree.Run
	next     int
}

// mostWrapped is the largest number of runs of which each may be what another call stands around.
const mostWrapped = 1 << 12

func (s *Aligner) newWrapping(t *task) *wrapping {
	inX, all := s.forest.Flat(t.x, mostWrapped)
	inY, too := s.forest.Flat(t.y, mostWrapped)
	if !all || !too { // what is not looked at may be better
		t.cost.whole.Low = min(t.cost.whole.Low, s.bound(t.x, t.y))
		t.cost.inside.Low = min(t.cost.inside.Low, s.insideBound(t.x, t.y))
		return &wrapping{}
	}
	return &wrapping{inX: inX, inY: inY}
}

// work goes through the calls inside of either call; ok is false if it needs a pair.
func (w *wrapping) work(s *Aligner, t *task) (need pair, ok bool) {
	inX, inY := w.inX, w.inY
	for ; w.next < len(inX)+len(inY); w.next++ {
		outer, other, inner := t.y, t.x, calltree.Node(0)
		if w.next < len(inY) {
			inner = inY[w.next].Node
		} else {
			outer, other, inner = t.x, t.y, inX[w.next-len(inY)].Node
		}
		around := shape.Times(lacking, without(s.forest.Size(outer), s.forest.Size(inner)))
		p := s.inOrder(other, inner)
		least := shape.Plus(s.bound(other, inner), around)
		leastInside := shape.Plus(s.insideBound(other, inner), around)
		if least >= t.cost.whole.High && least >= t.cost.whole.Low && leastInside >= t.cost.inside.High && leastInside >= t.cost.inside.Low {
			continue
		}
		c, ok := s.at(p)
		if !ok {
			return p, false
		}
		if inside := c.inside.add(around); inside.High < t.cost.inside.High {
			t.cost.inside, t.cost.how.around = t.cost.inside.or(inside), true
		} else {
			t.cost.inside = t.cost.inside.or(inside)
		}
		t.cost.whole = t.cost.whole.or(c.whole.add(around))
	}
	t.cost.whole = t.cost.whole.or(t.cost.inside.add(s.nameCost(t.x, t.y)))
	return pair{}, true
}

// insideBound returns a lower bound for the cost of what is inside of two calls.
func (s *Aligner) insideBound(x, y calltree.Node) uint64 {
	b := s.bound(x, y)
	return b - min(b, s.nameCost(x, y))
}
