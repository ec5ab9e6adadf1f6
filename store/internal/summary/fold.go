package summary

import (
	"math"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/read"
)

// callMarks tell what the calls that are open when a slice begins, or begin in it, come to at any time of the slice: that is a few
// steps from a mark. So the cost of a window's ends does not grow with the slice.
type callMarks struct {
	meaning []read.LeafCall
	end     int64      // as the slice's
	places  []uint32   // of the locations with steps or open calls
	runs    []runMarks // of each
}

// runMarks are those of one location.
type runMarks struct {
	steps *read.StepRun // noRun if there are none
	marks []callMark    // the first before all steps, the last after them
	after []int64       // of each, the time of the step before it
}

// callMark tells of calls what they come to before a step.
type callMark struct {
	step  int
	open  []foldFrame
	cells []callCell // of those that have ended
}

// markSteps is the least number of steps between two marks. They are further apart where marks are large, so that they take less
// memory than the steps.
const (
	markSteps     = 64
	markCellSteps = 6 // steps that take about the memory of a cell
)

// size returns the memory that marks take.
func (m *callMarks) size() int64 {
	size := 100
	for i := range m.runs {
		size += 64
		for j := range m.runs[i].marks {
			size += 64 + 40*len(m.runs[i].marks[j].open) + cellBytes*len(m.runs[i].marks[j].cells)
		}
	}
	return int64(size)
}

// callFolder adds up calls that are open when a slice begins, or begin in it.
type callFolder struct {
	row     callRow
	meaning []read.LeafCall
	end     int64 // as the slice's
	stack   []foldFrame
	open    []uint32 // by region: open calls of the location at hand
	inner   bool     // only calls count that begin and end in the slice
	saved   []foldFrame
}

// foldFrame is an open call. Of one that ends in the slice, the steps tell when; of others it is known.
type foldFrame struct {
	read.CallNumber
	start, end int64
	outer      bool // it began before the slice
	nested     bool // there is another open call of the region
	open       bool // it is never left, as far as the slice tells
}

// foldSlice is a slice of a lane to be added up.
type foldSlice struct {
	*read.CallSteps
	number uint64
	items  []*read.SpanItem // calls that go on when it begins or ends, by place and ordinal
	// end is that of calls that go on after the slice without an item: none do, unless the trace ends with the slice.
	end  int64
	last bool
}

// marks goes through a slice.
func (f *callFolder) marks(s *foldSlice) (*callMarks, error) {
	m := &callMarks{meaning: s.Meaning, end: s.end}
	err := f.places(s, func(place uint32, run *read.StepRun) {
		m.places, m.runs = append(m.places, place), append(m.runs, f.markRun(run))
	})
	return m, err
}

// sums adds up the calls that begin and end in a slice.
func (f *callFolder) sums(s *foldSlice) (*cellRows, error) {
	f.inner = true
	defer func() { f.inner = false }()
	sums := &cellRows{}
	return sums, f.places(s, func(place uint32, run *read.StepRun) {
		f.run(run, 0, len(run.Leaves))
		sums.add(place, f.row.cells)
	})
}

// places calls do for the locations with steps or open calls, with these on the stack. Afterwards all steps must have been gone
// through.
func (f *callFolder) places(s *foldSlice, do func(place uint32, run *read.StepRun)) error {
	f.meaning, f.end = s.Meaning, s.end
	for c := range read.EachPlace(s.items, s.Runs) {
		f.row.reset()
		outlasting := f.begin(c.Items, s.number)
		do(c.Place, c.Run)
		if len(f.stack) != outlasting && !s.last {
			return format.Corruptf("calls block", -1, "%d items of calls that go on after slice %d, where %d do", outlasting, s.number, len(f.stack))
		}
	}
	return nil
}

// begin puts the calls that began before the slice on the stack. It returns the number of those that go on after it.
func (f *callFolder) begin(items []*read.SpanItem, slice uint64) (outlasting int) {
	f.clear()
	for _, c := range items {
		if c.StartSlice < slice {
			f.push(foldFrame{CallNumber: c.CallNumber, start: c.Start, end: c.End, outer: true, open: c.Open})
		}
		if c.EndSlice > slice {
			outlasting++
		}
	}
	return outlasting
}

func (f *callFolder) enter(n read.CallNumber, start int64) {
	f.push(foldFrame{CallNumber: n, start: start, end: f.end, open: true})
}

func (f *callFolder) push(c foldFrame) {
	for uint32(len(f.open)) <= c.RegionNumber {
		f.open = append(f.open, 0)
	}
	c.nested = f.open[c.RegionNumber] > 0
	f.open[c.RegionNumber]++
	f.stack = append(f.stack, c)
}

// pop takes the innermost call off the stack.
func (f *callFolder) pop() foldFrame {
	c := f.stack[len(f.stack)-1]
	f.stack = f.stack[:len(f.stack)-1]
	f.open[c.RegionNumber]--
	return c
}

