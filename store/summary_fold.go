package store

import (
	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
)

// What the calls of a slice come to in a window that ends or begins in it is the difference of two sums: that up to the window's
// end, and that up to its beginning. A sum up to any time is a few steps from a mark: what the calls of a location come to before
// one of its enters and leaves, and those that are open there. So the cost of a window's ends does not grow with the slice.

// callMarks are the marks of a lane in a slice.
type callMarks struct {
	runs []runMarks // as the slice's steps are
}

// runMarks are those of one location.
type runMarks struct {
	place      uint32
	marks      []callMark // the first before all steps, the last after them
	outlasting []int      // steps that enter calls which go on after the slice; those are items, and counted elsewhere
}

// callMark tells of the calls that begin and end in the slice what they come to before a step.
type callMark struct {
	step  int
	open  []foldFrame
	cells []callCell // of the calls that ended before
}

// markSteps is the least number of steps between two marks. They are further apart where marks are large, so that they take less
// memory than the steps.
const (
	markSteps     = 64
	markCellSteps = 6 // a cell takes about as much memory as so many steps
)

func (m *runMarks) last() *callMark { return &m.marks[len(m.marks)-1] }

// lastOnes returns the last marks, by which no other sums can be found.
func (m *callMarks) lastOnes() *callMarks {
	last := &callMarks{make([]runMarks, len(m.runs))}
	for i := range m.runs {
		last.runs[i] = runMarks{place: m.runs[i].place, marks: []callMark{*m.runs[i].last()}}
	}
	return last
}

// size returns the memory that marks take.
func (m *callMarks) size() int64 {
	size := 24
	for i := range m.runs {
		size += 56 + 8*len(m.runs[i].outlasting)
		for j := range m.runs[i].marks {
			size += 56 + 24*len(m.runs[i].marks[j].open) + 72*len(m.runs[i].marks[j].cells)
		}
	}
	return int64(size)
}

// callFolder adds up the calls that begin and end in one slice.
type callFolder struct {
	row        callRow
	meaning    []leafCall
	stack      []foldFrame
	open       []uint32 // by region: open calls of the location at hand
	outlasting []int    // steps to come that enter calls which go on after the slice
}

// foldFrame is an open call. Calls that began before the slice, or go on after it, are items, and counted elsewhere.
type foldFrame struct {
	callNumber
	start  int64
	item   bool
	nested bool // there is another open call of the region
}

