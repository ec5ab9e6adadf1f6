package fold

import (
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/store"
)

// cell is the time of a region in a pixel, as a sum has it.
type cell struct {
	ticks, least uint64
	members      uint32
}

// adder adds timelines to piles. It goes through some pixels of all members at a time, so that their cells stay in the processor's cache. It
// keeps its memory.
type adder struct {
	timeline *store.TimelineRuns
	lengths  []uint64 // of the pixels
	next     []int    // by member: its first run that was not added
	ends     []int    // by member: the end of its runs
	block    int      // pixels at a time
	cells    []cell   // of these: by pixel, then region
	touched  []uint64 // a bit for each cell
	full     counters // members that a region fills, by region
	busy     counters // members that are in calls all the time: one line
	sums     []sum    // room for those of a pile
	sumEnds  []int
}

// counters count what begins and ends at pixels of a block, in lines of one more than it has.
type counters struct {
	changes []int32
	some    []bool // lines that have any changes
	lines   []uint32
}

// reset makes room for lines of a length.
func (c *counters) reset(lines, length int) {
	if n := lines * length; n > len(c.changes) {
		c.changes = make([]int32, n)
	}
	if lines > len(c.some) {
		c.some = make([]bool, lines)
	}
}

// blockCells is about how many cells are at hand at a time.
const blockCells = 1024

// reset prepares for another timeline, of pixels that have some lengths.
func (a *adder) reset(t *store.TimelineRuns, lengths []uint64) {
	a.timeline, a.lengths = t, lengths
	regions := max(1, len(t.Regions))
	a.block = min(max(1, blockCells/regions), t.Pixels)
	if n := a.block * regions; n > len(a.cells) {
		a.cells, a.touched = make([]cell, n), make([]uint64, (n+63)/64)
	}
	a.full.reset(regions, a.block+1)
	a.busy.reset(1, a.block+1)
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
	p.sums, p.ends = slices.Grow(a.sums[:0], max(size, len(before))), slices.Grow(a.sumEnds[:0], len(p.busy))
	a.sums, a.sumEnds = nil, nil
	for first := 0; first < len(p.busy); first += a.block {
		end := min(first+a.block, len(p.busy))
		for m := range members {
			a.member(p, m, first, end)
		}
		a.fill(p, first, end)
		for pixel := first; pixel < end; pixel++ {
			var old []sum
			if ends != nil {
				old = before[startOf(ends, pixel):ends[pixel]]
			}
			a.flush(p, pixel-first, old)
			p.ends = append(p.ends, len(p.sums))
		}
		clear(a.touched)
	}
	a.keep(before, ends)
	p.left -= len(members)
	for pixel, e := range a.timeline.Errors {
		p.errors[pixel] = max(p.errors[pixel], e)
	}
}

// keep keeps sums that are no longer needed, and their ends, as room for others.
func (a *adder) keep(sums []sum, ends []int) {
	if cap(sums) >= cap(a.sums) {
		a.sums, a.sumEnds = sums, ends
	}
}

// member adds what a member has of the pixels from first to end. Its runs are in order of pixels, so the time in calls of a pixel is complete
// when the next one begins.
func (a *adder) member(p *pile, m, first, end int) {
	regions, sums := uint32(len(a.timeline.Regions)), p.busy[first:end]
	at, runs := a.next[m], a.timeline.Runs[:a.ends[m]]
	pixel, busy := uint32(0), uint64(0) // the pixel at hand, and the time in calls there
	for ; at < len(runs); at++ {
		r := &runs[at]
		if int(r.Pixel) >= end {
			break
		}
		if r.Pixels > 1 {
			if a.whole(r, first, end) {
				continue
			}
			break
		}
		now := r.Pixel - uint32(first)
		if now != pixel {
			sums[pixel].addOne(busy)
			p.note(first+int(pixel), busy, a.lengths[first+int(pixel)])
			pixel, busy = now, 0
		}
		busy += r.Ticks
		i := now*regions + r.Region
		if c := &a.cells[i]; c.members > 0 {
			c.members++
			c.least, c.ticks = min(c.least, r.Ticks), plus(c.ticks, r.Ticks)
		} else {
			*c = cell{ticks: r.Ticks, least: r.Ticks, members: 1}
			a.touched[i/64] |= 1 << (i % 64)
		}
	}
	sums[pixel].addOne(busy)
	p.note(first+int(pixel), busy, a.lengths[first+int(pixel)])
	a.next[m] = at
}