// markRun goes through the steps of one location.
func (f *callFolder) markRun(run *read.StepRun) runMarks {
	m := runMarks{steps: run, after: []int64{math.MinInt64}}
	for at := 0; ; m.after = append(m.after, run.Times[at-1]) {
		m.marks = append(m.marks, callMark{at, append([]foldFrame(nil), f.stack...), append([]callCell(nil), f.row.cells...)})
		if at == len(run.Leaves) {
			return m
		}
		next := min(at+max(markSteps, markCellSteps*(len(f.row.cells)+len(f.stack))), len(run.Leaves))
		f.run(run, at, next)
		at = next
	}
}

// run follows the stack of one location through some steps.
func (f *callFolder) run(run *read.StepRun, first, end int) {
	times := run.Times[first:end]
	for i, leaf := range run.Leaves[first:end] {
		f.step(leaf, times[i])
	}
}

func (f *callFolder) step(leaf uint32, t int64) {
	switch l := &f.meaning[leaf]; l.Class {
	case shape.Enter, shape.ContextEnter:
		f.enter(l.CallNumber, t)
	case shape.Leave, shape.ContextLeave:
		for n := f.callOf(l.Key); len(f.stack) > n; {
			f.leave(t)
		}
	}
}

// callOf returns the place on the stack of the call that a leave ends, or the height of the stack if there is none.
func (f *callFolder) callOf(key uint32) int {
	for n := len(f.stack) - 1; n >= 0; n-- {
		if f.stack[n].Key == key {
			return n
		}
	}
	return len(f.stack)
}

// leave ends the innermost call.
func (f *callFolder) leave(end int64) {
	if c := f.pop(); !c.outer || !f.inner {
		f.lasted(len(f.stack), &c, end)
		f.row.at(c.RegionNumber).Count++
	}
}

// lasted adds the time of a call of some depth up to some time.
func (f *callFolder) lasted(depth int, c *foldFrame, until int64) {
	ticks := uint64(max(until-c.start, 0)) // damaged files have calls that end before they begin
	cell := f.row.at(c.RegionNumber)
	cell.Time.Add(ticks)
	if c.nested {
		cell.Nested.Add(ticks)
	}
	if depth > 0 && ticks > 0 {
		f.row.at(f.stack[depth-1].RegionNumber).Below.Add(ticks)
	}
}

// upTo goes to the first step of a location that is not before some time, with open calls on the stack, and adds up the time of all
// calls before. Only those that have ended are counted.
func (f *callFolder) upTo(s *callMarks, m *runMarks, t int64) (step int) {
	f.meaning, f.end = s.meaning, s.end
	at := len(m.after) - 1
	for m.after[at] >= t && at > 0 {
		at--
	}
	mark := &m.marks[at]
	f.clear()
	f.row.begin(mark.cells)
	for i := range mark.open {
		f.push(mark.open[i])
	}
	step = mark.step
	for times := m.steps.Times; step < len(times) && times[step] < t; step++ {
		f.step(m.steps.Leaves[step], times[step])
	}
	f.lastedUntil(t)
	return step
}

// lastedUntil adds the time of the open calls up to some time.
func (f *callFolder) lastedUntil(t int64) {
	for depth := range f.stack {
		c := &f.stack[depth]
		f.lasted(depth, c, min(t, c.end))
	}
}

// countOpen counts the open calls.
func (f *callFolder) countOpen() {
	for i := range f.stack {
		f.row.at(f.stack[i].RegionNumber).Count++
	}
}

// countClosed counts those on the stack that have ended at some time.
func (f *callFolder) countClosed(t int64) {
	for i := range f.stack {
		if c := &f.stack[i]; c.end <= t && c.start < t && !c.open {
			f.row.at(c.RegionNumber).Count++
		}
	}
}

// begunBefore returns what the calls of a location come to that begin before some time. The cells are good until the folder is
// used again.
func (f *callFolder) begunBefore(s *callMarks, m *runMarks, t int64) []callCell {
	f.upTo(s, m, t)
	f.countOpen()
	return f.row.cells
}

// endedBy returns what the calls of a location come to up to some time, at most the trace's last, but counts only those that have ended.
// A call that ends just then has, unless it begins then, too, or is never left.
func (f *callFolder) endedBy(s *callMarks, m *runMarks, t int64) []callCell {
	step := f.upTo(s, m, t)
	f.endAt(m.steps, step, t)
	f.countClosed(t)
	return f.row.cells
}

// endAt counts the calls that end at a time after having begun earlier, from the first step of that time on.
func (f *callFolder) endAt(run *read.StepRun, step int, t int64) {
	for ; step < len(run.Times) && run.Times[step] == t; step++ {
		switch l := &f.meaning[run.Leaves[step]]; l.Class {
		case shape.Enter, shape.ContextEnter:
			f.enter(l.CallNumber, t)
		case shape.Leave, shape.ContextLeave:
			for n := f.callOf(l.Key); len(f.stack) > n; {
				if c := f.pop(); c.start < t {
					f.row.at(c.RegionNumber).Count++
				}
			}
		}
	}
}

// clear empties the stack.
func (f *callFolder) clear() {
	for i := range f.stack {
		f.open[f.stack[i].RegionNumber]--
	}
	f.stack = f.stack[:0]
}
