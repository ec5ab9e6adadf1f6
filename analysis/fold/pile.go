package fold

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// sum is the time of a region in a pixel, on the members that have any.
type sum struct {
	region  uint64 // id
	ticks   uint64 // of all, up to MaxUint64
	least   uint64
	members uint32
}

// busySum is the time in calls in a pixel: of all members, the least and the most.
type busySum struct{ sum, least, most uint64 }

// pile adds up the members of a group.
type pile struct {
	group, members int
	left           int       // members that were not read yet
	sums           []sum     // pixel by pixel, and in each by region
	ends           []int     // of the sums of each pixel
	busy           []busySum // by pixel
	errors         []uint64
	// busyOf has for each pixel the time in calls of each member that was read, as quantiles need it, in units of 1 << shift ticks; nil
	// without them.
	busyOf []uint32
	shift  uint
	// mixed are the pixels whose union the sums do not tell, nil if there are none; union is what calls told.
	mixed []bool
	union []uint64
	spans []span // busy ones of members, which the sweep collects
}

// plus adds, up to the greatest number.
func plus(a, b uint64) uint64 {
	if s, carry := bits.Add64(a, b, 0); carry == 0 {
		return s
	}
	return math.MaxUint64
}

// times multiplies, up to the greatest number.
func times(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return math.MaxUint64
}

// adder adds timelines to piles. It keeps its memory.
type adder struct {
	timeline *trace.Timeline
	cells    [][]trace.TimelineCell // of members: what is left
	// By place of a region in the timeline: of the pixel at hand.
	of      []sum
	touched []uint32
}

// reset prepares for another timeline.
func (a *adder) reset(t *trace.Timeline) {
	a.timeline = t
	a.of = slices.Grow(a.of[:0], len(t.Regions))[:len(t.Regions)]
	for i, id := range t.Regions {
		a.of[i] = sum{region: id}
	}
}

// add adds members to a pile, named by their places in the timeline.
func (a *adder) add(p *pile, members []int) {
	a.cells = a.cells[:0]
	for _, m := range members {
		a.cells = append(a.cells, a.timeline.Cells[a.timeline.Starts[m]:a.timeline.Starts[m+1]])
	}
	before, ends := p.sums, p.ends
	first := p.left == p.members
	p.sums, p.ends = make([]sum, 0, len(before)+len(before)/4), make([]int, len(p.busy))
	done := p.members - p.left
	for pixel := range p.busy {
		b := &p.busy[pixel]
		if first {
			b.least = math.MaxUint64
		}
		a.pixel(p, b, pixel, done)
		var old []sum
		if !first {
			old = before[startOf(ends, pixel):ends[pixel]]
		}
		p.sums = a.flush(p.sums, old)
		p.ends[pixel] = len(p.sums)
	}
	p.left -= len(members)
	for pixel, e := range a.timeline.Errors {
		p.errors[pixel] = max(p.errors[pixel], e)
	}
}

// startOf returns where the list of a pixel begins, of which the ends are known.
func startOf(ends []int, pixel int) int {
	if pixel == 0 {
		return 0
	}
	return ends[pixel-1]
}

// pixel adds up what the members have of a pixel.
func (a *adder) pixel(p *pile, b *busySum, pixel, done int) {
	for m, cells := range a.cells {
		busy, n := uint64(0), 0
		for ; n < len(cells) && cells[n].Pixel == uint32(pixel); n++ {
			c := &cells[n]
			s := &a.of[c.Region]
			if s.members == 0 {
				a.touched = append(a.touched, c.Region)
				s.least = c.Ticks
			}
			s.members++
			s.least = min(s.least, c.Ticks)
			s.ticks = plus(s.ticks, c.Ticks)
			busy += c.Ticks
		}
		a.cells[m] = cells[n:]
		b.sum, b.least, b.most = plus(b.sum, busy), min(b.least, busy), max(b.most, busy)
		if p.busyOf != nil {
			p.busyOf[pixel*p.members+done+m] = uint32(min(busy>>p.shift, math.MaxUint32))
		}
	}
}

// flush appends the sums of a pixel, merged with older ones.
func (a *adder) flush(sums, old []sum) []sum {
	if len(a.touched) > 1 {
		slices.Sort(a.touched)
	}
	for _, place := range a.touched {
		s := &a.of[place]
		for len(old) > 0 && old[0].region < s.region {
			sums, old = append(sums, old[0]), old[1:]
		}
		merged := *s
		if len(old) > 0 && old[0].region == s.region {
			merged.ticks, merged.least, merged.members = plus(s.ticks, old[0].ticks), min(s.least, old[0].least), s.members+old[0].members
			old = old[1:]
		}
		sums = append(sums, merged)
		*s = sum{region: s.region}
	}
	a.touched = a.touched[:0]
	return append(sums, old...)
}
