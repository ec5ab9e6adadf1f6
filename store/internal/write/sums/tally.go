package sums

import (
	"math/bits"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write/nodes"
	"github.com/pandotrace/pando/trace"
)

// UnknownRegion is the number of the region of a calling context that has no definition yet. The context may get one, so nothing can be
// said of its calls.
const UnknownRegion = ^uint32(0)

// Call is what a [Tally] knows of an open call.
type Call struct {
	Region uint32 // its number in the tally
	Nested bool   // an enclosing call is of the same region
}

// Tally adds up one location's part of a slice after the other. Regions are numbered in the order in which the lane's locations first
// call them.
type Tally struct {
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

// Region returns the number of the region of an enter.
func (t *Tally) Region(d *trace.Definitions, leaf uint32, info *shape.LeafInfo) uint32 {
	if int(leaf) < len(t.byLeaf) && t.byLeaf[leaf] > 0 {
		return t.byLeaf[leaf] - 1
	}
	id := info.Key
	if info.Class == shape.ContextEnter {
		c, ok := d.Contexts[info.Key]
		if !ok {
			return UnknownRegion
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

// Regions returns the ids of the regions by number. They must not be changed.
func (t *Tally) Regions() []uint64 { return t.regions }

func (t *Tally) number(region uint64) uint32 {
	n, ok := t.numbers.Of(region)
	if !ok {
		n = t.numbers.Add(region)
		t.regions, t.states = append(t.regions, region), append(t.states, regionState{})
	}
	return n
}

// OpenRegion says how many calls of a region are open on a location. Calls are counted once, not again for each slice: there may be
// very many of them.
type OpenRegion struct {
	region uint32 // UnknownRegion too
	calls  uint32
}

// Begin begins with a location that has open calls.
func (t *Tally) Begin(d *shape.Dictionary, open []OpenRegion) {
	if t.dictionary != d {
		t.dictionary, t.byLeaf = d, t.byLeaf[:0]
	}
	t.unknownOpen, t.unknown = 0, false
	for _, o := range open {
		if o.region == UnknownRegion {
			t.unknownOpen, t.unknown = o.calls, true
			continue
		}
		t.states[o.region].open, t.states[o.region].opened = o.calls, true
		t.opened = append(t.opened, o.region)
	}
}

// Enter counts an open call. It reports whether there is another one of the region.
func (t *Tally) Enter(region uint32) (nested bool) {
	if region == UnknownRegion {
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

// Leave adds a call that began in the current slice and has ended; parent is the enclosing one, nil if there is none.
func (t *Tally) Leave(c *Call, ticks uint64, parent *Call) {
	if c.Region != UnknownRegion {
		t.count(c.Region, c.Nested, ticks, parent)
	}
}

// Bare does the work of Enter, Close and Leave for a call with nothing inside.
func (t *Tally) Bare(region uint32, ticks uint64, parent *Call) {
	t.count(region, t.states[region].open > 0, ticks, parent)
}

func (t *Tally) count(region uint32, nested bool, ticks uint64, parent *Call) {
	s := t.touch(region)
	s[tables.SumCount]++
	s[tables.SumTime] += ticks
	if nested {
		s[tables.SumNested] += ticks
	}
	if parent != nil && parent.Region != UnknownRegion {
		t.touch(parent.Region)[tables.SumBelow] += ticks
	}
}

// Close counts an open call less.
func (t *Tally) Close(region uint32) {
	if region == UnknownRegion {
		t.unknownOpen--
		return
	}
	t.states[region].open--
}

func (t *Tally) touch(region uint32) *[4]uint64 {
	s := &t.states[region]
	if s.sums == 0 {
		t.sums = append(t.sums, callSums{region: region})
		s.sums = uint32(len(t.sums))
	}
	return &t.sums[s.sums-1].sums
}

// End gives what was added up to a node, and forgets it together with the calls that are still open, which it puts into a list.
func (t *Tally) End(location uint32, slice uint64, to *nodes.Totals, open []OpenRegion) []OpenRegion {
	open = open[:0]
	for _, n := range t.opened {
		if t.states[n].open > 0 {
			open = append(open, OpenRegion{n, t.states[n].open})
		}
		t.states[n].open, t.states[n].opened = 0, false
	}
	if t.opened = t.opened[:0]; t.unknownOpen > 0 {
		open = append(open, OpenRegion{UnknownRegion, t.unknownOpen})
	}
	for i := range t.sums {
		s := &t.sums[i]
		to.Add(tables.Calls, to.RunOf(slice, slice), tables.Row{Key: t.key(location, s.region), Sums: s.sums})
		t.states[s.region].sums = 0
	}
	t.sums = t.sums[:0]
	points(&t.Points, location, slice, to)
	if t.unknown {
		to.Bad[tables.Calls], t.unknown = true, false
	}
	return open
}

// key returns the key of a location's calls of a region.
func (t *Tally) key(location, region uint32) tables.Key {
	return tables.Key{uint64(location), t.regions[region]}
}

// MayOverflow reports whether the durations of a number of calls in an interval may add up to 2^63 ticks.
func MayOverflow(start, end int64, calls uint64) bool {
	return bits.Len64(uint64(end-start))+bits.Len64(calls) > 62
}

// Span adds a spanning call that has ended to the smallest node that contains it: its end lies in the current slice, so that the node is
// yet to be written.
func (t *Tally) Span(to *nodes.Lane, tree index.Tree, c *Call, i *index.Call, parent *Call) {
	level, _ := tree.Smallest(i.StartSlice, i.EndSlice)
	to.At(level).Calls.AddCall(i)
	n := to.Totals(tree, level)
	if c.Region == UnknownRegion || parent != nil && parent.Region == UnknownRegion {
		n.Bad[tables.Calls] = true
		return
	}
	ticks := uint64(i.End - i.Start)
	own := tables.Row{Key: t.key(i.Location, c.Region), Sums: [4]uint64{1, ticks}}
	if c.Nested {
		own.Sums[tables.SumNested] = ticks
	}
	run := n.RunOf(i.StartSlice, i.EndSlice)
	n.Add(tables.Calls, run, own)
	if parent != nil && ticks > 0 {
		below := tables.Row{Key: t.key(i.Location, parent.Region)}
		below.Sums[tables.SumBelow] = ticks
		n.Add(tables.Calls, run, below)
	}
}
