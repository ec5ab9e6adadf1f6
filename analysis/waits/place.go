package waits

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// place is a location, with what is open on it.
type place struct {
	id      uint64
	index   int32
	process int32 // what counts collective operations
	stack   []frame
	path    PathID
	ends    []end // of messages that are to come, by ordinal
	unready bool  // the ends are not in order
	// By request: receives that were posted, sends that are not complete, and collective operations that do not block.
	posted, started map[uint64]origin
	sends           map[uint64]int32
}

// frame is an open call.
type frame struct {
	origin
	key    uint64
	plain  bool // not of a calling context
	role   role
	before PathID
	waiter int32 // -1 if nothing that a call may wait for has happened in it
	talks  int32 // place on the stack of the innermost call that communicates, up to this one; -1 if none does
}

// end is an end of a message that is to come.
type end struct {
	ordinal uint64
	time    int64
	message int32
	receive bool
}

func newPlace(id uint64, index int) *place {
	return &place{
		id: id, index: int32(index), path: Outside, posted: map[uint64]origin{}, started: map[uint64]origin{}, sends: map[uint64]int32{},
	}
}

// enter opens a call.
func (f *flow) enter(p *place, a *act) {
	region := a.a
	if a.kind == trace.KindCallingContextEnter {
		region = f.defs.ContextRegion(a.a)
	}
	f.open(p, a.a, region, a.kind == trace.KindEnter, a.time, a.ordinal)
}

// open puts a call on the stack of a location.
func (f *flow) open(p *place, key, region uint64, plain bool, at int64, ordinal uint64) {
	before, talks, role := p.path, int32(-1), f.roles.role(region)
	if n := len(p.stack); role&communicates != 0 {
		talks = int32(n)
	} else if n > 0 {
		talks = p.stack[n-1].talks
	}
	p.path = f.paths.child(before, f.paths.name(region))
	p.stack = append(p.stack, frame{
		origin: origin{known: true, place: p.index, path: p.path, at: at, ordinal: ordinal},
		key:    key, plain: plain, role: role, before: before, waiter: -1, talks: talks,
	})
}

// leave closes the nearest call of a key, and those further in. A leave without a call does nothing.
func (f *flow) leave(p *place, a *act) {
	n := len(p.stack) - 1
	for n >= 0 && (p.stack[n].key != a.a || p.stack[n].plain != (a.kind == trace.KindLeave)) {
		n--
	}
	if n >= 0 {
		f.closeTo(p, n, mark{a.time, p.index, a.ordinal})
	}
}

// closeTo closes calls until a number is open.
func (f *flow) closeTo(p *place, left int, now mark) {
	for n := len(p.stack) - 1; n >= left; n-- {
		c := &p.stack[n]
		p.path = c.before
		if c.waiter >= 0 {
			w := &f.waiters.list[c.waiter]
			w.leave, w.left, w.known = now.time, true, later(w.known, now)
			f.settle(c.waiter)
		}
	}
	p.stack = p.stack[:left]
}

// communicating returns the innermost open call that communicates, nil if there is none.
func (p *place) communicating() *frame {
	if n := len(p.stack); n > 0 && p.stack[n-1].talks >= 0 {
		return &p.stack[p.stack[n-1].talks]
	}
	return nil
}

// waiting returns the waiter of a call, with one thing more that it may have waited for.
func (f *flow) waiting(c *frame) int32 {
	if c.waiter < 0 {
		c.waiter = f.waiters.add(waiter{origin: c.origin, first: -1})
	}
	f.waiters.list[c.waiter].pending++
	return c.waiter
}

// take returns the message that an event is an end of; ok is false if it is of none.
func (p *place) take(ordinal uint64, receive bool) (message int32, ok bool) {
	if p.unready {
		slices.SortFunc(p.ends, func(a, b end) int { return cmp.Compare(a.ordinal, b.ordinal) })
		p.unready = false
	}
	n := 0
	for n < len(p.ends) && p.ends[n].ordinal < ordinal {
		n++
	}
	if n < len(p.ends) && p.ends[n].ordinal == ordinal && p.ends[n].receive == receive {
		message, ok = p.ends[n].message, true
		n++
	}
	p.ends = p.ends[n:]
	return message, ok
}
