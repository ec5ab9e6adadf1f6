package contrast

import (
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/trace"
)

// lane is a location of one side, whose events are followed in step with those of its partner. Its events are counted as those of the structure
// that was aligned are: the location's own enter is number 0, transparent calls have none, and a call of a spread recursion has both of its
// own at its enter.
type lane struct {
	side     int
	shared   *run
	location uint64
	place    *trace.Place
	pair     *pairing // nil for a location without a partner
	events   uint64   // so far
	last     int64    // time of the last enter or leave
	stack    []frame
	name     calltree.Name // of the innermost call that is in the structure
	path     uint32        // of that
	top      int32         // the innermost call, -1 if there is none
	calls    []call
	free     []int32
	queue    []entered // calls whose partner is not known, from first on
	first    int
	counts   ordinals
	closed   uint32 // calls that have ended
	turn     int    // which of several passes reads it
}

// frame is an open call.
type frame struct {
	key   uint32
	call  int32
	path  uint32        // before
	name  calltree.Name // before
	plain bool          // it has its two events in the structure
	deep  bool          // it is further in than the levels that are compared; call is the one around it
}

// call is a call that is open, or waits for its partner.
type call struct {
	path      uint32
	done      bool
	lone      bool
	renamed   bool   // the other side has a call of another region there
	mate      int32  // the partner in the other lane, -1 if it is not known
	number    uint32 // of its end among those of the location, without the highest bits
	ordinal   uint64 // among the calls of its path on the location
	start     int64
	exclusive int64
	inclusive int64
}

// entered is a call with the number of its enter.
type entered struct {
	event uint64
	call  int32
}

func newLane(side int, shared *run, location uint64, place *trace.Place, from int64) *lane {
	return &lane{side: side, shared: shared, location: location, place: place, events: 1, last: from, top: -1}
}

// other returns the lane of the partner.
func (l *lane) other() *lane { return l.pair.lanes[1-l.side] }

// follow follows the events of a run.
func (l *lane) follow(r *calltree.EventRun, scale func(int64) int64) {
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
		l.event(e, now)
	}
}

// event follows an event that does something to calls.
func (l *lane) event(e *calltree.Event, now int64) {
	switch e.Class {
	case calltree.Enter:
		l.enter(e, now)
	case calltree.Leave:
		l.leave(e.Key, now)
	case calltree.Instant:
		l.enter(e, now)
		l.closeTo(len(l.stack)-1, now)
	}
}

// tick gives the time since the last event to the innermost call.
func (l *lane) tick(now int64) {
	if l.top >= 0 {
		l.calls[l.top].exclusive += now - l.last
	}
	l.last = now
}

func (l *lane) enter(e *calltree.Event, now int64) {
	f := frame{key: e.Key, path: l.path, name: l.name}
	if len(l.stack) >= l.shared.levels { // its time is that of the call around it
		f.call, f.deep = l.top, true
		l.stack = append(l.stack, f)
		return
	}
	l.tick(now)
	through := l.shared.through[e.Name]
	spread := !through && l.shared.spread && e.Name == l.name && len(l.stack) > 0
	path := l.path
	if !spread {
		path = l.shared.paths.child(l.path, e.Name)
	}
	f.call = l.newCall(path, now)
	if through || l.pair == nil {
		l.calls[f.call].lone = true
	} else {
		l.queue = append(l.queue, entered{l.events, f.call})
	}
	switch {
	case through:
	case spread:
		l.events += 2
	default:
		l.events++
		f.plain = true
		l.path, l.name = path, e.Name
	}
	l.top = f.call
	l.stack = append(l.stack, f)
}

// newCall returns the place of a new call.
func (l *lane) newCall(path uint32, now int64) int32 {
	c := call{path: path, mate: -1, start: now, ordinal: l.counts.next(path)}
	if n := len(l.free); n > 0 {
		at := l.free[n-1]
		l.free = l.free[:n-1]
		l.calls[at] = c
		return at
	}
	l.calls = append(l.calls, c)
	return int32(len(l.calls) - 1)
}

// leave closes the nearest call of a key and those further in. A leave of no call does nothing but pass time.
func (l *lane) leave(key uint32, now int64) {
	n := len(l.stack) - 1
	for n >= 0 && l.stack[n].key != key {
		n--
	}
	if n < 0 {
		return
	}
	l.tick(now)
	l.closeTo(n, now)
}

// closeTo closes open calls until a number is left.
func (l *lane) closeTo(left int, now int64) {
	for n := len(l.stack) - 1; n >= left; n-- {
		f := &l.stack[n]
		if f.plain {
			l.events++
		}
		l.path, l.name = f.path, f.name
		l.stack = l.stack[:n]
		if l.top = -1; n > 0 {
			l.top = l.stack[n-1].call
		}
		if !f.deep {
			l.close(f.call, now)
		}
	}
}

// close ends a call.
func (l *lane) close(at int32, now int64) {
	c := &l.calls[at]
	c.done, c.inclusive, c.number = true, now-c.start, l.closed
	l.closed++
	switch {
	case c.lone:
		l.shared.alone(l, c)
		l.free = append(l.free, at)
	case c.mate >= 0:
		if mate := &l.other().calls[c.mate]; mate.done {
			l.pair.met(l.side, at)
		}
	}
}

// memory returns about how many bytes the lane takes.
func (l *lane) memory() int64 {
	if l.pair != nil && l.pair.zip != nil {
		return l.pair.zip.memory()
	}
	return int64(callBytes*cap(l.calls) + 4*cap(l.free) + enteredBytes*cap(l.queue) + frameBytes*cap(l.stack) + 8*cap(l.counts))
}

// What parts of a lane take, in bytes.
const (
	callBytes    = 48
	enteredBytes = 16
	frameBytes   = 20
)
