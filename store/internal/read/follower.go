package read

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// SliceCalls are the calls of one lane in one slice.
type SliceCalls struct {
	// Open go on when the slice begins, begin are entered in it; both are ordered by location and ordinal.
	Open, Begin []trace.Call
	Stack       []openFrame
}

// CallRoom is memory for the calls of a slice that nobody needs any longer.
var CallRoom = sync.Pool{New: func() any { return new(SliceCalls) }}

// Calls follows the call stacks of a lane through a slice. The result may be given to callRoom when it is no longer needed.
func (r *File) Calls(slice uint64, lane uint32) (*SliceCalls, error) {
	steps, err := r.CallSteps(slice, lane)
	if err != nil {
		return nil, err
	}
	return r.Follow(slice, lane, steps)
}

// Follow follows the call stacks of a lane through some steps.
func (r *File) Follow(slice uint64, lane uint32, steps *CallSteps) (*SliceCalls, error) {
	d, err := r.View(Contexts)
	if err != nil {
		return nil, err
	}
	if _, err := r.Lane(lane); err != nil {
		return nil, err
	}
	open, begin, err := r.spanningCalls(slice, lane)
	if err != nil {
		return nil, err
	}
	f := Follower{SliceCalls: CallRoom.Get().(*SliceCalls), Reader: r, Definitions: d, meaning: steps.Meaning, items: open, later: begin}
	f.Begin = f.Begin[:0]
	f.base()
	if err = f.slice(steps); err == nil && len(f.later) > 0 {
		err = format.Corruptf("calls block", -1, "location %d has no enter at event %d", f.later[0].Location, f.later[0].Ordinal)
	}
	return f.SliceCalls, r.InSlice(err, slice, lane)
}

// Follower reconstructs the calls of a slice from its events, the calls open when it begins, and the items of those that
// outlast it.
type Follower struct {
	*SliceCalls
	Reader      *File
	Definitions *trace.Definitions
	meaning     []LeafCall   // by leaf
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
func (f *Follower) base() {
	f.Open = slices.Grow(f.Open[:0], len(f.items))[:len(f.items)]
	for i := range f.items {
		c := &f.Open[i]
		*c = f.Call(&f.items[i])
		if i > 0 && f.items[i-1].Location == f.items[i].Location {
			c.Depth, c.Parent = f.Open[i-1].Depth+1, f.Open[i-1].Ordinal
		}
	}
}

func (f *Follower) Call(c *index.Call) trace.Call {
	t := trace.Call{
		Location: f.Reader.LocationID(c.Location), Start: c.Start, End: c.End, Exclusive: c.Exclusive,
		Children: c.Children, Ordinal: c.Ordinal, EndOrdinal: c.EndOrdinal, Parent: trace.Undefined, Flags: c.Flags,
	}
	t.Region, t.Context = regionOf(f.Definitions, callKey{c.Key, c.Context})
	return t
}

// regionOf returns the region and the calling context of a call.
func regionOf(d *trace.Definitions, k callKey) (region, context uint64) {
	if !k.context {
		return k.key, trace.Undefined
	}
	return d.ContextRegion(k.key), k.key
}

func (f *Follower) slice(s *CallSteps) error {
	f.Begin = slices.Grow(f.Begin, s.Enters)
	item := 0
	for i := range s.Runs {
		run := &s.Runs[i]
		f.location = f.Reader.LocationID(run.location)
		f.Stack = f.Stack[:0]
		for item < len(f.items) && f.items[item].Location < run.location {
			item++
		}
		for ; item < len(f.items) && f.items[item].Location == run.location; item++ {
			c := &f.items[item]
			number := f.Reader.Numbers.call(f.Definitions, callKey{c.Key, c.Context})
			f.Stack = append(f.Stack, openFrame{key: number.Key, ordinal: c.Ordinal, call: -1})
		}
		f.run(run)
		if err := f.outlasting(run.location); err != nil {
			return err
		}
	}
	return nil
}

// run follows the stack of one location.
func (f *Follower) run(run *StepRun) {
	at, times := run.at[:len(run.Leaves)], run.Times[:len(run.Leaves)]
	for i, leaf := range run.Leaves {
		l := &f.meaning[leaf]
		if ordinal := run.first + uint64(at[i]); l.Class == shape.Enter || l.Class == shape.ContextEnter {
			f.Stack = append(f.Stack, openFrame{key: l.Key, leaf: leaf, start: times[i], ordinal: ordinal, call: len(f.Begin)})
			f.Begin = append(f.Begin, trace.Call{})
		} else {
			f.leave(l.Key, times[i], ordinal)
		}
	}
}

// leave closes the nearest open call of the key, and those further in.
func (f *Follower) leave(key uint32, t int64, ordinal uint64) {
	n := len(f.Stack) - 1
	for n >= 0 && f.Stack[n].key != key {
		n--
	}
	if n < 0 {
		return
	}
	for top := len(f.Stack) - 1; top >= n; top-- {
		if f.Stack[top].call >= 0 { // what began earlier is known already
			f.close(top, t, ordinal, top > n)
		}
	}
	f.Stack = f.Stack[:n]
}

// close completes a call that ends in the slice.
func (f *Follower) close(top int, t int64, ordinal uint64, cut bool) {
	o := &f.Stack[top]
	c := &f.Begin[o.call]
	l := &f.meaning[o.leaf]
	*c = trace.Call{
		Location: f.location, Region: l.region, Context: l.context, Start: o.start, End: t, Exclusive: t - o.start - o.childTicks,
		Children: o.children, Depth: top, Ordinal: o.ordinal, EndOrdinal: ordinal, Parent: trace.Undefined,
	}
	if cut {
		c.Flags = trace.CallCut
	}
	if top > 0 {
		parent := &f.Stack[top-1]
		parent.children++
		parent.childTicks += t - o.start
		c.Parent = parent.ordinal
	}
}

// outlasting completes the calls of a location that are open when the slice ends.
func (f *Follower) outlasting(location uint32) error {
	for depth := range f.Stack {
		o := &f.Stack[depth]
		if o.call < 0 {
			continue
		}
		if len(f.later) == 0 || f.later[0].Location != location || f.later[0].Ordinal != o.ordinal {
			return format.Corruptf("calls block", -1, "no item for the call of location %d at event %d", f.location, o.ordinal)
		}
		c := &f.Begin[o.call]
		*c = f.Call(&f.later[0])
		if c.Depth = depth; depth > 0 {
			c.Parent = f.Stack[depth-1].ordinal
		}
		f.later = f.later[1:]
	}
	return nil
}