// whole counts a member in the pixels from first to end that a region fills, and reports whether that is all of them.
func (a *adder) whole(r *store.TimelineRun, first, end int) bool {
	from, to := max(int(r.Pixel), first), min(int(r.Pixel+r.Pixels), end)
	a.full.count(int(r.Region), a.block+1, from-first, to-first)
	a.busy.count(0, a.block+1, from-first, to-first)
	return int(r.Pixel+r.Pixels) <= end
}

// count counts something in a line from one pixel to another.
func (c *counters) count(line, length, from, to int) {
	if !c.some[line] {
		c.some[line] = true
		c.lines = append(c.lines, uint32(line))
	}
	changes := c.changes[line*length : (line+1)*length]
	changes[from]++
	changes[to]--
}

// fill adds members to the pixels from first to end that they fill.
func (a *adder) fill(p *pile, first, end int) {
	regions := uint32(len(a.timeline.Regions))
	for region, counts := range a.full.take(a.block + 1) {
		for i, n := uint32(0), int32(0); i < uint32(end-first); i++ {
			if n += counts[i]; n > 0 {
				a.cell(i*regions+region).add(a.lengths[first+int(i)], uint32(n))
			}
		}
	}
	for _, counts := range a.busy.take(a.block + 1) {
		for i, n := 0, int32(0); i < end-first; i++ {
			if n += counts[i]; n > 0 {
				p.busy[first+i].add(a.lengths[first+i], uint32(n))
				p.noteFull(first+i, uint32(n))
			}
		}
	}
}

// take yields the lines that have counts, and forgets these.
func (c *counters) take(length int) iter.Seq2[uint32, []int32] {
	return func(yield func(uint32, []int32) bool) {
		for _, line := range c.lines {
			changes := c.changes[int(line)*length : int(line+1)*length]
			yield(line, changes)
			clear(changes)
			c.some[line] = false
		}
		c.lines = c.lines[:0]
	}
}

// cell returns a cell of the pixels at hand, which is noted as touched.
func (a *adder) cell(i uint32) *cell {
	c := &a.cells[i]
	if c.members == 0 {
		a.touched[i/64] |= 1 << (i % 64)
	}
	return c
}

// add adds the time of some members, each of which has as much.
func (c *cell) add(ticks uint64, members uint32) {
	if c.members == 0 {
		c.least = ticks
	}
	c.members += members
	c.least = min(c.least, ticks)
	c.ticks = plus(c.ticks, times(ticks, uint64(members)))
}

// add adds the time in calls of some members, each of which has as much. Members without any do not count.
func (b *busySum) add(ticks uint64, members uint32) {
	if ticks == 0 {
		return
	}
	if b.members == 0 {
		b.least = ticks
	}
	b.members += members
	b.sum, b.least, b.most = plus(b.sum, times(ticks, uint64(members))), min(b.least, ticks), max(b.most, ticks)
}

// addOne is add for one member.
func (b *busySum) addOne(ticks uint64) {
	if ticks == 0 {
		return
	}
	if b.members == 0 {
		*b = busySum{ticks, ticks, ticks, 1}
		return
	}
	b.members++
	b.sum, b.least, b.most = plus(b.sum, ticks), min(b.least, ticks), max(b.most, ticks)
}

// flush moves the cells of a pixel of the block to the sums of a pile, merged with older ones.
func (a *adder) flush(p *pile, pixel int, old []sum) {
	regions := len(a.timeline.Regions)
	first, end := pixel*regions, (pixel+1)*regions
	for i := a.after(first); i < end; i = a.after(i + 1) {
		c := &a.cells[i]
		s := sum{a.timeline.Regions[i-first], c.ticks, c.least, c.members}
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
}

// after returns the first touched cell from some cell on, or one behind all.
func (a *adder) after(i int) int {
	word := i / 64
	if word >= len(a.touched) {
		return math.MaxInt
	}
	if left := a.touched[word] >> (i % 64); left > 0 {
		return i + bits.TrailingZeros64(left)
	}
	for word++; word < len(a.touched); word++ {
		if a.touched[word] > 0 {
			return word*64 + bits.TrailingZeros64(a.touched[word])
		}
	}
	return math.MaxInt
}
