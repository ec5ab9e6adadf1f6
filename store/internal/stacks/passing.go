package stacks

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Bounds say which calls are wanted: those that end at From or later and begin before To, in ticks, and with Open all that go on when the slice
// begins.
type Bounds struct {
	From, To int64
	Open     bool
}

// AllCalls are the bounds of all calls.
var AllCalls = Bounds{math.MinInt64, math.MaxInt64, true}

// steps returns which steps of a run lie within the bounds: from <= step < to. Mostly all of them do, and a search would touch many times for nothing.
func (b Bounds) steps(run *read.StepRun) (from, to int) {
	to = len(run.Times)
	if to > 0 && run.Times[0] < b.From {
		from, _ = slices.BinarySearch(run.Times, b.From)
	}
	if to > from && run.Times[to-1] >= b.To && b.To < math.MaxInt64 {
		to, _ = slices.BinarySearch(run.Times[from:], b.To)
		to += from
	}
	return from, to
}

// enters returns how many steps from a number up to another one are enters.
func (f *follower) enters(run *read.StepRun, from, to int) (n int) {
	if from == 0 && to == len(run.Leaves) {
		return run.Enters
	}
	for _, leaf := range run.Leaves[from:to] {
		n += int(f.meaning[leaf].Enter)
	}
	return n
}

// What frames have instead of a row.
const (
	knownCall  = 0  // of a call that is open when the slice begins, of which an item says all: the row of no call
	passedCall = -1 // of a call that is entered outside of the bounds
)

// passed is what is known of a call without a row.
type passed struct {
	leaf          uint32 // its enter
	start, inside int64  // inside is the time of its children that have ended
	children      uint64
}

// pass follows the stack of a location through steps outside of the bounds. Calls that are entered there have no rows.
func (f *follower) pass(run *read.StepRun, from, to int) {
	if from == to {
		return
	}
	for len(f.passed) < len(f.stack) {
		f.passed = append(f.passed, passed{})
	}
	f.passed = f.passed[:len(f.stack)]
	times := run.Times
	for i := from; i < to; i++ {
		leaf := run.Leaves[i]
		l, ordinal := &f.meaning[leaf], run.Ordinal(i)
		if l.Step == 0 {
			continue
		}
		if l.Enter == 0 {
			f.leavePassed(l.Key, times[i], ordinal)
			continue
		}
		f.stack = append(f.stack, openFrame{l.Key, passedCall, ordinal})
		f.passed = append(f.passed, passed{leaf: leaf, start: times[i]})
	}
}

// leavePassed is leave for stacks on which some calls have no rows.
func (f *follower) leavePassed(key uint32, t int64, ordinal uint64) {
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
	f.stack, f.passed = f.stack[:n], f.passed[:n]
}

// end ends a call of the stack, and counts it for the one around it.
func (f *follower) end(top int, cut bool, t int64, ordinal uint64) {
	duration := t - f.passed[top].start
	if row := f.stack[top].row; row >= 0 {
		c := &f.rows.all[row]
		if duration = t - c.Start; cut {
			c.Flags = trace.CallCut
		}
		c.End, c.EndOrdinal = t, ordinal
		c.Exclusive += duration
	}
	if outer := f.stack[top-1].row; outer == passedCall {
		p := &f.passed[top-1]
		p.inside, p.children = p.inside+duration, p.children+1
	} else {
		c := &f.rows.all[outer]
		c.Exclusive, c.Children = c.Exclusive-duration, c.Children+1
	}
}

// keep gives rows, from a number on, to the calls on the stack of a location that have none. It returns the number behind the last one.
func (f *follower) keep(run *read.StepRun, row int) int {
	for depth := range f.stack {
		o := &f.stack[depth]
		if o.row != passedCall {
			continue
		}
		p := &f.passed[depth]
		l := &f.meaning[p.leaf]
		row++
		f.rows.all[row] = trace.Call{
			Location: f.reader.LocationID(run.Location), Region: l.Region, Context: l.Context, Start: p.start, Exclusive: -p.inside, Children: p.children,
			Depth: depth - 1, Ordinal: o.ordinal, Parent: f.stack[depth-1].ordinal,
		}
		o.row = int32(row)
	}
	return row
}
