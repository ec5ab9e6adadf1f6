package stacks

import (
	"math"
	"slices"
	"sync"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// CallsOf follows the call stacks of a lane through a slice. The result may be given to [Room] when it is no longer needed.
func CallsOf(r *read.File, slice uint64, lane uint32) (*Calls, error) {
	steps, err := r.CallSteps(slice, lane)
	if err != nil {
		return nil, err
	}
	calls := Room.Get().(*Calls)
	calls.Reset()
	return calls, Follow(r, calls, slice, lane, steps, AllCalls)
}

// Follow follows the call stacks of a lane through some steps, and adds the calls within the bounds, location by location: first those that go on when
// the slice begins, then those that are entered in it.
func Follow(r *read.File, calls *Calls, slice uint64, lane uint32, steps *read.CallSteps, bounds Bounds) error {
	d, err := r.View(read.Contexts)
	if err != nil {
		return err
	}
	if _, err := r.Lane(lane); err != nil {
		return err
	}
	spanning, err := r.SpanningCalls(slice, lane)
	if err != nil {
		return err
	}
	var p *patterns
	if len(steps.Runs) > 0 {
		if p, err = patternsOf(r, steps, lane); err != nil {
			return err
		}
	}
	f := followers.Get().(*follower)
	defer followers.Put(f)
	*f = follower{calls: calls, next: calls.Len(), stack: f.stack, bounds: bounds, reader: r, definitions: d, meaning: steps.Meaning, patterns: p,
		items: spanning.Open, keys: spanning.Keys, later: spanning.Begin}
	return r.InSlice(f.slice(steps), slice, lane)
}

// followers are those that nobody uses, with their memory: recursions make stacks deep.
var followers = sync.Pool{New: func() any { return new(follower) }}

// follower reconstructs the calls of a slice from its events, the calls open when it begins, and the items of those that
// outlast it.
type follower struct {
	calls       *Calls
	next        int // number of the next call
	stack       []frame
	bounds      Bounds
	reader      *read.File
	definitions *trace.Definitions
	meaning     []read.LeafCall // by leaf
	patterns    *patterns
	items       []index.Call // what is left of the calls that are open when the slice begins
	keys        []uint32     // of these
	later       []index.Call // what is left of those that begin and end in a later slice

	run         *read.StepRun
	step, event int  // how many of the run are behind
	from, to    int  // of the run's steps lie within the bounds: from <= step < to
	begun       bool // the run has come to where the bounds begin
}

// frame is a call on the stack.
type frame struct {
	key      uint32 // its number
	row      int32  // its number among the calls, or knownCall, passedCall, otherCall
	leaf     uint32 // its enter
	ordinal  uint64
	start    int64
	inside   int64 // of its children that have ended, in ticks
	children uint64
}

// What frames have that are not among the calls to be made.
const (
	knownCall  = -1 // of a call that is open when the slice begins, of which an item says all
	passedCall = -2 // of a call that is entered before the bounds, and is wanted if it ends within them
	otherCall  = -3 // of a call that is not wanted, whenever it ends
)

// bottom is what stands below all calls of a location: no leave has its key.
var bottom = frame{key: math.MaxUint32, row: knownCall, ordinal: trace.Undefined}

// slice follows all runs.
func (f *follower) slice(s *read.CallSteps) error {
	f.calls.Resize(f.next + s.Enters + len(f.items))
	for i := range s.Runs {
		run := &s.Runs[i]
		f.goingOn(uint64(run.Location))
		f.stack = append(f.stack[:0], bottom)
		for k := range f.items {
			if f.items[k].Location != run.Location {
				break
			}
			f.stack = append(f.stack, frame{key: f.keys[k], row: knownCall, ordinal: f.items[k].Ordinal})
		}
		f.goingOn(uint64(run.Location) + 1)
		if err := f.location(run); err != nil {
			return err
		}
	}
	f.goingOn(math.MaxUint64)
	f.calls.Resize(f.next)
	if len(f.later) > 0 {
		return format.Corruptf("calls block", -1, "location %d has no enter at event %d", f.later[0].Location, f.later[0].Ordinal)
	}
	return nil
}

// goingOn passes the items of locations up to one, and makes calls of them if they are wanted. Those of one location are nested in their order.
func (f *follower) goingOn(to uint64) {
	n, depth := 0, 0
	for ; n < len(f.items) && uint64(f.items[n].Location) < to; n++ {
		item := &f.items[n]
		if depth++; n == 0 || f.items[n-1].Location != item.Location {
			depth = 0
		}
		if !f.bounds.Open {
			continue
		}
		c := f.reader.ItemCall(f.definitions, item)
		if !c.Overlaps(f.bounds.From, f.bounds.To) {
			continue
		}
		if c.Depth = depth; depth > 0 {
			c.Parent = f.items[n-1].Ordinal
		}
		f.calls.Set(f.next, &c)
		f.add(item.Location, true, 1)
	}
	f.items, f.keys = f.items[n:], f.keys[n:]
}

// add adds the next calls to those of a location.
func (f *follower) add(location uint32, open bool, n int) {
	if n == 0 {
		return
	}
	run := f.calls.extend(location, open, f.next)
	f.next += n
	run.To = f.next
}

// location follows the stack of a location, on which are the calls that are open when the slice begins.
func (f *follower) location(run *read.StepRun) error {
	f.run, f.step, f.event = run, 0, 0
	f.from, f.to = f.bounds.cut(run.Times)
	f.begun = f.from == 0 && len(run.Times) > 0
	from := f.next
	for _, p := range run.Pieces {
		f.piece(p)
	}
	f.steps(len(run.Leaves)) // there are none left
	f.begin(f.bounds.From)   // all that is open outlasts the slice
	if err := f.outlasting(run.Location); err != nil {
		return err
	}
	n := f.next - from
	f.next = from
	f.add(run.Location, false, n)
	fill(f.calls.Locations[from:f.next], f.reader.LocationID(run.Location))
	return nil
}

// fill makes all values of a column one.
func fill(column []uint64, v uint64) {
	for i := range column {
		column[i] = v
	}
}

// steps follows the stack through the steps of the run up to a number.
func (f *follower) steps(to int) {
	for ; f.step < to; f.step++ {
		leaf, t := f.run.Leaves[f.step], f.run.Times[f.step]
		l := &f.meaning[leaf]
		if l.Step == 0 {
			continue
		}
		f.begin(t)
		ordinal := f.run.Ordinal(f.step)
		if l.Enter == 0 {
			f.leave(l.Key, t, ordinal)
			continue
		}
		row := int32(passedCall)
		if t < f.bounds.First || f.bounds.after(t) {
			row = otherCall
		}
		f.stack = append(f.stack, frame{key: l.Key, row: row, leaf: leaf, ordinal: ordinal, start: t})
		if f.begun && row == passedCall {
			f.open(len(f.stack) - 1)
		}
	}
}

// begin makes calls of those on the stack, if that is the first time that is not before the bounds. It reports whether such a time has come.
func (f *follower) begin(t int64) bool {
	if f.begun || t < f.bounds.From {
		return f.begun
	}
	f.begun = true
	for depth := range f.stack {
		if f.stack[depth].row == passedCall {
			f.open(depth)
		}
	}
	return true
}

// open makes a call on the stack the next one of all calls.
func (f *follower) open(depth int) {
	o := &f.stack[depth]
	l := &f.meaning[o.leaf]
	b, row := &f.calls.CallBatch, f.next
	b.Regions[row], b.Contexts[row], b.Starts[row], b.Ordinals[row] = l.Region, l.Context, o.start, o.ordinal
	b.Depths[row], b.Parents[row] = uint32(depth-1), f.stack[depth-1].ordinal
	o.row = int32(row)
	f.next++
}

// leave closes the nearest open call of the key, and those further in.
func (f *follower) leave(key uint32, t int64, ordinal uint64) {
	n := len(f.stack) - 1
	for n > 0 && f.stack[n].key != key {
		n--
	}
	if n == 0 {
		return
	}
	for top := len(f.stack) - 1; top >= n && f.stack[top].row != knownCall; top-- {
		f.end(top, top > n, t, ordinal)
	}
	f.stack = f.stack[:n]
}

// end ends a call of the stack, and counts it for the one around it.
func (f *follower) end(top int, cut bool, t int64, ordinal uint64) {
	o, outer := &f.stack[top], &f.stack[top-1]
	duration := t - o.start
	outer.inside, outer.children = outer.inside+duration, outer.children+1
	if o.row < 0 {
		return
	}
	b := &f.calls.CallBatch
	b.Ends[o.row], b.EndOrdinals[o.row], b.Exclusive[o.row], b.Children[o.row] = t, ordinal, duration-o.inside, o.children
	b.Flags[o.row] = 0
	if cut {
		b.Flags[o.row] = trace.CallCut
	}
}

// outlasting completes the calls of a location that are open when the slice ends.
func (f *follower) outlasting(location uint32) error {
	for depth, o := range f.stack[1:] {
		if o.row == knownCall {
			continue
		}
		if len(f.later) == 0 || f.later[0].Location != location || f.later[0].Ordinal != o.ordinal {
			return format.Corruptf("calls block", -1, "no item for the call of location %d at event %d", f.reader.LocationID(location), o.ordinal)
		}
		if o.row >= 0 {
			c := f.reader.ItemCall(f.definitions, &f.later[0])
			c.Depth, c.Parent = depth, f.stack[depth].ordinal
			f.calls.Set(int(o.row), &c)
		}
		f.later = f.later[1:]
	}
	return nil
}

// Bounds say which calls are wanted: those that end at From or later and begin before To, but not before First, in ticks, and with Open all that go on
// when the slice begins.
type Bounds struct {
	From, To int64
	First    int64
	Open     bool
}

// AllCalls are the bounds of all calls.
var AllCalls = Bounds{math.MinInt64, math.MaxInt64, math.MinInt64, true}

// has reports whether a call that begins in the slice is wanted.
func (b *Bounds) has(c trace.Call) bool { return c.Start >= b.First && c.Overlaps(b.From, b.To) }

// after reports whether a time lies behind the bounds.
func (b *Bounds) after(t int64) bool { return t >= b.To && b.To < math.MaxInt64 }

// cut returns which of some times, which do not fall, lie within the bounds.
func (b *Bounds) cut(times []int64) (from, to int) {
	n := len(times)
	if to = n; n > 0 && times[0] < b.From {
		from, _ = slices.BinarySearch(times, b.From)
	}
	if n > 0 && b.after(times[n-1]) {
		to, _ = slices.BinarySearch(times, b.To)
	}
	return from, max(from, to)
}
