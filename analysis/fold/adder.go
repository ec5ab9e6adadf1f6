package fold

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// cell is the time of a region in a pixel, as a sum has it.
type cell struct {
	ticks, least uint64
	members      uint32
}

// adder adds timelines to piles. It goes through some pixels of all members at a time, so that their cells stay in the processor's cache. It
// keeps its memory.
type adder struct {
	timeline *trace.Timeline
	next     []int  // by member: its first cell that was not added
	ends     []int  // by member: the end of its cells
	block    int    // pixels at a time
	cells    []cell // of these: by pixel, then region
	touched  []uint32
	busy     []uint64 // of the member at hand, by pixel
}

// blockCells is about how many cells are at hand at a time.
const blockCells = 1024

// reset prepares for another timeline.
func (a *adder) reset(t *trace.Timeline) {
	a.timeline = t
	regions := max(1, len(t.Regions))
	a.block = min(max(1, blockCells/regions), t.Pixels)
	if n := a.block * regions; n > len(a.cells) {
		a.cells = make([]cell, n)
	}
	if a.block > len(a.busy) {
		a.busy = make([]uint64, a.block)
	}
}

// add adds members to a pile, named by their places in the timeline.
func (a *adder) add(p *pile, members []int) {
	a.next, a.ends = a.next[:0], a.ends[:0]
	size := 0
	for _, m := range members {
		a.next, a.ends = append(a.next, a.timeline.Starts[m]), append(a.ends, a.timeline.Starts[m+1])
		size = max(size, a.timeline.Starts[m+1]-a.timeline.Starts[m])
	}
	before, ends := p.sums, p.ends
	p.sums, p.ends = make([]sum, 0, max(size, len(before))), make([]int, 0, len(p.busy))
	for first := 0; first < len(p.busy); first += a.block {
		end := min(first+a.block, len(p.busy))
		for m := range members {
			a.member(p, m, first, end)
		}
		slices.Sort(a.touched)
		touched := a.touched
		for pixel := first; pixel < end; pixel++ {
			var old []sum
			if ends != nil {
				old = before[startOf(ends, pixel):ends[pixel]]
			}
			touched = a.flush(p, touched, old, uint32((pixel-first+1)*len(a.timeline.Regions)))
			p.ends = append(p.ends, len(p.sums))
		}
		a.touched = a.touched[:0]
	}
	p.left -= len(members)
	for pixel, e := range a.timeline.Errors {
		p.errors[pixel] = max(p.errors[pixel], e)
	}
}

// member adds what a member has of the pixels from first to end.
func (a *adder) member(p *pile, m, first, end int) {
	regions, busy := uint32(len(a.timeline.Regions)), a.busy[:end-first]
	at, cells := a.next[m], a.timeline.Cells[:a.ends[m]]
	for ; at < len(cells); at++ {
		c := &cells[at]
		pixel := c.Pixel - uint32(first)
		if pixel >= uint32(len(busy)) {
			break
		}
		i := pixel*regions + c.Region
		s := &a.cells[i]
		if s.members == 0 {
			a.touched = append(a.touched, i)
			s.least = c.Ticks
		}
		s.members++
		s.least = min(s.least, c.Ticks)
		s.ticks = plus(s.ticks, c.Ticks)
		busy[pixel] += c.Ticks
	}
	a.next[m] = at
	p.addBusy(busy, first, m)
}

// addBusy adds the time in calls of the m-th of the members that are read at once, in pixels from the first one on. It clears the list.
func (p *pile) addBusy(busy []uint64, first, m int) {
	sums := p.busy[first : first+len(busy)]
	for i, v := range busy {
		if v == 0 {
			continue
		}
		b := &sums[i]
		if b.members == 0 {
			b.least = v
		}
		b.members++
		b.sum, b.least, b.most = plus(b.sum, v), min(b.least, v), max(b.most, v)
		busy[i] = 0
		if p.busyOf != nil {
			p.busyOf[(first+i)*p.members+p.members-p.left+m] = uint32(min(v>>p.shift, math.MaxUint32))
		}
	}
}

// flush moves the touched cells before a limit to the sums of a pile, merged with older ones of the same pixel. It returns the others.
func (a *adder) flush(p *pile, touched []uint32, old []sum, limit uint32) []uint32 {
	regions := uint32(len(a.timeline.Regions))
	for ; len(touched) > 0 && touched[0] < limit; touched = touched[1:] {
		c := &a.cells[touched[0]]
		s := sum{a.timeline.Regions[touched[0]%regions], c.ticks, c.least, c.members}
		*c = cell{}
		for len(old) > 0 && old[0].region < s.region {
			p.sums, old = append(p.sums, old[0]), old[1:]
		}
		if len(old) > 0 && old[0].region == s.region {
			s.ticks, s.least, s.members = plus(s.ticks, old[0].ticks), min(s.least, old[0].least), s.members+old[0].members
			old = old[1:]
		}
		p.sums = append(p.sums, s)
	}
	p.sums = append(p.sums, old...)
	return touched
}
