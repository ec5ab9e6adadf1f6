package write

import (
	"slices"

	"github.com/pandotrace/pando/encode/column"
	"github.com/pandotrace/pando/encode/slice"
)

// lattices is what the writer knows of the lattices of clocks. The period of a clock is the same throughout a group of slices.
type lattices struct {
	clocks   []clock       // by location
	latest   column.Period // that was found
	searches int           // for a period with nothing known: how many are left
	declared column.Period // of a grid that all times are said to lie on, 0 if they are not
	ticks    []uint64
}

// clock is what is known of a location's clock.
type clock struct {
	period  column.Period
	group   uint32 // number of the group that the rest is about, plus one
	settled bool   // a run in the group has the period
	phases  uint8  // that phaseUnit events may have for the lattice to pay, at most MostPhases
	tries   uint8  // to find a period for the group, at most maxTries
}

// Bounds of the search for lattices.
const (
	minLatticeEvents = 32   // in a run
	sampleEvents     = 1024 // that a period is found by
	minSampleEvents  = 128  // that a new one is found by
	maxTries         = 4    // for a location, in a group
	firstSearches    = 64   // with nothing known, which takes up to a millisecond: in the whole trace
	moreSearches     = 2    // that each group adds
)

// phaseUnit is the number of events for which phases are counted.
const phaseUnit = 192

// exactPhases is the number of phases of n events up to which a period is as good as can be found.
func exactPhases(n int) int { return max(1, n/phaseUnit) }

// FreePhases is the number of phases of n events that are taken for free. With more of them, ticks must take fewer bits than differences. Tests replace it.
var FreePhases = exactPhases

// MostPhases is the number that phaseUnit events may have on any lattice.
const MostPhases = phaseUnit / 12

// latticeLimit is the number of phases that n events may have, if phaseUnit of them may have phases.
func latticeLimit(n, phases int) int { return 1 + n*phases/phaseUnit }

// Affordable returns the number of phases that phaseUnit events may have on a lattice where the given times need `needed`, 0 if it does
// not pay: the bits that ticks save against differences, by what a phase takes. Tests replace it.
var Affordable = func(p column.Period, needed int, ticks []uint64, times []int64) int {
	if needed <= exactPhases(len(times)) {
		return MostPhases // they take next to nothing
	}
	phases := p.Ticks(ticks, nil, times, times[0], needed)
	saved := -column.SpanBits(ticks)
	before := times[0]
	for i, t := range times {
		ticks[i], before = uint64(t-before), t
	}
	saved += column.SpanBits(ticks)
	each := max(1, column.PhaseBits(phases)/int64(needed))
	return int(min(MostPhases, max(0, saved*phaseUnit/(each*int64(len(times))))))
}

// settle decides for the runs of a slice which period their location's clock has, if any.
func (l *lattices) settle(group uint64, d *slice.Draft) {
	for i := range d.Runs {
		r := &d.Runs[i]
		if l.declared != 0 {
			r.Period = l.declared
			continue
		}
		for int(r.Location) >= len(l.clocks) {
			l.clocks = append(l.clocks, clock{})
		}
		c := &l.clocks[r.Location]
		if c.group != uint32(group+1) {
			*c = clock{period: c.period, group: uint32(group + 1)}
		}
		if r.Events >= minLatticeEvents && (c.settled || l.find(c, d.TimesOf(i))) {
			c.settled, r.Period = true, c.period
		}
	}
}

// find looks for a period that pays: that of the location or the latest one of all, one close to them, or any.
func (l *lattices) find(c *clock, times []int64) bool {
	if c.tries == maxTries {
		return false
	}
	c.tries++
	sample := times[:min(len(times), sampleEvents)]
	l.ticks = slices.Grow(l.ticks[:0], len(sample))[:len(sample)]
	limit := latticeLimit(len(sample), MostPhases)
	best, fewest := column.Period(0), limit+1
	try := func(p column.Period) {
		if n := p.Phases(l.ticks, sample); n < fewest {
			best, fewest = p, n
		}
	}
	known := [...]column.Period{c.period, l.latest}
	for _, p := range known {
		try(p)
	}
	if len(sample) >= minSampleEvents && c.tries == 1 && fewest > exactPhases(len(sample)) {
		for _, p := range known {
			try(p.Improve(l.ticks, sample))
		}
		if fewest > limit && l.searches > 0 {
			l.searches--
			try(column.EstimatePeriod(l.ticks, sample))
		}
	}
	if fewest > limit {
		return false
	}
	phases := Affordable(best, fewest, l.ticks, sample)
	if phases == 0 || fewest > latticeLimit(len(sample), phases) {
		return false
	}
	c.period, l.latest, c.phases = best, best, uint8(phases)
	return true
}

// tick codes the times of the runs by their lattices, where that pays.
func (l *lattices) tick(d *slice.Draft) {
	for i := range d.Runs {
		switch r := &d.Runs[i]; {
		case l.declared != 0:
			d.Tick(i, l.declared, 1, 1)
		case r.Period != 0:
			d.Tick(i, r.Period, FreePhases(r.Events), latticeLimit(r.Events, int(l.clocks[r.Location].phases)))
		}
	}
}

// usedPeriods are those that the runs of a lane's slices use.
func (l *laneJob) usedPeriods() []column.LocationPeriod {
	var periods []column.LocationPeriod
	for _, d := range l.drafts {
		for i := range d.Runs {
			if r := &d.Runs[i]; len(r.Phases) > 0 {
				periods = append(periods, column.LocationPeriod{Location: r.Location, Period: r.Period})
			}
		}
	}
	slices.SortFunc(periods, func(a, b column.LocationPeriod) int { return int(a.Location) - int(b.Location) })
	return slices.Compact(periods)
}
