package read

import (
	"sync"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/trace"
)

// CallRows are calls as columns, in runs.
type CallRows struct {
	trace.CallBatch
	Runs []CallRun
}

// CallRun is rows that follow each other: calls of one location, ordered by ordinal.
type CallRun struct {
	Location uint32 // its index
	Open     bool   // they go on when the slice begins; else they are entered in it
	From, To int
}

// CallRoom is memory for the calls of a slice that nobody needs any longer.
var CallRoom = sync.Pool{New: func() any { return new(CallRows) }}

// Reset takes all calls away.
func (c *CallRows) Reset() {
	c.Resize(0)
	c.Runs = c.Runs[:0]
}

// Append adds a call of a location behind others of it.
func (c *CallRows) Append(location uint32, call *trace.Call) {
	c.extend(location, false)
	c.CallBatch.Append(call)
	c.Runs[len(c.Runs)-1].To++
}

// AppendRange adds the calls from to to-1 of a batch, which are of a location, behind others of it.
func (c *CallRows) AppendRange(location uint32, b *trace.CallBatch, from, to int) {
	if from >= to {
		return
	}
	c.extend(location, false)
	c.CallBatch.AppendRange(b, from, to)
	c.Runs[len(c.Runs)-1].To += to - from
}

// extend makes the last run one of a location to which the next rows belong.
func (c *CallRows) extend(location uint32, open bool) {
	if n := len(c.Runs); n == 0 || c.Runs[n-1].Location != location || c.Runs[n-1].Open != open {
		c.Runs = append(c.Runs, CallRun{location, open, c.Len(), c.Len()})
	}
}

// Calls follows the call stacks of a lane through a slice. The result may be given to CallRoom when it is no longer needed.
func (r *File) Calls(slice uint64, lane uint32) (*CallRows, error) {
	steps, err := r.CallSteps(slice, lane)
	if err != nil {
		return nil, err
	}
	rows := CallRoom.Get().(*CallRows)
	rows.Reset()
	return rows, r.Follow(rows, slice, lane, steps)
}

// Follow follows the call stacks of a lane through some steps, and adds the calls: first those that go on when the slice begins, then those that
// are entered in it, both location by location.
func (r *File) Follow(rows *CallRows, slice uint64, lane uint32, steps *CallSteps) error {
	d, err := r.View(Contexts)
	if err != nil {
		return err
	}
	if _, err := r.Lane(lane); err != nil {
		return err
	}
	open, begin, err := r.spanningCalls(slice, lane)
	if err != nil {
		return err
	}
	stack := stacks.Get().(*[]openFrame)
	f := follower{rows: rows, stack: *stack, reader: r, definitions: d, meaning: steps.Meaning, items: open, later: begin}
	f.base()
	if err = f.slice(steps); err == nil && len(f.later) > 0 {
		err = format.Corruptf("calls block", -1, "location %d has no enter at event %d", f.later[0].Location, f.later[0].Ordinal)
	}
	*stack = f.stack
	stacks.Put(stack)
	return r.InSlice(err, slice, lane)
}

// follower reconstructs the calls of a slice from its events, the calls open when it begins, and the items of those that
// outlast it.
type follower struct {
	rows        *CallRows
	stack       []openFrame // of the location that is followed
	reader      *File
	definitions *trace.Definitions
	meaning     []LeafCall   // by leaf
	items       []index.Call // of the calls that are open
	later       []index.Call // what is left of those that begin and end in a later slice
}

type callKey struct {
	key     uint64
	context bool
}

// openFrame is a call on the stack.
type openFrame struct {
	key     uint32 // its number
	row     int32  // -1 if it is open when the slice begins, and known
	ordinal uint64
}

// stacks is memory for stacks, which recursions make deep: rows are kept without it.
var stacks = sync.Pool{New: func() any { return new([]openFrame) }}

// base makes calls of what is open when the slice begins; those of one location are nested in their order.
func (f *follower) base() {
	for i := range f.items {
		c := f.reader.itemCall(f.definitions, &f.items[i])
		f.rows.extend(f.items[i].Location, true)
		run := &f.rows.Runs[len(f.rows.Runs)-1]
		if c.Depth = run.To - run.From; c.Depth > 0 {
			c.Parent = f.items[i-1].Ordinal
		}
		f.rows.CallBatch.Append(&c)
		run.To++
	}
}

