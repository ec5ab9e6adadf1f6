package slice

import (
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/format"
)

// setPeriods gives the runs with a lattice the periods of their locations.
func (e *Events) setPeriods(periods []column.LocationPeriod) error {
	for i := range e.Runs {
		r := &e.Runs[i]
		for len(periods) > 0 && periods[0].Location < r.Location {
			periods = periods[1:]
		}
		if len(r.Phases) == 0 {
			continue
		}
		if len(periods) == 0 || periods[0].Location != r.Location {
			return format.Corruptf(sliceSection, -1, "location %d has a lattice but no period", r.Location)
		}
		r.Period = periods[0].Period
	}
	return nil
}

// fillTimes adds up the time differences.
func (e *Events) fillTimes() error {
	n := len(e.Leaves)
	e.Times = slices.Grow(e.Times[:0], n)[:n]
	at := 0
	for i := range e.Runs {
		r := &e.Runs[i]
		contexts, times := e.timeContexts[at:at+r.Events], e.Times[at:at+r.Events]
		at += r.Events
		ok := false
		if len(r.Phases) > 0 {
			ok = e.latticeTimes(r, contexts, times)
		} else {
			ok = e.plainTimes(contexts, times)
		}
		if !ok {
			return format.Corruptf(sliceSection, -1, "events of location %d lie outside of the slice [%d, %d) or before their predecessors", r.Location, e.Start, e.End)
		}
	}
	return nil
}

// plainTimes adds up differences. It reports false if a time lies outside of the slice or before the one before it.
func (e *Events) plainTimes(contexts []uint32, times []int64) bool {
	next, values, limit := e.next, e.values, uint64(e.End-e.Start)
	since, bad := uint64(0), uint64(0) // since the slice's start
	times = times[:len(contexts)]
	for i, c := range contexts {
		d := values[next[c]]
		next[c]++
		since += d
		bad |= d | (limit - 1 - since) // the highest bit tells
		times[i] = e.Start + int64(since)
	}
	return bad>>63 == 0
}

// latticeTimes adds up tick counts, and does as plainTimes. No tick is shorter than one of the trace, so that there are no more of them
// than fit into the slice. Then times can only be too early where a phase begins, and too late where it ends.
func (e *Events) latticeTimes(r *Run, contexts []uint32, times []int64) bool {
	last, k, before, bad := uint64(e.End-e.Start)-1, uint64(0), uint64(0), uint64(0)
	for _, p := range r.Phases {
		part := times[:p.Events]
		after, wrong := e.phaseTimes(part, contexts[:p.Events], r.Period, k, p.Value)
		k = after
		end := uint64(part[len(part)-1] - e.Start)
		bad |= wrong | (uint64(part[0]-e.Start) - before) | end | (last - end) | r.Period.Beyond(k, p.Value)
		before = end
		contexts, times = contexts[p.Events:], times[p.Events:]
	}
	return bad>>63 == 0
}

// phaseTimes does it for the events of a phase, before which there are k ticks. It returns how many there are after them; if they do not
// fit into 63 bits, the highest bit of bad tells. Period times k goes on from event to event, in 128 bits: that takes less than to
// multiply and to add the rest each time.
func (e *Events) phaseTimes(times []int64, contexts []uint32, period column.Period, k, phase uint64) (after, bad uint64) {
	next, values := e.next, e.values
	high, low := bits.Mul64(k, uint64(period))
	low, carry := bits.Add64(low, phase, 0)
	high += uint64(e.Start>>(64-column.LatticeBits)) + carry
	low, carry = bits.Add64(low, uint64(e.Start)<<column.LatticeBits, 0)
	high += carry
	for i, c := range contexts[:len(times)] {
		at := next[c]
		next[c] = at + 1
		d := values[at]
		k += d
		bad |= d | k
		h, l := bits.Mul64(d, uint64(period))
		low, carry = bits.Add64(low, l, 0)
		high, _ = bits.Add64(high, h, carry)
		times[i] = int64(high<<(64-column.LatticeBits) | low>>column.LatticeBits)
	}
	return k, bad
}
