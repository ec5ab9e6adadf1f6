package contrast

import (
	"github.com/pandotrace/pando/analysis/calltree"
)

// zip follows two locations that have the same calls in the same order: with one stack for both, and no call has to wait for its partner. What
// waits is times, where one side is ahead.
type zip struct {
	tracks [2]track
	stack  []both
	path   uint32
	name   calltree.Name
	counts ordinals
	closed uint32   // calls that have ended
	sums   []zipSum // by path
}

// zipSum is what pairs of calls on a path add up to.
type zipSum struct {
	pairs, slower, faster uint64
	plus, minus           int64
	ticks, inclusive      [2]int64
	spread                Distribution
}

// add counts a pair of which B takes longer by d. Whether it does is a matter of chance, so there is no branch on it.
func (s *zipSum) add(ownA, ownB, a, b int64) (d int64) {
	d = ownB - ownA
	longer := d &^ (d >> 63)
	s.pairs++
	s.slower += uint64(-d) >> 63 &^ (uint64(d) >> 63)
	s.faster += uint64(d) >> 63
	s.plus += longer
	s.minus += longer - d
	s.ticks[0] += ownA
	s.ticks[1] += ownB
	s.inclusive[0] += a
	s.inclusive[1] += b
	s.spread.Add(d)
	return d
}

// track is the enters and leaves of a side that wait for those of the other side. A leave of the source that closes several calls is several
// leaves.
type track struct {
	keys  []uint32 // of open calls, also of those further in than the levels that are compared: these have no times
	names []int32  // of enters; -1 for leaves. Only side A has them
	times []int64
	// levels is the number of levels that are compared.
	levels int
}

// both is a call that is open on both sides.
type both struct {
	path, before uint32
	name         calltree.Name // around it
	ordinal      uint64
	start        [2]int64
	inside       [2]int64 // time of the calls directly inside that have ended
}

const leaves = -1

func newZip(levels int) *zip {
	return &zip{tracks: [2]track{{levels: levels}, {levels: levels}}}
}

// note notes the enters and leaves of a run.
func (z *zip) note(side int, r *calltree.EventRun, scale func(int64) int64) {
	t := &z.tracks[side]
	when := r.Times[:len(r.Leaves)]
	for i, leaf := range r.Leaves {
		e := &r.Events[leaf]
		if e.Class == calltree.Other {
			continue
		}
		now := when[i]
		if scale != nil {
			now = scale(now)
		}
		if e.Class != calltree.Leave {
			if t.enter(side, e, now); e.Class == calltree.Instant {
				t.close(side, len(t.keys)-1, now)
			}
			continue
		}
		if n := len(t.keys) - 1; n >= 0 && t.keys[n] == e.Key {
			t.close(side, n, now)
			continue
		}
		t.cut(side, e.Key, now)
	}
}

func (t *track) enter(side int, e *calltree.Event, now int64) {
	if t.keys = append(t.keys, e.Key); len(t.keys) > t.levels {
		return
	}
	if t.times = append(t.times, now); side == 0 {
		t.names = append(t.names, int32(e.Name))
	}
}

// close closes open calls until a number is left.
func (t *track) close(side, left int, now int64) {
	calls := min(len(t.keys), t.levels) - left
	t.keys = t.keys[:left]
	for range calls {
		if t.times = append(t.times, now); side == 0 {
			t.names = append(t.names, leaves)
		}
	}
}

// cut closes the nearest call of a key and those further in.
func (t *track) cut(side int, key uint32, now int64) {
	n := len(t.keys) - 1
	for n >= 0 && t.keys[n] != key {
		n--
	}
	if n >= 0 {
		t.close(side, n, now)
	}
}

// meet follows what both sides have.
func (z *zip) meet(r *run, p *pairing) {
	a, b := &z.tracks[0], &z.tracks[1]
	n := min(len(a.times), len(b.times))
	timesA, timesB := a.times[:n], b.times[:n]
	for i, name := range a.names[:n] {
		if name == leaves {
			z.leave(r, p, timesA[i], timesB[i])
		} else {
			z.enter(r, p, calltree.Name(name), timesA[i], timesB[i])
		}
	}
	a.names = a.names[:copy(a.names, a.names[n:])]
	a.times = a.times[:copy(a.times, a.times[n:])]
	b.times = b.times[:copy(b.times, b.times[n:])]
}

func (z *zip) enter(r *run, p *pairing, name calltree.Name, a, b int64) {
	n := len(z.stack)
	if n == cap(z.stack) {
		z.stack = append(z.stack, both{})
	}
	z.stack = z.stack[:n+1]
	c := &z.stack[n]
	c.before, c.path, c.name = z.path, z.path, z.name
	if n == 0 || !r.spread || name != z.name {
		c.path = r.paths.child(z.path, name)
		z.path, z.name = c.path, name
	}
	c.ordinal = z.counts.next(c.path)
	for len(z.sums) < len(z.counts) {
		z.sums = append(z.sums, zipSum{})
	}
	c.start[0], c.start[1], c.inside[0], c.inside[1] = a, b, 0, 0
	p.skew.add(a, b)
}

// leave ends the innermost call on both sides, and counts it. At the end, that is as [run.together] would have counted it.
func (z *zip) leave(r *run, p *pairing, endA, endB int64) {
	top := len(z.stack) - 1
	c := &z.stack[top]
	z.stack = z.stack[:top]
	z.path, z.name = c.before, c.name
	a, b := endA-c.start[0], endB-c.start[1]
	if top > 0 {
		around := &z.stack[top-1]
		around.inside[0] += a
		around.inside[1] += b
	}
	ownA, ownB := a-c.inside[0], b-c.inside[1]
	d := z.sums[c.path].add(ownA, ownB, a, b)
	p.cell(c.path).bin(d, c.start[0], c.ordinal)
	if r.sink != nil {
		x := call{path: c.path, ordinal: c.ordinal, start: c.start[0], exclusive: ownA, inclusive: a, number: z.closed}
		y := call{path: c.path, ordinal: c.ordinal, start: c.start[1], exclusive: ownB, inclusive: b, number: z.closed}
		r.sink.together(p, &x, &y)
	}
	z.closed++
}

// end closes the calls that are open.
func (z *zip) end(side int, now int64) {
	z.tracks[side].close(side, 0, now)
}

// count adds what was counted to the sums of paths and to those of the pair.
func (z *zip) count(r *run, p *pairing) {
	for path := range z.sums {
		s := &z.sums[path]
		if s.pairs == 0 {
			continue
		}
		r.paths.list[path].Tally.Add(&Tally{
			Calls: [2]uint64{s.pairs, s.pairs}, Ticks: s.ticks, Inclusive: s.inclusive,
			Pairs: s.pairs, Slower: s.slower, Faster: s.faster, Plus: s.plus, Minus: s.minus, Spread: s.spread,
		})
		n := p.cell(uint32(path))
		n.pairs, n.slower, n.faster = n.pairs+s.pairs, n.slower+s.slower, n.faster+s.faster
		n.net, n.ticks = n.net+s.plus-s.minus, n.ticks+s.ticks[0]
	}
	z.sums = nil
}

// memory returns about how many bytes wait.
func (z *zip) memory() int64 {
	return int64(8*(cap(z.tracks[0].times)+cap(z.tracks[1].times)) + 4*cap(z.tracks[0].names))
}
