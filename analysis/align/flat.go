package align

import (
	"context"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// flat returns the cost of two calls at level Flat, by wavefronts; where they take too much memory, an interval up to the cost at level Wrap.
func (s *Aligner) flat(ctx context.Context, x, y calltree.Node) (Cost, error) {
	if x == y {
		return Cost{}, nil
	}
	f := s.forest
	low := s.bound(x, y)
	if !s.tooLong(x, y) {
		w := newWaves(events(f, x), events(f, y), s.opt.Memory)
		cost, ok, err := w.run(ctx)
		if ok || err != nil {
			return exactly(cost), err
		}
		low = max(low, cost)
	}
	c, err := s.nestedAligner().Cost(ctx, x, y)
	return Cost{min(low, c.High), c.High}, err
}

// tooLong reports whether the events of calls alone take too much memory.
func (s *Aligner) tooLong(x, y calltree.Node) bool {
	most := uint64(s.opt.Memory / 16)
	return s.forest.Size(x) > most || s.forest.Size(y) > most
}

// nestedAligner returns the aligner at level Wrap, for calls that are too long to be aligned event by event: what it finds is an alignment of
// events, too.
func (s *Aligner) nestedAligner() *Aligner {
	if s.nested == nil {
		opt := s.opt
		opt.Level = Wrap
		s.nested = New(s.forest, opt)
	}
	return s.nested
}

// events returns the enters and leaves of a call: twice the name, and one more for a leave.
func events(f *calltree.Forest, root calltree.Node) []uint32 {
	out := make([]uint32, 0, 2*f.Size(root))
	type open struct {
		call calltree.Node
		rest []calltree.Run
		done uint64 // of the first of rest
	}
	stack := []open{{call: root, rest: f.Runs(root)}}
	out = append(out, 2*uint32(f.Name(root)))
	for len(stack) > 0 {
		o := &stack[len(stack)-1]
		switch {
		case len(o.rest) == 0:
			if !f.IsGroup(o.call) {
				out = append(out, 2*uint32(f.Name(o.call))+1)
			}
			stack = stack[:len(stack)-1]
		case o.done == o.rest[0].Count:
			o.rest, o.done = o.rest[1:], 0
		default:
			o.done++
			n := o.rest[0].Node
			if !f.IsGroup(n) {
				out = append(out, 2*uint32(f.Name(n)))
			}
			stack = append(stack, open{call: n, rest: f.Runs(n)})
		}
	}
	return out
}

// waves aligns two sequences. The wave of a cost says for each diagonal how far an alignment of that cost comes (Ukkonen 1985, Myers 1986;
// with unequal costs, Marco-Sola et al. 2021). Waves that no later one is made of are kept only if the way is wanted.
type waves struct {
	a, b   []uint32
	memory int64 // bytes that all waves together may take
	taken  int64
	all    []wave  // by cost
	free   []int32 // for waves, as long as it lasts
	keep   bool
}

// wave says how far an alignment comes: on the diagonal lowest+i, the events of b that are done, -1 if it has none.
type wave struct {
	lowest int
	far    []int32
}

func newWaves(a, b []uint32, memory int64) *waves { return &waves{a: a, b: b, memory: memory} }

// at returns how far a wave comes on a diagonal.
func (w *wave) at(diagonal int) int32 {
	if i := diagonal - w.lowest; i >= 0 && i < len(w.far) {
		return w.far[i]
	}
	return -1
}

// run returns the least cost; ok is false if that takes more memory than allowed, and then the cost is at least the returned one.
func (w *waves) run(ctx context.Context) (cost uint64, ok bool, err error) {
	first := wave{0, []int32{0}}
	w.extend(&first)
	w.all = append(w.all, first)
	for !w.done(&w.all[len(w.all)-1]) {
		if err := ctx.Err(); err != nil {
			return uint64(len(w.all)), false, err
		}
		next := w.next(len(w.all))
		w.extend(&next)
		if w.taken += 4 * int64(len(next.far)); w.taken > w.memory {
			return uint64(len(w.all)), false, nil
		}
		w.all = append(w.all, next)
		if old := len(w.all) - 1 - otherEvent; !w.keep && old >= 0 {
			w.taken -= 4 * int64(len(w.all[old].far))
			w.all[old].far = nil
		}
	}
	return uint64(len(w.all) - 1), true, nil
}

// done reports whether a wave has reached both ends.
func (w *waves) done(v *wave) bool { return int(v.at(len(w.b)-len(w.a))) == len(w.b) }

// next makes the wave of a cost of those before it.
func (w *waves) next(cost int) wave {
	var gap, other wave
	if cost >= lackingEvent {
		gap = w.all[cost-lackingEvent]
	}
	if cost >= otherEvent {
		other = w.all[cost-otherEvent]
	}
	lowest, highest := 0, -1
	if len(gap.far) > 0 {
		lowest, highest = gap.lowest-1, gap.lowest+len(gap.far)
	}
	if len(other.far) > 0 {
		lowest, highest = min(lowest, other.lowest), max(highest, other.lowest+len(other.far)-1)
	}
	lowest, highest = max(lowest, -len(w.a)), min(highest, len(w.b))
	v := wave{lowest, w.room(max(0, highest-lowest+1))}
	from := min(max(lowest, gap.lowest+1, other.lowest), highest+1)
	to := max(from, min(highest+1, gap.lowest+len(gap.far)-1, other.lowest+len(other.far)))
	w.steps(v.far[from-lowest:to-lowest], &gap, &other, from)
	for d := lowest; d < from; d++ {
		v.far[d-lowest] = w.step(&gap, &other, d)
	}
	for d := to; d <= highest; d++ {
		v.far[d-lowest] = w.step(&gap, &other, d)
	}
	return v
}

// steps sets how far a wave comes on diagonals that those before it have, with one more on each side.
func (w *waves) steps(far []int32, gap, other *wave, from int) {
	if len(far) == 0 {
		return
	}
	up := gap.far[from+1-gap.lowest:][:len(far)]
	down := gap.far[from-1-gap.lowest:][:len(far)]
	same := other.far[from-other.lowest:][:len(far)]
	endA, endB := int32(len(w.a)), int32(len(w.b))
	for i := range far {
		diagonal := int32(from + i)
		n := up[i]
		if n-diagonal > endA {
			n = -1
		}
		if d := down[i]; d >= n && d >= 0 && d < endB {
			n = d + 1
		}
		if s := same[i]; s >= n && s >= 0 && s < endB && s-diagonal < endA {
			n = s + 1
		}
		far[i] = n
	}
}

// room returns memory for a wave.
func (w *waves) room(n int) []int32 {
	if len(w.free) < n {
		return make([]int32, n)
	}
	part := w.free[:n:n]
	w.free = w.free[n:]
	return part
}

// step returns how far a wave comes on a diagonal by one step from the waves before it, -1 if it does not get there.
func (w *waves) step(gap, other *wave, diagonal int) int32 {
	far := gap.at(diagonal + 1) // an event of a is lacking in b
	if far >= 0 && int(far)-diagonal > len(w.a) {
		far = -1
	}
	if n := gap.at(diagonal - 1); n >= 0 && int(n) < len(w.b) { // an event of b is lacking in a
		far = max(far, n+1)
	}
	if n := other.at(diagonal); n >= 0 && int(n) < len(w.b) && int(n)-diagonal < len(w.a) {
		far = max(far, n+1)
	}
	return far
}

// extend goes on over equal events.
func (w *waves) extend(v *wave) {
	for i, far := range v.far {
		if far < 0 {
			continue
		}
		j := int(far)
		k := j - (v.lowest + i)
		for j < len(w.b) && k < len(w.a) && w.a[k] == w.b[j] {
			j++
			k++
		}
		v.far[i] = int32(j)
	}
}

// flatSegments returns the segments of two calls at level Flat; where these take too much memory, at level Wrap.
func (s *Aligner) flatSegments(ctx context.Context, x, y calltree.Node, most int) ([]Segment, error) {
	out := segments{most: most}
	if x == y {
		out.add(shape.Times(2, s.forest.Size(x)), Equal)
		return out.list, nil
	}
	if s.tooLong(x, y) {
		return s.nestedAligner().Segments(ctx, x, y, most)
	}
	w := newWaves(events(s.forest, x), events(s.forest, y), s.opt.Memory)
	w.keep = true
	_, ok, err := w.run(ctx)
	if err != nil {
		return nil, err
	}
	if !ok {
		w.all = nil
		return s.nestedAligner().Segments(ctx, x, y, most)
	}
	for _, p := range w.way() {
		out.add(p.events, p.state)
	}
	return out.list, nil
}

// piece is a number of events of one state.
type piece struct {
	events uint64
	state  State
}

// way returns the pieces of the alignment from its begin.
func (w *waves) way() []piece {
	var back []piece
	add := func(n int, s State) {
		if n > 0 {
			back = append(back, piece{uint64(n), s})
		}
	}
	cost, diagonal, j := len(w.all)-1, len(w.b)-len(w.a), len(w.b)
	for cost > 0 {
		before := w.before(cost, diagonal)
		reached := before.far
		add(j-reached, Equal)
		switch before.state {
		case OnlyA:
			cost, diagonal, j = cost-lackingEvent, diagonal+1, reached
		case OnlyB:
			cost, diagonal, j = cost-lackingEvent, diagonal-1, reached-1
		default:
			cost, j = cost-otherEvent, reached-1
		}
		add(1, before.state)
	}
	add(j, Equal)
	slices.Reverse(back)
	return back
}

// stepBack is the step by which a wave came to a diagonal, before it went on over equal events.
type stepBack struct {
	far   int // events of b that are done behind the step
	state State
}

// before returns the step by which the wave of a cost came to a diagonal: the one that came farthest.
func (w *waves) before(cost, diagonal int) (s stepBack) {
	s.far = -1
	consider := func(far int32, state State) {
		if int(far) > s.far && int(far) <= len(w.b) && int(far)-diagonal <= len(w.a) {
			s = stepBack{int(far), state}
		}
	}
	if cost >= lackingEvent {
		gap := &w.all[cost-lackingEvent]
		if n := gap.at(diagonal + 1); n >= 0 {
			consider(n, OnlyA)
		}
		if n := gap.at(diagonal - 1); n >= 0 {
			consider(n+1, OnlyB)
		}
	}
	if cost >= otherEvent {
		if n := w.all[cost-otherEvent].at(diagonal); n >= 0 {
			consider(n+1, Different)
		}
	}
	return s
}