// itemCall makes a call of an item, without its depth and parent.
func (r *File) itemCall(d *trace.Definitions, c *index.Call) trace.Call {
	t := trace.Call{
		Location: r.LocationID(c.Location), Start: c.Start, End: c.End, Exclusive: c.Exclusive,
		Children: c.Children, Ordinal: c.Ordinal, EndOrdinal: c.EndOrdinal, Parent: trace.Undefined, Flags: c.Flags,
	}
	t.Region, t.Context = regionOf(d, callKey{c.Key, c.Context})
	return t
}

// regionOf returns the region and the calling context of a call.
func regionOf(d *trace.Definitions, k callKey) (region, context uint64) {
	if !k.context {
		return k.key, trace.Undefined
	}
	return d.ContextRegion(k.key), k.key
}

func (f *follower) slice(s *CallSteps) error {
	item, from := 0, f.rows.Len()
	f.rows.Resize(from + s.Enters)
	for i := range s.Runs {
		run := &s.Runs[i]
		f.stack = f.stack[:0]
		for item < len(f.items) && f.items[item].Location < run.location {
			item++
		}
		for ; item < len(f.items) && f.items[item].Location == run.location; item++ {
			c := &f.items[item]
			number := f.reader.Numbers.call(f.definitions, callKey{c.Key, c.Context})
			f.stack = append(f.stack, openFrame{key: number.Key, ordinal: c.Ordinal, row: -1})
		}
		to := f.run(run, from)
		if err := f.outlasting(run.location); err != nil {
			return err
		}
		if to > from {
			f.rows.Runs = append(f.rows.Runs, CallRun{run.location, false, from, to})
		}
		from = to
	}
	return nil
}

// run follows the stack of one location, whose calls are the rows from a number on. It returns the number behind the last one.
func (f *follower) run(run *StepRun, row int) int {
	b, from, stack := &f.rows.CallBatch, row, f.stack
	at, times := run.at[:len(run.Leaves)], run.Times[:len(run.Leaves)]
	for i, leaf := range run.Leaves {
		l, ordinal := &f.meaning[leaf], run.first+uint64(at[i])
		if l.Class == shape.Enter || l.Class == shape.ContextEnter {
			b.Starts[row], b.Regions[row], b.Contexts[row], b.Ordinals[row] = times[i], l.region, l.context, ordinal
			b.Exclusive[row], b.Children[row], b.Flags[row] = 0, 0, 0
			b.Depths[row], b.Parents[row] = uint32(len(stack)), trace.Undefined
			if len(stack) > 0 {
				b.Parents[row] = stack[len(stack)-1].ordinal
			}
			stack = append(stack, openFrame{l.Key, int32(row), ordinal})
			row++
			continue
		}
		stack = leave(b, stack, l.Key, times[i], ordinal)
	}
	f.stack = stack
	id := f.reader.LocationID(run.location)
	for i := range b.Locations[from:row] {
		b.Locations[from+i] = id
	}
	return row
}

// leave closes the nearest open call of the key, and those further in.
func leave(b *trace.CallBatch, stack []openFrame, key uint32, t int64, ordinal uint64) []openFrame {
	n := len(stack) - 1
	for n >= 0 && stack[n].key != key {
		n--
	}
	if n < 0 {
		return stack
	}
	for top := len(stack) - 1; top >= n; top-- {
		row := stack[top].row
		if row < 0 {
			break // what began earlier is known already, and so is what is further out
		}
		b.Ends[row], b.EndOrdinals[row] = t, ordinal
		duration := t - b.Starts[row]
		b.Exclusive[row] += duration
		if top > n {
			b.Flags[row] = trace.CallCut
		}
		if top > 0 && stack[top-1].row >= 0 {
			outer := stack[top-1].row
			b.Exclusive[outer] -= duration
			b.Children[outer]++
		}
	}
	return stack[:n]
}

// outlasting completes the calls of a location that are open when the slice ends.
func (f *follower) outlasting(location uint32) error {
	for depth, o := range f.stack {
		if o.row < 0 {
			continue
		}
		if len(f.later) == 0 || f.later[0].Location != location || f.later[0].Ordinal != o.ordinal {
			return format.Corruptf("calls block", -1, "no item for the call of location %d at event %d", f.reader.LocationID(location), o.ordinal)
		}
		c := f.reader.itemCall(f.definitions, &f.later[0])
		if c.Depth = depth; depth > 0 {
			c.Parent = f.stack[depth-1].ordinal
		}
		f.rows.Set(int(o.row), &c)
		f.later = f.later[1:]
	}
	return nil
}
