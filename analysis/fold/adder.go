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

// member adds what a member has of the pixels from first to end. Its cells are in order of pixels, so the time in calls of a pixel is complete
// when the next one begins.
func (a *adder) member(p *pile, m, first, end int) {
	regions, sums := uint32(len(a.timeline.Regions)), p.busy[first:end]
	at, cells := a.next[m], a.timeline.Cells[:a.ends[m]]
	pixel, busy := uint32(0), uint64(0) // the pixel at hand, and the time in calls there
	for ; at < len(cells); at++ {
		c := &cells[at]
		now := c.Pixel - uint32(first)
		if now >= uint32(len(sums)) {
			break
		}
		if now != pixel {
			sums[pixel].add(busy)
			p.note(first+int(pixel), m, busy)
			pixel, busy = now, 0
		}
		busy += c.Ticks
		i := now*regions + c.Region
		s := &a.cells[i]
		if s.members == 0 {
			a.touched = append(a.touched, i)
			s.least = c.Ticks
		}
		s.members++
		s.least = min(s.least, c.Ticks)
		s.ticks = plus(s.ticks, c.Ticks)
	}
	sums[pixel].add(busy)
	p.note(first+int(pixel), m, busy)
	a.next[m] = at
}

// add adds the time in calls of a member. Members without any do not count.
func (b *busySum) add(ticks uint64) {
	if ticks == 0 {
		return
	}
	if b.members == 0 {
		b.least = ticks
	}
	b.members++
	b.sum, b.least, b.most = plus(b.sum, ticks), min(b.least, ticks), max(b.most, ticks)
}

// note keeps the time in calls of the m-th of the members that are read at once, where quantiles need it.
func (p *pile) note(pixel, m int, ticks uint64) {
	if p.busyOf != nil {
		p.busyOf[pixel*p.members+p.members-p.left+m] = uint32(min(ticks>>p.shift, math.MaxUint32))
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
