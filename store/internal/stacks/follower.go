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

// Follow follows the call stacks of a lane through some steps, and adds the calls within the bounds: first those that go on when the slice begins,
// then those that are entered in it, both location by location.
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
	f := follower{rows: rows, bounds: bounds, stackRoom: *room, reader: r, definitions: d, meaning: steps.Meaning, items: spanning.Open, keys: spanning.Keys, later: spanning.Begin}
	if bounds.Open {
		f.base()
	}
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
	keys        []uint32        // of these
	later       []index.Call    // what is left of those that begin and end in a later slice
}

// openFrame is a call on the stack.
type openFrame struct {
	key     uint32 // its number
	row     int32  // where it stands among all rows, or knownCall, passedCall
	ordinal uint64
}

// bottom is what stands below all calls of a location: no leave has its key.
var bottom = openFrame{math.MaxUint32, knownCall, trace.Undefined}

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
		run := f.rows.extend(f.items[i].Location, true)
		if c.Depth = run.To - run.From; c.Depth > 0 {
			c.Parent = f.items[i-1].Ordinal
		}
		f.rows.append(&c)
		run.To++
	}
}

func (f *follower) slice(s *read.CallSteps) error {
	item, from := 0, f.rows.Len()
	if f.bounds == AllCalls {
		f.rows.resize(from + s.Enters)
	}
	for i := range s.Runs {
		run := &s.Runs[i]
		f.stack = append(f.stack[:0], bottom)
		for item < len(f.items) && f.items[item].Location < run.Location {
			item++
		}
		for ; item < len(f.items) && f.items[item].Location == run.Location; item++ {
			f.stack = append(f.stack, openFrame{f.keys[item], knownCall, f.items[item].Ordinal})
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
	f.rows.resize(from)
	return nil
}

// within follows the stack of one location, whose calls within the bounds are the rows from a number on. It returns the number behind the last
// one.
func (f *follower) within(run *read.StepRun, row int) int {
	from, to := f.bounds.steps(run)
	f.pass(run, 0, from)
	if f.bounds != AllCalls {
		f.rows.resize(row + len(f.stack) + f.enters(run, from, to))
	}
	end := f.run(run, from, to, f.keep(run, row))
	f.pass(run, to, len(run.Leaves))
	return end
}

// run follows the stack through some steps of a location. Calls that are entered are the rows from a number on. It returns the number behind the
// last one.
func (f *follower) run(run *read.StepRun, from, to, row int) int {
	s := steps{leaves: run.Leaves[from:to], times: run.Times[from:to], ordinals: run.Ordinals(from, to), location: f.reader.LocationID(run.Location)}
	for i := 0; i < len(s.leaves); {
		f.stack = slices.Grow(f.stack, 1)
		if i, row = f.nested(&s, i, row); i == len(s.leaves) {
			break
		}
		if l := &f.meaning[s.leaves[i]]; l.Enter == 0 {
			f.stack = leave(f.rows.all, f.stack, l.Key, s.times[i], s.ordinals.Of(i))
			i++
		}
	}
	return row
}

// steps are some of a location.
type steps struct {
	leaves   []uint32
	times    []int64
	ordinals read.Ordinals
	location uint64
}

// nested is run as long as each leave is of the innermost call, and the stack has room. It returns the step that is not, and the next row. Every step of
// every call goes through here: so this calls nothing, what is done for a call is done in one place of its memory, and one that is left at once is
// never on the stack.
func (f *follower) nested(s *steps, i, row int) (step, next int) {
	all, rows, meaning, stack := f.rows.all, f.rows.Calls(), f.meaning, f.stack[:cap(f.stack)]
	leaves, times, top := s.leaves, s.times[:len(s.leaves)], len(f.stack)-1
	for ; i < len(leaves); i++ {
		l := &meaning[leaves[i]]
		if l.Enter != 0 {
			if top+1 == len(stack) {
				break
			}
			ordinal := s.ordinals.Of(i)
			c := &rows[row]
			row++
			c.Location, c.Region, c.Context, c.Start, c.Ordinal = s.location, l.Region, l.Context, times[i], ordinal
			c.Exclusive, c.Children, c.Flags = 0, 0, 0
			c.Depth, c.Parent = top, stack[top].ordinal
			if i+1 < len(leaves) {
				if then := &meaning[leaves[i+1]]; then.Key == l.Key && then.Enter < then.Step {
					i++
					closeCall(c, &all[stack[top].row], times[i], s.ordinals.Of(i))
					continue
				}
			}
			top++
			stack[top] = openFrame{l.Key, int32(row), ordinal}
		} else if l.Step != 0 {
			if stack[top].key != l.Key {
				break
			}
			closeCall(&all[stack[top].row], &all[stack[top-1].row], times[i], s.ordinals.Of(i))
			top--
		}
	}
	f.stack = stack[:top+1]
	return i, row
}

// leave closes the nearest open call of the key, and those further in.
func leave(calls []trace.Call, stack []openFrame, key uint32, t int64, ordinal uint64) []openFrame {
	n := len(stack) - 1
	for n > 0 && stack[n].key != key {
		n--
	}
	if n == 0 {
		return stack
	}
	for top := len(stack) - 1; top >= n; top-- {
		c := &calls[stack[top].row]
		closeCall(c, &calls[stack[top-1].row], t, ordinal)
		if top > n {
			c.Flags = trace.CallCut
		}
	}
	return stack[:n]
}

// closeCall ends a call, which counts for the one around it.
func closeCall(c, outer *trace.Call, t int64, ordinal uint64) {
	duration := t - c.Start
	c.End, c.EndOrdinal = t, ordinal
	c.Exclusive += duration
	outer.Exclusive -= duration
	outer.Children++
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
		if o.row != passedCall {
			c := f.reader.ItemCall(f.definitions, &f.later[0])
			c.Depth, c.Parent = depth, f.stack[depth].ordinal
			f.rows.all[o.row] = c
		}
		f.later = f.later[1:]
	}
	return nil
}
