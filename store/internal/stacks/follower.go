package stacks

import (
	"sync"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Calls follows the call stacks of a lane through a slice. The result may be given to [Room] when it is no longer needed.
func Calls(r *read.File, slice uint64, lane uint32) (*Rows, error) {
	steps, err := r.CallSteps(slice, lane)
	if err != nil {
		return nil, err
	}
	rows := Room.Get().(*Rows)
	rows.Reset()
	return rows, Follow(r, rows, slice, lane, steps, AllCalls)
}

// Follow follows the call stacks of a lane through some steps, and adds the calls: first those that go on when the slice begins, whatever the
// bounds, then those within the bounds that are entered in it, both location by location.
func Follow(r *read.File, rows *Rows, slice uint64, lane uint32, steps *read.CallSteps, bounds Bounds) error {
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
	room := stackRooms.Get().(*stackRoom)
	f := follower{rows: rows, bounds: bounds, stackRoom: *room, reader: r, definitions: d, meaning: steps.Meaning, items: spanning.Open, later: spanning.Begin}
	f.base()
	if err = f.slice(steps); err == nil && len(f.later) > 0 {
		err = format.Corruptf("calls block", -1, "location %d has no enter at event %d", f.later[0].Location, f.later[0].Ordinal)
	}
	*room = f.stackRoom
	stackRooms.Put(room)
	return r.InSlice(err, slice, lane)
}

// follower reconstructs the calls of a slice from its events, the calls open when it begins, and the items of those that
// outlast it.
type follower struct {
	rows *Rows
	stackRoom
	bounds      Bounds
	reader      *read.File
	definitions *trace.Definitions
	meaning     []read.LeafCall // by leaf
	items       []index.Call    // of the calls that are open
	later       []index.Call    // what is left of those that begin and end in a later slice
}

// openFrame is a call on the stack.
type openFrame struct {
	key     uint32 // its number
	row     int32  // or knownCall, passedCall
	ordinal uint64
}

// stackRoom is the stack of the location that is followed. Of calls without a row, passed has what is known.
type stackRoom struct {
	stack  []openFrame
	passed []passed
}

// stackRooms is memory for stacks, which recursions make deep: rows are kept without it.
var stackRooms = sync.Pool{New: func() any { return new(stackRoom) }}

// base makes calls of what is open when the slice begins; those of one location are nested in their order.
func (f *follower) base() {
	for i := range f.items {
		c := f.reader.ItemCall(f.definitions, &f.items[i])
		f.rows.extend(f.items[i].Location, true)
		run := &f.rows.Runs[len(f.rows.Runs)-1]
		if c.Depth = run.To - run.From; c.Depth > 0 {
			c.Parent = f.items[i-1].Ordinal
		}
		f.rows.CallBatch.Append(&c)
		run.To++
	}
}

func (f *follower) slice(s *read.CallSteps) error {
	item, from := 0, f.rows.Len()
	if f.bounds == AllCalls {
		f.rows.Resize(from + s.Enters)
	}
	for i := range s.Runs {
		run := &s.Runs[i]
		f.stack = f.stack[:0]
		for item < len(f.items) && f.items[item].Location < run.Location {
			item++
		}
		for ; item < len(f.items) && f.items[item].Location == run.Location; item++ {
			c := &f.items[item]
			number := f.reader.CallNumber(f.definitions, c)
			f.stack = append(f.stack, openFrame{key: number.Key, ordinal: c.Ordinal, row: knownCall})
		}
		to := f.within(run, from)
		if err := f.outlasting(run.Location); err != nil {
			return err
		}
		if to > from {
			f.rows.Runs = append(f.rows.Runs, Run{run.Location, false, from, to})
		}
		from = to
	}
	f.rows.Resize(from)
	return nil
}

// within follows the stack of one location, whose calls within the bounds are the rows from a number on. It returns the number behind the last
// one.
func (f *follower) within(run *read.StepRun, row int) int {
	from, to := f.bounds.steps(run)
	f.pass(run, 0, from)
	if f.bounds != AllCalls {
		f.rows.Resize(row + len(f.stack) + f.enters(run, from, to))
	}
	end := f.run(run, from, to, f.keep(row))
	f.pass(run, to, len(run.Leaves))
	id := f.reader.LocationID(run.Location)
	for i := range f.rows.Locations[row:end] {
		f.rows.Locations[row+i] = id
	}
	return end
}

// run follows the stack through some steps of a location. Calls that are entered are the rows from a number on. It returns the number behind the
// last one.
func (f *follower) run(run *read.StepRun, from, to, row int) int {
	b, stack := &f.rows.CallBatch, f.stack
	leaves, times := run.Leaves[from:to], run.Times[from:to]
	for i, leaf := range leaves {
		l, ordinal := &f.meaning[leaf], run.Ordinal(from+i)
		if l.Enter != 0 {
			b.Starts[row], b.Regions[row], b.Contexts[row], b.Ordinals[row] = times[i], l.Region, l.Context, ordinal
			b.Exclusive[row], b.Children[row], b.Flags[row] = 0, 0, 0
			b.Depths[row], b.Parents[row] = uint32(len(stack)), trace.Undefined
			if len(stack) > 0 {
				b.Parents[row] = stack[len(stack)-1].ordinal
			}
			stack = append(stack, openFrame{l.Key, int32(row), ordinal})
			row++
			continue
		}
		if l.Step == 0 {
			continue
		}
		if top := len(stack) - 1; top > 0 && stack[top].key == l.Key && stack[top].row >= 0 && stack[top-1].row >= 0 { // nearly all are such
			duration := closeRow(b, stack[top].row, times[i], ordinal, false)
			outer := stack[top-1].row
			b.Exclusive[outer] -= duration
			b.Children[outer]++
			stack = stack[:top]
			continue
		}
		stack = leave(b, stack, l.Key, times[i], ordinal)
	}
	f.stack = stack
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
		duration := closeRow(b, row, t, ordinal, top > n)
		if top > 0 && stack[top-1].row >= 0 {
			outer := stack[top-1].row
			b.Exclusive[outer] -= duration
			b.Children[outer]++
		}
	}
	return stack[:n]
}

// closeRow ends the call of a row, and returns how long it took.
func closeRow(b *trace.CallBatch, row int32, t int64, ordinal uint64, cut bool) int64 {
	b.Ends[row], b.EndOrdinals[row] = t, ordinal
	duration := t - b.Starts[row]
	b.Exclusive[row] += duration
	if cut {
		b.Flags[row] = trace.CallCut
	}
	return duration
}

// outlasting completes the calls of a location that are open when the slice ends.
func (f *follower) outlasting(location uint32) error {
	for depth, o := range f.stack {
		if o.row == knownCall {
			continue
		}
		if len(f.later) == 0 || f.later[0].Location != location || f.later[0].Ordinal != o.ordinal {
			return format.Corruptf("calls block", -1, "no item for the call of location %d at event %d", f.reader.LocationID(location), o.ordinal)
		}
		if o.row != passedCall {
			c := f.reader.ItemCall(f.definitions, &f.later[0])
			if c.Depth = depth; depth > 0 {
				c.Parent = f.stack[depth-1].ordinal
			}
			f.rows.Set(int(o.row), &c)
		}
		f.later = f.later[1:]
	}
	return nil
}
