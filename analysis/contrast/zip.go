package contrast

import (
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/store"
)

// zip follows two locations that have the same calls in the same order: with one stack for both, and no call has to wait for its partner. What
// waits is times, where one side is ahead.
type zip struct {
	tracks [2]track
	stack  []both
	last   [2]int64
	path   uint32
	name   calltree.Name
	counts ordinals
	closed uint32 // calls that have ended
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
	plain        bool          // it is no call of a spread recursion
	ordinal      uint64
	start        [2]int64
	exclusive    [2]int64
}

const leaves = -1

func newZip(levels int) *zip {
	return &zip{tracks: [2]track{{levels: levels}, {levels: levels}}}
}

// note notes the enters and leaves of a run.
func (z *zip) note(side int, events []calltree.Event, r *store.TimeRun, scale func(int64) int64) {
	t := &z.tracks[side]
	when := r.Times[:len(r.Leaves)]
	for i, leaf := range r.Leaves {
		e := &events[leaf]
		if e.Class == calltree.Other {
			continue
		}
		now := when[i]
		if scale != nil {
			now = scale(now)
		}
		if e.Class == calltree.Enter {
			t.enter(side, e, now)
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
	for i, name := range a.names[:n] {
		now := [2]int64{a.times[i], b.times[i]}
		if top := len(z.stack) - 1; top >= 0 {
			c := &z.stack[top]
			c.exclusive[0] += now[0] - z.last[0]
			c.exclusive[1] += now[1] - z.last[1]
		}
		z.last = now
		if name == leaves {
			z.leave(r, p, now)
		} else {
			z.enter(r, p, calltree.Name(name), now)
		}
	}
	a.names = a.names[:copy(a.names, a.names[n:])]
	a.times = a.times[:copy(a.times, a.times[n:])]
	b.times = b.times[:copy(b.times, b.times[n:])]
}

func (z *zip) enter(r *run, p *pairing, name calltree.Name, now [2]int64) {
	c := both{before: z.path, path: z.path, name: z.name, start: now}
	if len(z.stack) == 0 || !r.spread || name != z.name {
		c.plain = true
		c.path = r.paths.child(z.path, name)
		z.path, z.name = c.path, name
	}
	c.ordinal = z.counts.next(c.path)
	p.skew.add(now[0], now[1])
	z.stack = append(z.stack, c)
}

// leave ends the innermost call on both sides, and counts it as [run.together] does: this way costs a sixth less of the whole comparison.
func (z *zip) leave(r *run, p *pairing, now [2]int64) {
	c := &z.stack[len(z.stack)-1]
	z.stack = z.stack[:len(z.stack)-1]
	z.path, z.name = c.before, c.name
	t := &r.paths.list[c.path].Tally
	for side := range 2 {
		t.Calls[side]++
		t.Ticks[side] += c.exclusive[side]
		t.Inclusive[side] += now[side] - c.start[side]
	}
	d := c.exclusive[1] - c.exclusive[0]
	t.pair(d)
	n := p.cell(c.path)
	n.ticks += c.exclusive[0]
	n.add(d, c.start[0], c.ordinal)
	if r.sink != nil {
		a, b := c.of(0, now[0]), c.of(1, now[1])
		a.number, b.number = z.closed, z.closed
		r.sink.together(p, &a, &b)
	}
	z.closed++
}

// of returns the call of a side, when it has ended.
func (c *both) of(side int, now int64) call {
	return call{path: c.path, ordinal: c.ordinal, start: c.start[side], exclusive: c.exclusive[side], inclusive: now - c.start[side]}
}

// end closes the calls that are open.
func (z *zip) end(side int, now int64) {
	z.tracks[side].close(side, 0, now)
}

// memory returns about how many bytes wait.
func (z *zip) memory() int64 {
	return int64(8*(cap(z.tracks[0].times)+cap(z.tracks[1].times)) + 4*cap(z.tracks[0].names))
}
