package fold

import (
	"math"

	"github.com/pandotrace/pando/analysis/order"
)

// quantileBytes is what the time in calls of a member and pixel takes at most, with what a list has in reserve.
const quantileBytes = 6

// memberTimes is the time in calls of the members of a pile in a pixel. Most members are in calls all the time, or not at all: those are counted.
type memberTimes struct {
	some [][]uint32 // more than 0, in parts of the same length, the last one of which is being filled
	full uint32     // members that are in calls for the whole pixel
}

// partTimes is the number of times in a part, or all members if these are fewer; slabParts is that of parts whose room is made at once.
const (
	partTimes = 64
	slabParts = 256
)

// note keeps the time in calls of a member in a pixel of some length, where quantiles need it.
func (p *pile) note(pixel int, ticks, length uint64) {
	if p.times == nil || ticks == 0 {
		return
	}
	if ticks == length {
		p.times[pixel].full++
		return
	}
	parts := p.times[pixel].some
	n := len(parts) - 1
	if n < 0 || len(parts[n]) == cap(parts[n]) {
		p.times[pixel].some = append(parts, p.part())
		parts, n = p.times[pixel].some, n+1
	}
	parts[n] = append(parts[n], p.unit(ticks))
}

// part returns room for a part.
func (p *pile) part() []uint32 {
	length := min(partTimes, p.members)
	if len(p.slab) == 0 {
		p.slab = make([]uint32, length*slabParts)
	}
	part := p.slab[:0:length]
	p.slab = p.slab[length:]
	return part
}

// noteFull counts members that are in calls for the whole pixel.
func (p *pile) noteFull(pixel int, members uint32) {
	if p.times != nil {
		p.times[pixel].full += members
	}
}

// unit returns a time in units of 1 << shift ticks.
func (p *pile) unit(ticks uint64) uint32 { return uint32(min(ticks>>p.shift, math.MaxUint32)) }

// quartiles returns the quartiles of the time in calls in a pixel of some length.
func (p *pile) quartiles(pixel int, length uint64) (found [3]uint64) {
	p.some = p.some[:0]
	for _, part := range p.times[pixel].some {
		p.some = append(p.some, part...)
	}
	some, full := p.some, int(p.times[pixel].full)
	none := p.members - len(some) - full
	first := 0 // values before it are not greater than those behind it
	for i := range found {
		n := (p.members - 1) * (i + 1) / 4
		switch at := n - none; {
		case at < 0:
		case at < len(some):
			found[i] = uint64(order.Nth(some[first:], at-first)) << p.shift
			first = at
		default:
			found[i] = uint64(p.unit(length)) << p.shift
		}
	}
	return found
}
