package encode

import (
	"slices"

	"github.com/pandotrace/pando/format"
)

// setPeriods gives the runs with a lattice the periods of their locations.
func (e *Events) setPeriods(periods []LocationPeriod) error {
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
	e.next = append(e.next[:0], e.starts...)
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
	next, values, start, last, period := e.next, e.values, e.Start, uint64(e.End-e.Start)-1, r.Period
	k, before, bad := uint64(0), uint64(0), uint64(0)
	for _, p := range r.Phases {
		part, phase := times[:p.Events], p.Value
		for i, c := range contexts[:p.Events] {
			d := values[next[c]]
			next[c]++
			k += d
			bad |= d | (last - k)
			part[i] = start + int64(period.at(k, phase))
		}
		end := uint64(part[len(part)-1] - start)
		bad |= (uint64(part[0]-start) - before) | (last - end) | period.beyond(k, phase)
		before = end
		contexts, times = contexts[p.Events:], times[p.Events:]
	}
	return bad>>63 == 0
}
