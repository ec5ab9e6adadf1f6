package shapes

import (
	"context"
	"unsafe"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// frame is an open call.
type frame struct {
	start   int64
	inside  int64 // ticks of the calls directly inside that have ended
	ordinal uint64
	key     uint32
	state   uint32 // none if it has begun before the window
}

// line is a location that is followed.
type line struct {
	id    uint64
	index int32
	stack []frame
}

// Shares of the memory: an eighth for open calls, a quarter for classes, half for times of calls.
const (
	frameShare  = 8
	classShare  = 4
	sampleShare = 2
	// sampleBytes has room that lists have left.
	sampleBytes = 2 * int64(unsafe.Sizeof(sample{}))
	// mostSamples is the number of calls of a class whose times are kept at first.
	mostSamples = 1 << 18
)

// walk follows the events of a window, and adds up the classes of its calls.
type walk struct {
	*states
	tallies  []*tally // by state; nil without calls
	classes  int
	lines    map[uint64]*line
	extremes int
	cut      uint64 // calls that the window cuts
	memory   int64
	samples  int // of all classes
	each     int // most of a class
	frames   int64
	wide     int64 // bytes of a class at most
}

func newWalk(forest *calltree.Forest, ids []uint64, level Level, o *Options) *walk {
	w := &walk{
		states: newStates(forest, level), lines: make(map[uint64]*line, len(ids)), extremes: o.Unusual, memory: o.Memory, each: mostSamples,
		wide: int64(unsafe.Sizeof(tally{})) + int64(len(ids)+63)/64*16 + 2*int64(o.Unusual)*int64(unsafe.Sizeof(Call{})),
	}
	for i, id := range ids {
		w.lines[id] = &line{id: id, index: int32(i)}
	}
	return w
}

// open puts a call that is open when the window begins on the stack of its location.
func (w *walk) open(c *trace.Call, key uint32) {
	l := w.lines[c.Location]
	l.stack = append(l.stack, frame{start: c.Start, key: key, state: none})
	w.cut++
}

// run follows the events of a run. It reports false if the classes take more than their share of the memory.
func (w *walk) run(r *store.TimeRun, events []calltree.Event) (bool, error) {
	l := w.lines[r.Location]
	before := cap(l.stack)
	when := r.Times[:len(r.Leaves)]
	for i, leaf := range r.Leaves {
		switch e := &events[leaf]; e.Class {
		case calltree.Enter:
			l.stack = append(l.stack, frame{start: when[i], ordinal: r.First + uint64(i), key: e.Key, state: w.root(e.Name)})
		case calltree.Leave:
			n := len(l.stack) - 1
			for n >= 0 && l.stack[n].key != e.Key { // the nearest call of the key, and those inside of it, end
				n--
			}
			for n >= 0 && len(l.stack) > n {
				w.leave(l, when[i])
			}
		}
	}
	if w.frames += int64(cap(l.stack)-before) * int64(unsafe.Sizeof(frame{})); w.frames > w.memory/frameShare {
		return false, &MemoryError{w.memory}
	}
	return w.level == Regions || w.bytes()+8*int64(len(w.tallies))+int64(w.classes)*w.wide <= w.memory/classShare, nil
}

// leave ends the innermost call.
func (w *walk) leave(l *line, now int64) {
	n := len(l.stack) - 1
	f := &l.stack[n]
	took := now - f.start
	if n > 0 {
		around := &l.stack[n-1]
		around.inside += took
		if around.state != none && f.state != none {
			around.state = w.move(around.state, f.state)
		}
	}
	if f.state != none {
		w.add(f.state, &Call{Location: l.id, Event: f.ordinal, Start: f.start, End: now, Own: took - f.inside, index: l.index})
	}
	l.stack = l.stack[:n]
}

// add adds a call to its class.
func (w *walk) add(at uint32, c *Call) {
	for int(at) >= len(w.tallies) {
		w.tallies = append(w.tallies, make([]*tally, len(w.list)-len(w.tallies))...)
	}
	t := w.tallies[at]
	if t == nil {
		t = &tally{}
		w.tallies[at] = t
		w.classes++
	}
	t.add(c, w.extremes)
	w.samples += t.keep(sample{mixed(mixed(c.Location, c.Event), 0x2545f4914f6cdd1d), c.End - c.Start, c.Own}, w.each)
	if int64(w.samples)*sampleBytes > w.memory/sampleShare {
		w.thin()
	}
}

// thin halves the number of calls of a class whose times are kept, until those of all classes fit.
func (w *walk) thin() {
	for int64(w.samples)*sampleBytes > w.memory/sampleShare && w.each > 1 {
		w.each /= 2
		w.samples = 0
		for _, t := range w.tallies {
			if t != nil {
				t.thin(w.each)
				w.samples += len(t.samples)
			}
		}
	}
}

// follow follows the events of a window. It reports false if the classes take more than their share of the memory.
func (w *walk) follow(ctx context.Context, window *store.Window, events *calltree.Events, progress trace.Progress) (bool, error) {
	window = window.WithContext(ctx)
	open, err := window.OpenCalls()
	if err != nil {
		return false, err
	}
	for i := range open {
		w.open(&open[i], events.OfCall(&open[i]).Key)
	}
	done := int64(0)
	for r, err := range window.Times() {
		if err != nil {
			return false, err
		}
		if fits, err := w.run(r, events.Of(r.Shapes)); err != nil || !fits {
			return false, err
		}
		done += int64(len(r.Times))
		progress.Report(done, 0)
	}
	for _, l := range w.lines {
		for i := range l.stack {
			if l.stack[i].state != none {
				w.cut++
			}
		}
	}
	return true, nil
}