// marks goes through a slice. items are those of calls that are open when it begins, or go on when it ends.
func (f *callFolder) marks(s *callSteps, items []*spanItem) (*callMarks, error) {
	f.meaning = s.meaning
	m := &callMarks{runs: make([]runMarks, len(s.runs))}
	for i := range s.runs {
		run := &s.runs[i]
		f.row.reset()
		if err := f.begin(run, itemsAt(&items, run.place), s.slice); err != nil {
			return nil, err
		}
		m.runs[i].place, m.runs[i].outlasting = run.place, f.outlasting
		m.runs[i].marks = f.markRun(run)
		if err := f.end(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// markRun goes through the steps of one location.
func (f *callFolder) markRun(run *stepRun) (marks []callMark) {
	for at := 0; ; {
		marks = append(marks, callMark{at, append([]foldFrame(nil), f.stack...), append([]callCell(nil), f.row.cells...)})
		if at == len(run.leaves) {
			return marks
		}
		next := min(at+max(markSteps, markCellSteps*(len(f.row.cells)+len(f.stack))), len(run.leaves))
		f.run(run, at, next)
		at = next
	}
}

// begin puts the calls that began before the slice on the stack, and finds the steps at which calls begin that outlast it.
func (f *callFolder) begin(run *stepRun, items []*spanItem, slice uint64) error {
	f.clear() // what is left of a damaged slice
	f.outlasting = nil
	step := 0
	for _, c := range items {
		if c.startSlice > slice || c.endSlice < slice {
			continue
		}
		if c.startSlice == slice {
			for step < len(run.at) && run.first+uint64(run.at[step]) < c.ordinal {
				step++
			}
			if step == len(run.at) || run.first+uint64(run.at[step]) != c.ordinal {
				return format.Corruptf("calls block", -1, "location %d has no enter at event %d", run.location, c.ordinal)
			}
			f.outlasting = append(f.outlasting, step)
		} else {
			f.enter(c.callNumber, c.start, true)
		}
	}
	return nil
}

func (f *callFolder) enter(n callNumber, start int64, item bool) {
	f.push(foldFrame{callNumber: n, start: start, item: item})
}

func (f *callFolder) push(c foldFrame) {
	for uint32(len(f.open)) <= c.regionNumber {
		f.open = append(f.open, 0)
	}
	c.nested = f.open[c.regionNumber] > 0
	f.open[c.regionNumber]++
	f.stack = append(f.stack, c)
}

// run follows the stack of one location through some steps.
func (f *callFolder) run(run *stepRun, first, end int) {
	leaves, times := run.leaves[first:end], run.times[first:end]
	for i, leaf := range leaves {
		switch l := &f.meaning[leaf]; l.class {
		case encode.Enter, encode.ContextEnter:
			item := len(f.outlasting) > 0 && f.outlasting[0] == first+i
			if item {
				f.outlasting = f.outlasting[1:]
			} else {
				f.row.at(l.regionNumber).count++
			}
			f.enter(l.callNumber, times[i], item)
		case encode.Leave, encode.ContextLeave:
			for n := f.callOf(l.key); len(f.stack) > n; {
				f.leave(times[i])
			}
		}
	}
}

// callOf returns the place on the stack of the call that a leave ends, or the height of the stack if there is none.
func (f *callFolder) callOf(key uint32) int {
	for n := len(f.stack) - 1; n >= 0; n-- {
		if f.stack[n].key == key {
			return n
		}
	}
	return len(f.stack)
}

// leave ends the innermost call.
func (f *callFolder) leave(end int64) {
	n := len(f.stack) - 1
	c := f.stack[n]
	f.stack = f.stack[:n]
	f.open[c.regionNumber]--
	if !c.item {
		f.row.at(c.regionNumber).ended++
		f.lasted(n, &c, end)
	}
}

// lasted adds the time of a call of some depth up to some time.
func (f *callFolder) lasted(depth int, c *foldFrame, until int64) {
	ticks := uint64(until - c.start)
	cell := f.row.at(c.regionNumber)
	cell.time.Add(ticks)
	if c.nested {
		cell.nested.Add(ticks)
	}
	if depth > 0 && ticks > 0 {
		f.row.at(f.stack[depth-1].regionNumber).below.Add(ticks)
	}
}

// upTo adds up what happens on a location of a slice before some time. A call that ends just then has ended, unless it
// begins then, too. The cells are good until the folder is used again.
func (f *callFolder) upTo(s *callSteps, place int, m *runMarks, t int64) []callCell {
	run := &s.runs[place]
	f.meaning = s.meaning
	f.row.reset()
	n := lowerBound(run.times, t)
	at := 0
	for at+1 < len(m.marks) && m.marks[at+1].step <= n {
		at++
	}
	mark := &m.marks[at]
	f.resume(mark, m.outlasting)
	f.run(run, mark.step, n)
	for depth := range f.stack {
		if c := &f.stack[depth]; !c.item {
			f.lasted(depth, c, t)
		}
	}
	f.endedAt(run, n, t)
	f.clear()
	return f.row.cells
}

// resume goes on from a mark.
func (f *callFolder) resume(mark *callMark, outlasting []int) {
	for i := range mark.cells {
		c := &mark.cells[i]
		f.row.at(c.region).add(c)
	}
	f.stack = f.stack[:0]
	for i := range mark.open {
		f.push(mark.open[i])
	}
	for len(outlasting) > 0 && outlasting[0] < mark.step {
		outlasting = outlasting[1:]
	}
	f.outlasting = outlasting
}

// endedAt counts the calls that end at a time after having begun earlier, from the first step of that time on.
func (f *callFolder) endedAt(run *stepRun, step int, t int64) {
	began := 0 // calls on the stack that begin at the time
	for ; step < len(run.times) && run.times[step] == t && len(f.stack) > began; step++ {
		switch l := &f.meaning[run.leaves[step]]; l.class {
		case encode.Enter, encode.ContextEnter:
			f.enter(l.callNumber, t, true)
			began++
		case encode.Leave, encode.ContextLeave:
			for n := f.callOf(l.key); len(f.stack) > n; {
				c := f.stack[len(f.stack)-1]
				f.stack = f.stack[:len(f.stack)-1]
				f.open[c.regionNumber]--
				if began > 0 {
					began--
				} else if !c.item {
					f.row.at(c.regionNumber).ended++
				}
			}
		}
	}
}

// end checks that what is open after a slice is what its items say.
func (f *callFolder) end() error {
	for i := range f.stack {
		if !f.stack[i].item {
			return format.Corruptf("calls block", -1, "no item of a call that outlasts its slice")
		}
	}
	if len(f.outlasting) > 0 {
		return format.Corruptf("calls block", -1, "%d items of calls that begin at no enter", len(f.outlasting))
	}
	f.clear()
	return nil
}

// clear empties the stack.
func (f *callFolder) clear() {
	for i := range f.stack {
		f.open[f.stack[i].regionNumber]--
	}
	f.stack = f.stack[:0]
}
