package write

import (
	"math/bits"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/trace"
)

// Summaries are made on the way: while a location's part of a slice is taken apart, its calls, collective operations and metric
// values are added up (runTotals); what is complete within a slice goes to the node of level 1, a spanning call or message to
// the node that it is an item of (nodeTotals). When a node is complete, its tables are made of that and of what its children
// came to (summarizer).

// unknownRegion stands for the region of a calling context that has no definition yet. It may get one, so nothing can be said
// of its calls.
const unknownRegion = ^uint32(0)

// runTotals adds up one location's part of a slice after the other. Regions are numbered in the order in which the lane's
// locations first call them.
type runTotals struct {
	dictionary *shape.Dictionary
	byLeaf     []uint32 // of the dictionary's leaves: number of the region + 1, 0 if that has not been looked up
	numbers    trace.Numbers
	regions    []uint64      // by number
	states     []regionState // by number
	opened     []uint32      // numbers that have or had open calls
	sums       []callSums    // of those regions alone that have any

	layout.Points
	unknown     bool   // a call of an unknown region goes on
	unknownOpen uint32 // open calls of unknown regions
}

// regionState is what a region is to the location at hand. There may be very many regions, of which a slice calls few.
type regionState struct {
	open   uint32 // open calls
	sums   uint32 // place of the sums + 1, 0 if there are none
	opened bool   // it is in the list of those opened
}

// callSums are those of [tables.Calls] of a region.
type callSums struct {
	region uint32
	sums   [4]uint64
}

// region returns the number of the region of an enter.
func (t *runTotals) region(w *Writer, leaf uint32, info *shape.LeafInfo) uint32 {
	if int(leaf) < len(t.byLeaf) && t.byLeaf[leaf] > 0 {
		return t.byLeaf[leaf] - 1
	}
	id := info.Key
	if info.Class == shape.ContextEnter {
		c, ok := w.Definitions.Contexts[info.Key]
		if !ok {
			return unknownRegion
		}
		id = c.Region
	}
	for int(leaf) >= len(t.byLeaf) {
		t.byLeaf = append(t.byLeaf, 0)
	}
	n := t.number(id)
	t.byLeaf[leaf] = n + 1
	return n
}

func (t *runTotals) number(region uint64) uint32 {
	n, ok := t.numbers.Of(region)
	if !ok {
		n = t.numbers.Add(region)
		t.regions, t.states = append(t.regions, region), append(t.states, regionState{})
	}
	return n
}

// openRegion says how many calls of a region are open on a location. Calls are counted once, not again for each slice: there may be
// very many of them.
type openRegion struct {
	region uint32 // unknownRegion too
	calls  uint32
}

// begin begins with a location that has open calls.
func (t *runTotals) begin(d *shape.Dictionary, open []openRegion) {
	if t.dictionary != d {
		t.dictionary, t.byLeaf = d, t.byLeaf[:0]
	}
	t.unknownOpen, t.unknown = 0, false
	for _, o := range open {
		if o.region == unknownRegion {
			t.unknownOpen, t.unknown = o.calls, true
			continue
		}
		t.states[o.region].open, t.states[o.region].opened = o.calls, true
		t.opened = append(t.opened, o.region)
	}
}

// enter counts an open call. It reports whether there is another one of the region.
func (t *runTotals) enter(region uint32) (nested bool) {
	if region == unknownRegion {
		t.unknownOpen++
		t.unknown = true
		return false
	}
	s := &t.states[region]
	if s.open++; s.open > 1 {
		return true
	}
	if !s.opened {
		s.opened = true
		t.opened = append(t.opened, region)
	}
	return false
}

// leave adds a call that began in the current slice and has ended; parent is the enclosing one, nil if there is none.
func (t *runTotals) leave(c *openCall, ticks uint64, parent *openCall) {
	if c.region != unknownRegion {
		t.count(c.region, c.nested, ticks, parent)
	}
}

// bare does the work of enter, closed and leave for a call with nothing inside.
func (t *runTotals) bare(region uint32, ticks uint64, parent *openCall) {
	t.count(region, t.states[region].open > 0, ticks, parent)
}

func (t *runTotals) count(region uint32, nested bool, ticks uint64, parent *openCall) {
	s := t.touch(region)
	s[tables.SumCount]++
	s[tables.SumTime] += ticks
	if nested {
		s[tables.SumNested] += ticks
	}
	if parent != nil && parent.region != unknownRegion {
		t.touch(parent.region)[tables.SumBelow] += ticks
	}
}

// closed counts an open call less.
func (t *runTotals) closed(region uint32) {
	if region == unknownRegion {
		t.unknownOpen--
		return
	}
	t.states[region].open--
}

func (t *runTotals) touch(region uint32) *[4]uint64 {
	s := &t.states[region]
	if s.sums == 0 {
		t.sums = append(t.sums, callSums{region: region})
		s.sums = uint32(len(t.sums))
	}
	return &t.sums[s.sums-1].sums
}

// end gives what was added up to a node, and forgets it together with the calls that are still open, which it puts into a list.
func (t *runTotals) end(location uint32, slice uint64, to *nodeTotals, open []openRegion) []openRegion {
	open = open[:0]
	for _, n := range t.opened {
		if t.states[n].open > 0 {
			open = append(open, openRegion{n, t.states[n].open})
		}
		t.states[n].open, t.states[n].opened = 0, false
	}
	if t.opened = t.opened[:0]; t.unknownOpen > 0 {
		open = append(open, openRegion{unknownRegion, t.unknownOpen})
	}
	for i := range t.sums {
		s := &t.sums[i]
		to.add(tables.Calls, to.runOf(slice, slice), tables.Row{Key: t.key(location, s.region), Sums: s.sums})
		t.states[s.region].sums = 0
	}
	t.sums = t.sums[:0]
	end(&t.Points, location, slice, to)
	if t.unknown {
		to.bad[tables.Calls], t.unknown = true, false
	}
	return open
}

// key returns the key of a location's calls of a region.
func (t *runTotals) key(location, region uint32) tables.Key {
	return tables.Key{uint64(location), t.regions[region]}
}

// mayOverflow reports whether durations of so many calls in an interval may add up to 2^63 ticks.
func mayOverflow(start, end int64, calls uint64) bool {
	return bits.Len64(uint64(end-start))+bits.Len64(calls) > 62
}

// addSpan adds a spanning call that has ended to the smallest node that contains it: its end lies in the current slice, so that the
// node is yet to be written.
func (l *lane) addSpan(tree index.Tree, c *openCall, i *index.Call, parent *openCall) {
	level, _ := tree.Smallest(i.StartSlice, i.EndSlice)
	l.nodes.at(level).calls.addCall(i)
	n := l.nodes.totals(tree, level)
	if c.region == unknownRegion || parent != nil && parent.region == unknownRegion {
		n.bad[tables.Calls] = true
		return
	}
	ticks := uint64(i.End - i.Start)
	own := tables.Row{Key: l.totals.key(i.Location, c.region), Sums: [4]uint64{1, ticks}}
	if c.nested {
		own.Sums[tables.SumNested] = ticks
	}
	run := n.runOf(i.StartSlice, i.EndSlice)
	n.add(tables.Calls, run, own)
	if parent != nil && ticks > 0 {
		below := tables.Row{Key: l.totals.key(i.Location, parent.region)}
		below.Sums[tables.SumBelow] = ticks
		n.add(tables.Calls, run, below)
	}
}
