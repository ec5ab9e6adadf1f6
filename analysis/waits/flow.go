package waits

import (
	"context"
	"math"
	"slices"

	"github.com/pandotrace/pando/internal/gather"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// flow follows the events of a window, and finds waits.
type flow struct {
	ctx        context.Context
	info       *store.Info
	defs       *trace.Definitions
	window     *store.Window
	from, to   int64 // of the window; what is read may be more
	paths      *Paths
	roles      roles
	places     []*place // in the order of definition
	byID       map[uint64]*place
	processes  map[uint64]int32 // by location group: the place of its first location
	messages   slab[message]
	waiters    slab[waiter]
	candidates slab[candidate]
	operations map[turn]*operation
	members    int      // of operations
	ended      []member // in the part under way
	census     census
	shifts     *gather.Shifts    // of numbers of operations, from counts
	early      map[sendID]*early // of messages that are under way when the window begins
	counts     Counts
	sums       *sums
	latest     latest
	found      []Wait            // in the part under way
	each       func(*Wait) error // for each wait
	memory     int64
}

// Counts says what was met in a window, and what of it is odd.
type Counts struct {
	// Messages are those of the window, Operations the collective operations that have ended on a location of it.
	Messages, Operations uint64
	// UnmatchedSends and UnmatchedReceives are ends of messages that have no other end: nothing is known of how long they waited.
	UnmatchedSends, UnmatchedReceives uint64
	// Bare are ends of messages outside of calls of communication: what they waited for cannot be told from other work.
	Bare uint64
	// Backward are messages that are received before they are sent, WorstBackward by how many ticks at most: the clocks disagree.
	Backward      uint64
	WorstBackward int64
	// Clamped counts what came after the leave of a call that cannot be left before it. The wait ends with the leave.
	Clamped uint64
	// MixedRoots are operations whose locations do not name the same root, MixedKinds those whose locations take part in different ones: no
	// wait is known of the latter.
	MixedRoots, MixedKinds uint64
	// Incomplete are operations in which some rank of their communicator has no part in what was read: it may be the one that came last.
	Incomplete uint64
}

// place returns the place of a location.
func (f *flow) place(id uint64) *place {
	p := f.byID[id]
	if p == nil {
		p = newPlace(id, len(f.places))
		p.process = p.index
		if group, ok := f.defs.Process(id); ok {
			first, known := f.processes[group]
			if !known {
				first = p.index
				f.processes[group] = first
			}
			p.process = first
		}
		f.places = append(f.places, p)
		f.byID[id] = p
	}
	return p
}

// follow follows a part.
func (f *flow) follow(x *part) error {
	if err := f.announce(x.messages); err != nil {
		return err
	}
	for i := range x.runs {
		r := &x.runs[i]
		p := f.place(r.location)
		if r.inside {
			f.latest.see(r.last, p.index)
		}
		for j := range r.acts {
			f.act(p, &r.acts[j])
		}
	}
	f.gather()
	if err := f.check(); err != nil {
		return err
	}
	return f.emit()
}

func (f *flow) act(p *place, a *act) {
	switch a.kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		f.enter(p, a)
	case trace.KindLeave, trace.KindCallingContextLeave:
		f.leave(p, a)
	case trace.KindMpiSend, trace.KindMpiIsend:
		f.send(p, a)
	case trace.KindMpiIsendComplete:
		f.complete(p, a)
	case trace.KindMpiIrecvRequest:
		f.post(p, a)
	case trace.KindMpiRecv, trace.KindMpiIrecv:
		f.receive(p, a)
	case trace.KindMpiRequestCancelled:
		f.forget(p, a.a)
		delete(p.posted, a.a)
	case trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete:
		f.finish(p, a)
	case trace.KindNonBlockingCollectiveRequest:
		f.start(p, a)
	}
}

// settle works out a call that was left, when all that it may have waited for is known.
func (f *flow) settle(n int32) {
	w := &f.waiters.list[n]
	if !w.left || w.pending > 0 {
		return
	}
	x := Wait{
		Location: f.places[w.place].id, Path: w.path, Call: w.ordinal, Start: max(w.at, f.from), place: w.place, known: w.known,
	}
	var cause *candidate
	hard := f.lastHard(w)
	for at := w.first; at >= 0; {
		c := &f.candidates.list[at]
		if end := min(c.at, w.leave, f.to); end > x.Start && (c.hard || hard < c.at && c.at < w.leave) {
			x.Late++
			f.sums.late(c, x.Start, end-x.Start)
			if c.at > w.leave {
				f.counts.Clamped++
			}
			if cause == nil || blamedFirst(c, cause) {
				cause = c
			}
		}
		f.candidates.drop(at)
		at = c.next
	}
	if cause != nil {
		x.End = min(cause.at, w.leave, f.to)
		x.Kind, x.Cause, x.CausePath, x.CauseTime = cause.kind, f.places[cause.place].id, cause.path, cause.at
		x.causePlace, x.Clamped = cause.place, cause.at > w.leave
		f.found = append(f.found, x)
	}
	f.waiters.drop(n)
}

// lastHard returns when the last one of those came before which a call cannot be left.
func (f *flow) lastHard(w *waiter) int64 {
	last := int64(math.MinInt64)
	for at := w.first; at >= 0; at = f.candidates.list[at].next {
		if c := &f.candidates.list[at]; c.hard {
			last = max(last, c.at)
		}
	}
	return last
}

// blamedFirst reports whether a candidate is blamed rather than another one.
func blamedFirst(a, b *candidate) bool {
	c := a.compare(&b.origin)
	return c > 0 || c == 0 && a.kind < b.kind
}

// emit hands over the waits that were found, in the order in which they became known: the same however the file is divided.
func (f *flow) emit() error {
	slices.SortFunc(f.found, func(a, b Wait) int {
		if c := a.known.compare(b.known); c != 0 {
			return c
		}
		return mark{a.Start, a.place, a.Call}.compare(mark{b.Start, b.place, b.Call})
	})
	for i := range f.found {
		w := &f.found[i]
		f.sums.add(w)
		if err := f.each(w); err != nil {
			return err
		}
	}
	f.found = f.found[:0]
	return f.ctx.Err()
}

// end closes what is open when all events were read.
func (f *flow) end() error {
	for _, p := range f.places {
		f.closeTo(p, 0, mark{f.info.Last, p.index, ^uint64(0)})
	}
	if err := f.ending(); err != nil {
		return err
	}
	for t, op := range f.operations { // some part was not found: the order of these counts for nothing
		delete(f.operations, t)
		f.operate(op)
	}
	for i := range f.waiters.list {
		w := &f.waiters.list[i]
		if w.pending > 0 {
			w.pending = 0
			f.settle(int32(i))
		}
	}
	return f.emit()
}

// The memory of what is under way, in bytes.
const (
	messageBytes   = 200
	waiterBytes    = 104
	candidateBytes = 56
	memberBytes    = 136
	frameBytes     = 88
)

// check refuses more than half of the memory: that many messages, operations and calls are under way at once. The other half is for waits and steps.
func (f *flow) check() error {
	held := messageBytes*len(f.messages.list) + waiterBytes*len(f.waiters.list) + candidateBytes*len(f.candidates.list) + memberBytes*f.members
	for _, p := range f.places {
		held += frameBytes * cap(p.stack)
	}
	if int64(held)+f.paths.memory()+f.sums.memory() > f.memory/2 {
		return &MemoryError{f.memory}
	}
	return nil
}
