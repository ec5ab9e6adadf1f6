package store

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// sliceCalls are the calls of one lane in one slice.
type sliceCalls struct {
	// open go on when the slice begins, begin are entered in it; both are ordered by location and ordinal.
	open, begin []trace.Call
	stack       []openFrame
}

// callRoom is memory for the calls of a slice that nobody needs any longer.
var callRoom = sync.Pool{New: func() any { return new(sliceCalls) }}

// calls follows the call stacks of a lane through a slice. The result may be given to callRoom when it is no longer needed.
func (r *Reader) calls(slice uint64, lane uint32) (*sliceCalls, error) {
	steps, err := r.callSteps(slice, lane)
	if err != nil {
		return nil, err
	}
	return r.follow(slice, lane, steps)
}

// follow follows the call stacks of a lane through some steps.
func (r *Reader) follow(slice uint64, lane uint32, steps *callSteps) (*sliceCalls, error) {
	d, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	open, begin, err := r.spanningCalls(slice, lane)
	if err != nil {
		return nil, err
	}
	f := follower{sliceCalls: callRoom.Get().(*sliceCalls), reader: r, definitions: d, meaning: steps.meaning, items: open, later: begin}
	f.begin = f.begin[:0]
	f.base()
	if err = f.slice(steps); err == nil && len(f.later) > 0 {
		err = format.Corruptf("calls block", -1, "location %d has no enter at event %d", f.later[0].Location, f.later[0].Ordinal)
	}
	return f.sliceCalls, format.At(err, r.name, -1)
}

// follower reconstructs the calls of a slice from its events, the calls open when it begins, and the items of those that
// outlast it.
type follower struct {
	*sliceCalls
	reader      *Reader
	definitions *trace.Definitions
	meaning     []leafCall   // by leaf
	items       []index.Call // of the calls that are open
	later       []index.Call // what is left of those that begin and end in a later slice
	location    uint64       // of the run that is followed
}

type callKey struct {
	key     uint64
	context bool
}

// openFrame is a call on the stack.
type openFrame struct {
	key        uint32 // its number
	leaf       uint32 // of its enter, unless it is known
	start      int64
	ordinal    uint64
	childTicks int64
	children   uint64
	call       int // its place in begin; -1 if it is open when the slice begins, and known
}

// base makes calls of what is open when the slice begins; those of one location are nested in their order.
func (f *follower) base() {
	f.open = slices.Grow(f.open[:0], len(f.items))[:len(f.items)]
	for i := range f.items {
		c := &f.open[i]
		*c = f.call(&f.items[i])
		if i > 0 && f.items[i-1].Location == f.items[i].Location {
			c.Depth, c.Parent = f.open[i-1].Depth+1, f.open[i-1].Ordinal
		}
	}
}

func (f *follower) call(c *index.Call) trace.Call {
	t := trace.Call{
		Location: f.reader.info.Locations[c.Location].ID, Start: c.Start, End: c.End, Exclusive: c.Exclusive,
		Children: c.Children, Ordinal: c.Ordinal, EndOrdinal: c.EndOrdinal, Parent: trace.Undefined, Flags: c.Flags,
	}
	t.Region, t.Context = regionOf(f.definitions, callKey{c.Key, c.Context})
	return t
}

// regionOf returns the region and the calling context of a call.
func regionOf(d *trace.Definitions, k callKey) (region, context uint64) {
	if !k.context {
		return k.key, trace.Undefined
	}
	if c, ok := d.Contexts[k.key]; ok {
		return c.Region, k.key
	}
	return trace.Undefined, k.key
}

func (f *follower) slice(s *callSteps) error {
	f.begin = slices.Grow(f.begin, s.enters)
	item := 0
	for i := range s.runs {
		run := &s.runs[i]
		f.location = f.reader.info.Locations[run.location].ID
		f.stack = f.stack[:0]
		for item < len(f.items) && f.items[item].Location < run.location {
			item++
		}
		for ; item < len(f.items) && f.items[item].Location == run.location; item++ {
			c := &f.items[item]
			number := f.reader.numbers.call(f.definitions, callKey{c.Key, c.Context})
			f.stack = append(f.stack, openFrame{key: number.key, ordinal: c.Ordinal, call: -1})
		}
		f.run(run)
		if err := f.outlasting(run.location); err != nil {
			return err
		}
	}
	return nil
}

// run follows the stack of one location.
func (f *follower) run(run *stepRun) {
	at, times := run.at[:len(run.leaves)], run.times[:len(run.leaves)]
	for i, leaf := range run.leaves {
		l := &f.meaning[leaf]
		if ordinal := run.first + uint64(at[i]); l.class == encode.Enter || l.class == encode.ContextEnter {
			f.stack = append(f.stack, openFrame{key: l.key, leaf: leaf, start: times[i], ordinal: ordinal, call: len(f.begin)})
			f.begin = append(f.begin, trace.Call{})
		} else {
			f.leave(l.key, times[i], ordinal)
		}
	}
}

// leave closes the nearest open call of the key, and those further in.
func (f *follower) leave(key uint32, t int64, ordinal uint64) {
	n := len(f.stack) - 1
	for n >= 0 && f.stack[n].key != key {
		n--
	}
	if n < 0 {
		return
	}
	for top := len(f.stack) - 1; top >= n; top-- {
		if f.stack[top].call >= 0 { // what began earlier is known already
			f.close(top, t, ordinal, top > n)
		}
	}
	f.stack = f.stack[:n]
}

// close completes a call that ends in the slice.
func (f *follower) close(top int, t int64, ordinal uint64, cut bool) {
	o := &f.stack[top]
	c := &f.begin[o.call]
	l := &f.meaning[o.leaf]
	*c = trace.Call{
		Location: f.location, Region: l.region, Context: l.context, Start: o.start, End: t, Exclusive: t - o.start - o.childTicks,
		Children: o.children, Depth: top, Ordinal: o.ordinal, EndOrdinal: ordinal, Parent: trace.Undefined,
	}
	if cut {
		c.Flags = trace.CallCut
	}
	if top > 0 {
		parent := &f.stack[top-1]
		parent.children++
		parent.childTicks += t - o.start
		c.Parent = parent.ordinal
	}
}

// outlasting completes the calls of a location that are open when the slice ends.
func (f *follower) outlasting(location uint32) error {
	for depth := range f.stack {
		o := &f.stack[depth]
		if o.call < 0 {
			continue
		}
		if len(f.later) == 0 || f.later[0].Location != location || f.later[0].Ordinal != o.ordinal {
			return format.Corruptf("calls block", -1, "no item for the call of location %d at event %d", f.location, o.ordinal)
		}
		c := &f.begin[o.call]
		*c = f.call(&f.later[0])
		if c.Depth = depth; depth > 0 {
			c.Parent = f.stack[depth-1].ordinal
		}
		f.later = f.later[1:]
	}
	return nil
}
