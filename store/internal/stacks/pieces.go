package stacks

import (
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// piece follows the stack through a piece of the run.
func (f *follower) piece(p shape.Token) {
	x := f.patterns.get(p.Shape)
	if x.again == 0 {
		f.steps(f.step + int(p.Count)*f.stepsOf(x))
		f.event += int(p.Count) * x.events
		return
	}
	for left := int(p.Count); left > 0; left -= x.again {
		f.whole(x, min(left, x.again))
	}
}

// stepsOf returns the number of steps that the run has of a shape.
func (f *follower) stepsOf(x *pattern) int {
	if f.run.Shared() {
		return x.events
	}
	return x.steps
}

// whole follows it through a whole shape that stands there several times.
func (f *follower) whole(x *pattern, times int) {
	to := f.step + times*f.stepsOf(x)
	if x.calls > 0 {
		f.takeWithin(x, f.run.Times[f.step:to], times)
	}
	f.step, f.event = to, f.event+times*x.events
}

// takeWithin adds the calls of a whole shape that stands there several times, at some times, as far as they are in the bounds.
func (f *follower) takeWithin(x *pattern, at []int64, times int) {
	top := &f.stack[len(f.stack)-1]
	top.children += uint64(times * x.tops)
	taken := f.step < f.to && f.step+len(at) > f.from
	if !taken && (top.row == knownCall || top.row == otherCall) {
		return // an item says of that what is inside, or nobody asks
	}
	calls := times * x.calls
	l := lists{enters: x.enterSteps[:calls], leaves: x.leaveSteps[:calls], times: at, first: f.run.First + uint64(f.event)}
	if f.run.Shared() {
		l.enters, l.leaves = x.enters[:calls], x.leaves[:calls]
	}
	if taken {
		f.begin(f.bounds.From)
		f.take(x, &l, times)
	} else {
		top.inside += l.inside(x.top[:times*x.tops])
	}
}

// lists are where calls enter and leave among some times, and the ordinal of the first event.
type lists struct {
	enters, leaves []uint32
	times          []int64
	first          uint64
}

// inside returns the time of some calls, in ticks.
func (l *lists) inside(calls []uint32) (sum int64) {
	for _, i := range calls {
		sum += l.times[l.leaves[i]] - l.times[l.enters[i]]
	}
	return sum
}

// take adds the calls of a whole shape that stands there several times. This is where nearly all calls are made: so each loop fills a few columns.
func (f *follower) take(x *pattern, l *lists, times int) {
	b, at, n, top := &f.calls.CallBatch, f.next, len(l.enters), &f.stack[len(f.stack)-1]
	takeTimes(b, at, l)
	takeOrdinals(b, at, l, x)
	exclusive, parents, inside := b.Exclusive[at:at+n], b.Parents[at:at+n], int64(0)
	for _, i := range x.top[:times*x.tops] {
		inside += exclusive[i]
		parents[i] = top.ordinal
	}
	for _, i := range x.inner[:n-times*x.tops] { // a call comes before those inside it, whose time it still has
		exclusive[i.parent] -= exclusive[i.call]
	}
	top.inside += inside
	depth, depths := uint32(len(f.stack)-1), b.Depths[at:at+n]
	for i, d := range x.depths[:n] {
		depths[i] = depth + d
	}
	copy(b.Regions[at:at+n], x.regions)
	copy(b.Contexts[at:at+n], x.contexts)
	copy(b.Children[at:at+n], x.children)
	clear(b.Flags[at : at+n])
	if f.next += n; f.step < f.from || f.step+len(l.times) > f.to {
		f.trim(at)
	}
}

func takeTimes(b *trace.CallBatch, at int, l *lists) {
	n, times := len(l.enters), l.times
	starts, ends, exclusive, leaves := b.Starts[at:at+n], b.Ends[at:at+n], b.Exclusive[at:at+n], l.leaves[:n]
	for i, enter := range l.enters {
		start, end := times[enter], times[leaves[i]]
		starts[i], ends[i], exclusive[i] = start, end, end-start
	}
}

func takeOrdinals(b *trace.CallBatch, at int, l *lists, x *pattern) {
	n, first := len(l.enters), l.first
	ordinals, ends, outer := b.Ordinals[at:at+n], b.EndOrdinals[at:at+n], b.Parents[at:at+n]
	enters, leaves, parents := x.enters[:n], x.leaves[:n], x.parents[:n]
	for i, enter := range enters {
		ordinals[i], ends[i], outer[i] = first+uint64(enter), first+uint64(leaves[i]), first+uint64(parents[i])
	}
}

// trim takes away those calls, from a number on, that the bounds do not want.
func (f *follower) trim(at int) {
	b := &f.calls.CallBatch
	outside := func(i int) bool {
		return !f.bounds.has(trace.Call{Start: b.Starts[i], End: b.Ends[i]}) // of a whole shape: it has no flags
	}
	kept := at
	for i := at; i < f.next; {
		for i < f.next && outside(i) {
			i++
		}
		first := i
		for i < f.next && !outside(i) {
			i++
		}
		if first > kept {
			b.Copy(kept, b, first, i)
		}
		kept += i - first
	}
	f.next = kept
}
