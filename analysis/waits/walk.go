package waits

import (
	"cmp"
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// walk goes along the critical path through the events of a window.
type walk struct {
	flow   *flow
	steps  *spool[Step, *Step] // the last one first
	unread int                 // blocks of steps
	ahead  []Step              // steps that were read and not given to their place yet, the last one first
	events *calltree.Events
	forest *calltree.Forest
	names  []uint32 // by name of the forest: that of the paths, plus 1
	places []walked
	active []int32 // places that have steps
	seen   int64   // the latest time of an event
	ticks  map[onPath]*pathTicks
	each   func(*Paths, *Stretch) error // may be nil
	ready  []Stretch                    // that come after others
	now    int64                        // up to which stretches were handed over
}

// walked is a location.
type walked struct {
	stack []walkedCall
	path  PathID
	last  int64   // time of the last enter or leave
	steps []Step  // on it, in order, that are to come
	run   Stretch // the last one of the first step, which may go on; empty if there is none yet
}

type walkedCall struct {
	key    uint32
	before PathID
}

type onPath struct {
	place int32
	path  PathID
}

type pathTicks struct {
	stretches uint64
	ticks     int64
}

func newWalk(f *flow, steps *spool[Step, *Step], each func(*Paths, *Stretch) error) *walk {
	forest := calltree.NewForest()
	w := &walk{
		flow: f, steps: steps, unread: steps.len(), events: forest.Events(f.defs, nil), forest: forest,
		places: make([]walked, len(f.places)), ticks: map[onPath]*pathTicks{}, each: each, now: f.from, seen: f.from,
	}
	for i := range w.places {
		w.places[i].last = f.from
	}
	return w
}

// open opens a call that is open when the window begins.
func (w *walk) open(c *trace.Call) {
	e := w.events.OfCall(c)
	p := &w.places[w.flow.byID[c.Location].index]
	w.enter(p, &e)
}

func (w *walk) enter(p *walked, e *calltree.Event) {
	p.stack = append(p.stack, walkedCall{e.Key, p.path})
	for int(e.Name) >= len(w.names) {
		w.names = append(w.names, 0)
	}
	if w.names[e.Name] == 0 {
		w.names[e.Name] = w.flow.paths.named(w.forest.NameOf(e.Name)) + 1
	}
	p.path = w.flow.paths.child(p.path, w.names[e.Name]-1)
}

// follow follows the events of a run.
func (w *walk) follow(run *store.TimeRun) error {
	if err := w.load(run.Times[len(run.Times)-1]); err != nil {
		return err
	}
	at := w.flow.byID[run.Location].index
	p, events := &w.places[at], w.events.Of(run.Shapes)
	for i, leaf := range run.Leaves {
		e := &events[leaf]
		if e.Class == calltree.Other {
			continue
		}
		n := -1
		if e.Class == calltree.Leave {
			if n = p.of(e.Key); n < 0 {
				continue
			}
		}
		now := run.Times[i]
		if len(p.steps) > 0 && p.steps[0].Start < now {
			w.cover(at, p, now)
		}
		if p.last = now; n < 0 {
			w.enter(p, e)
		} else {
			p.path, p.stack = p.stack[n].before, p.stack[:n]
		}
	}
	w.seen = max(w.seen, run.Times[len(run.Times)-1])
	return nil
}

// of returns the place of the innermost call of a key on the stack, -1 if there is none.
func (p *walked) of(key uint32) int {
	n := len(p.stack) - 1
	for n >= 0 && p.stack[n].key != key {
		n--
	}
	return n
}

// load gives steps that begin up to a time to their places.
func (w *walk) load(until int64) (err error) {
	for {
		for n := len(w.ahead) - 1; n >= 0; n-- {
			s := &w.ahead[n]
			if s.Start > until {
				return nil
			}
			p := &w.places[s.place]
			if len(p.steps) == 0 {
				w.active = append(w.active, s.place)
			}
			p.steps = append(p.steps, *s)
			w.ahead = w.ahead[:n]
		}
		if w.unread == 0 {
			return nil
		}
		w.unread--
		if w.ahead, err = w.steps.read(w.unread, w.ahead); err != nil {
			return err
		}
	}
}

// cover gives the time from the last event of a place up to another time to the call that was open, as far as the critical path is there.
func (w *walk) cover(at int32, p *walked, until int64) {
	for len(p.steps) > 0 {
		s := &p.steps[0]
		from, to := max(s.Start, p.last), min(s.End, until)
		if from < to {
			if p.run.End == from && p.run.Start < from && p.run.Path == p.path {
				p.run.End = to
			} else {
				w.put(at, p)
				p.run = Stretch{w.flow.places[at].id, p.path, from, to, Kinds}
				if from == s.Start {
					p.run.Reason = s.Reason
				}
			}
		}
		if s.End > until {
			return
		}
		w.put(at, p)
		p.steps = p.steps[1:]
	}
}

// put ends the stretch under way.
func (w *walk) put(at int32, p *walked) {
	s := &p.run
	if s.Start >= s.End {
		return
	}
	k := onPath{at, s.Path}
	t := w.ticks[k]
	if t == nil {
		t = &pathTicks{}
		w.ticks[k] = t
	}
	t.stretches++
	t.ticks += s.End - s.Start
	if w.each != nil {
		w.ready = append(w.ready, *s)
	}
	*s = Stretch{}
}

// flush ends the steps that end before the events that are to come, and hands stretches over that are next.
func (w *walk) flush() error {
	kept := w.active[:0]
	for _, at := range w.active {
		p := &w.places[at]
		for len(p.steps) > 0 && p.steps[0].End <= w.seen {
			w.cover(at, p, p.steps[0].End)
		}
		if len(p.steps) > 0 {
			kept = append(kept, at)
		}
	}
	w.active = kept
	if err := w.check(); err != nil {
		return err
	}
	if err := w.flow.ctx.Err(); err != nil || len(w.ready) == 0 {
		return err
	}
	slices.SortFunc(w.ready, func(a, b Stretch) int { return cmp.Compare(a.Start, b.Start) })
	n := 0
	for ; n < len(w.ready) && w.ready[n].Start == w.now; n++ {
		if err := w.each(w.flow.paths, &w.ready[n]); err != nil {
			return err
		}
		w.now = w.ready[n].End
	}
	w.ready = append(w.ready[:0], w.ready[n:]...)
	return nil
}

// check refuses more call paths, and more calls that are open at once, than fit half of the memory.
func (w *walk) check() error {
	held := w.flow.paths.memory() + pathTicksBytes*int64(len(w.ticks))
	for i := range w.places {
		held += walkedBytes * int64(cap(w.places[i].stack))
	}
	if held > w.flow.memory/2 {
		return &MemoryError{w.flow.memory}
	}
	return nil
}

// The memory of open calls and of sums, in bytes.
const (
	walkedBytes    = 8
	pathTicksBytes = 64
)

// end goes along what is left behind the last event.
func (w *walk) end() error {
	err := w.load(math.MaxInt64)
	w.seen = math.MaxInt64
	if err == nil {
		err = w.flush()
	}
	return err
}
