package store

import (
	"slices"

	"github.com/pandotrace/pando/encode"
)

// clock is what the writer knows of the lattice of a location's clock. The period is the same throughout a group of slices.
type clock struct {
	period encode.Period
	group  uint64 // the group that the period is settled for, plus one
	failed bool   // in that group
}

// Bounds of the search for lattices.
const (
	minLatticeEvents = 32   // in a run
	sampleEvents     = 1024 // that a period is found by
	minSampleEvents  = 128
	maxSearches      = 8 // with nothing known, in the whole trace: one takes up to 50 ms
)

// latticeLimit is the number of phases in a run of n events up to which a lattice pays.
func latticeLimit(n int) int { return 1 + n/48 }

// lattice finds the tick counts of a run's times, if the location's clock has a lattice that pays.
func (w *Writer) lattice(l *location, times []int64, start int64) (ticks []uint64, period encode.Period, phases []encode.Phase) {
	n := len(times)
	if n < minLatticeEvents {
		return nil, 0, nil
	}
	w.ticks = slices.Grow(w.ticks[:0], n)[:n]
	w.settlePeriod(l, times)
	if l.clock.failed || l.clock.period == 0 {
		return nil, 0, nil
	}
	phases = l.clock.period.Ticks(w.ticks, nil, times, start, latticeLimit(n))
	if phases == nil {
		return nil, 0, nil
	}
	return w.ticks, l.clock.period, phases
}

// settlePeriod decides on the period of a location's clock, once in a group.
func (w *Writer) settlePeriod(l *location, times []int64) {
	c := &l.clock
	if c.group == w.group.number+1 || len(times) < minSampleEvents && c.period == 0 {
		return
	}
	c.group, c.failed = w.group.number+1, false
	sample := times[:min(len(times), sampleEvents)]
	few := max(1, latticeLimit(len(sample))/4)
	for _, p := range []encode.Period{c.period, w.period} {
		if p != 0 && p.Phases(w.ticks, sample) <= few {
			c.period = p
			return
		}
	}
	if len(sample) < minSampleEvents {
		return
	}
	for _, p := range []encode.Period{c.period, w.period} {
		if p == 0 {
			continue
		}
		if q := p.Improve(w.ticks, sample); q.Phases(w.ticks, sample) <= few {
			c.period, w.period = q, q
			return
		}
	}
	if w.searches < maxSearches {
		w.searches++
		p := encode.EstimatePeriod(w.ticks, sample)
		if p != 0 && p.Phases(w.ticks, sample) <= latticeLimit(len(sample)) {
			c.period, w.period = p, p
			return
		}
	}
	c.failed = true
}

// periods are those that the runs of a lane's slices use.
func (l *laneJob) periods() []encode.LocationPeriod {
	var periods []encode.LocationPeriod
	for _, s := range l.slices {
		for i := range s.slice.Runs {
			if r := &s.slice.Runs[i]; len(r.Phases) > 0 {
				periods = append(periods, encode.LocationPeriod{Location: r.Location, Period: r.Period})
			}
		}
	}
	slices.SortFunc(periods, func(a, b encode.LocationPeriod) int { return int(a.Location) - int(b.Location) })
	return slices.Compact(periods)
}
