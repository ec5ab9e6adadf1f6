package store

import (
	"github.com/pandotrace/pando/encode"
	"github.com/pandotrace/pando/format"
)

// folder adds up the calls that begin and end in one slice, as far as they lie in [from, to).
type callFolder struct {
	grid     callGrid
	leaves   []leafCall
	from, to int64
	stack    []foldFrame
	open     []uint32 // by region: open calls of the location at hand
}

// foldFrame is an open call. Calls that began before the slice are items, and counted elsewhere.
type foldFrame struct {
	callNumber
	start  int64
	item   bool
	nested bool // there is another open call of the region
}

// slice adds up a slice. items are those of calls that are open when it begins, or go on when it ends.
func (f *callFolder) slice(e *encode.Events, places []uint32, items []spanItem) error {
	at := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		place := places[run.Location]
		own := itemsOf(&items, place)
		later := f.begin(own, e.Number)
		f.run(place, e.Leaves[at:at+run.Events], e.Times[at:at+run.Events])
		at += run.Events
		if n := f.end(); n != later {
			return format.Corruptf("calls block", -1, "%d items for the %d calls of location %d that outlast slice %d", later, n, run.Location, e.Number)
		}
	}
	return nil
}

// itemsOf returns the items of a place, and removes them and those before from a list in the order of places.
func itemsOf(items *[]spanItem, place uint32) []spanItem {
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
func (f *callFolder) begin(items []spanItem, slice uint64) (later int) {
	f.stack = f.stack[:0]
	for i := range items {
		switch c := &items[i]; {
		case c.startSlice == slice:
			later++
		case c.startSlice < slice && c.endSlice >= slice:
			f.enter(c.callNumber, c.start, true)
		}
	}
	return later
}

func (f *callFolder) enter(n callNumber, start int64, item bool) {
	for uint32(len(f.open)) <= n.region {
		f.open = append(f.open, 0)
	}
	f.stack = append(f.stack, foldFrame{n, start, item, f.open[n.region] > 0})
	f.open[n.region]++
}

// run follows the stack of one location.
func (f *callFolder) run(place uint32, leaves []uint32, times []int64) {
	for i, leaf := range leaves {
		switch l := &f.leaves[leaf]; l.class {
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
	f.open[c.region]--
	if c.item || c.start >= f.to || end <= f.from && (c.start < end || c.start < f.from) {
		return
	}
	ticks := clip(c.start, end, f.from, f.to)
	cell := f.grid.at(place, c.region)
	cell.count++
	cell.time.Add(ticks)
	if c.nested {
		cell.nested.Add(ticks)
	}
	if n > 0 && ticks > 0 {
		f.grid.at(place, f.stack[n-1].region).below.Add(ticks)
	}
}

// end empties the stack, and returns the number of calls on it that began in the slice.
func (f *callFolder) end() (n int) {
	for i := range f.stack {
		f.open[f.stack[i].region]--
		if !f.stack[i].item {
			n++
		}
	}
	return n
}

// clip returns the length of the part of an interval that lies in [from, to).
func clip(start, end, from, to int64) uint64 {
	start, end = max(start, from), min(end, to)
	if start >= end {
		return 0
	}
	return uint64(end - start)
}
