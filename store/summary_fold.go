package store

import (
	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
)

// callFolder adds up the calls that begin and end in one slice, as far as they lie in [from, to).
type callFolder struct {
	grid     callGrid
	meaning  []leafCall
	from, to int64
	stack    []foldFrame
	inside   int      // frames on the stack that are no items
	open     []uint32 // by region: open calls of the location at hand
}

// foldFrame is an open call. Calls that began before the slice are items, and counted elsewhere.
type foldFrame struct {
	callNumber
	start  int64
	item   bool
	nested bool // there is another open call of the region
}

// slice adds up a slice. items are those of calls that are open when it begins, or go on when it ends. What lies behind the
// window is not looked at: the calls that are open there end later, all that matters of when.
func (f *callFolder) slice(s *callSteps, items []*spanItem) error {
	f.meaning = s.meaning
	until := max(f.to, f.from+1) // a call that ends there or later is in the window if it begins before its end
	for i := range s.runs {
		run := &s.runs[i]
		own := itemsAt(&items, run.place)
		n := lowerBound(run.times, until)
		later := f.begin(own, s.slice)
		if n < len(run.times) {
			later = before(own, s.slice, until)
		}
		f.run(run.place, run.leaves[:n], run.times[:n])
		for n < len(run.times) && f.inside > later {
			f.leave(run.place, until)
		}
		if f.inside != later {
			return format.Corruptf("calls block", -1, "%d items for the calls that outlast slice %d, place %d", later, s.slice, run.place)
		}
		f.end()
	}
	return nil
}

// itemsAt returns the items of a place, and removes them and those before from a list in the order of places.
func itemsAt(items *[]*spanItem, place uint32) []*spanItem {
	all := *items
	first := 0
	for first < len(all) && all[first].place < place {
		first++
	}
	end := first
	for end < len(all) && all[end].place == place {
		end++
	}
	*items = all[end:]
	return all[first:end]
}

// begin puts the calls that began before the slice on the stack. It returns the number of items that begin in the slice.
func (f *callFolder) begin(items []*spanItem, slice uint64) (later int) {
	f.stack, f.inside = f.stack[:0], 0
	for _, c := range items {
		switch {
		case c.startSlice == slice:
			later++
		case c.startSlice < slice && c.endSlice >= slice:
			f.enter(c.callNumber, c.start, true)
		}
	}
	return later
}

// before returns the number of items that begin in a slice before some time.
func before(items []*spanItem, slice uint64, until int64) (n int) {
	for _, c := range items {
		if c.startSlice == slice && c.start < until {
			n++
		}
	}
	return n
}

func (f *callFolder) enter(n callNumber, start int64, item bool) {
	for uint32(len(f.open)) <= n.regionNumber {
		f.open = append(f.open, 0)
	}
	f.stack = append(f.stack, foldFrame{n, start, item, f.open[n.regionNumber] > 0})
	f.open[n.regionNumber]++
	if !item {
		f.inside++
	}
}

// run follows the stack of one location.
func (f *callFolder) run(place uint32, leaves []uint32, times []int64) {
	for i, leaf := range leaves {
		switch l := &f.meaning[leaf]; l.class {
		case encode.Enter, encode.ContextEnter:
			f.enter(l.callNumber, times[i], false)
		case encode.Leave, encode.ContextLeave:
			n := len(f.stack) - 1
			for n >= 0 && f.stack[n].key != l.key {
				n--
			}
			for n >= 0 && len(f.stack) > n {
				f.leave(place, times[i])
			}
		}
	}
}

// leave ends the innermost call.
func (f *callFolder) leave(place uint32, end int64) {
	n := len(f.stack) - 1
	c := &f.stack[n]
	f.stack = f.stack[:n]
	f.open[c.regionNumber]--
	if c.item {
		return
	}
	if f.inside--; c.start >= f.to || end <= f.from && (c.start < end || c.start < f.from) {
		return
	}
	ticks := clip(c.start, end, f.from, f.to)
	cell := f.grid.at(place, c.regionNumber)
	cell.count++
	cell.time.Add(ticks)
	if c.nested {
		cell.nested.Add(ticks)
	}
	if n > 0 && ticks > 0 {
		f.grid.at(place, f.stack[n-1].regionNumber).below.Add(ticks)
	}
}

// end empties the stack.
func (f *callFolder) end() {
	for i := range f.stack {
		f.open[f.stack[i].regionNumber]--
	}
}

// clip returns the length of the part of an interval that lies in [from, to).
func clip(start, end, from, to int64) uint64 {
	start, end = max(start, from), min(end, to)
	if start >= end {
		return 0
	}
	return uint64(end - start)
}
