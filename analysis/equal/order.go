package equal

import (
	"cmp"
	"math"
	"slices"
)

// order checks that the events of all locations are in the same order in both traces: what was not later is not later. Events of a location that B
// has at one time make a moment. Moments of all locations, up to the time that all have reached, are looked at in B's order; so memory goes
// by the locations and by how far they are apart, not by the number of events.
type order struct {
	epoch     uint64 // of A, which its times count from
	locations []uint64
	reach     []int64 // by location: up to which time of A its events are known; the end of time once all are
	waiting   []moment
	least     int // how many wait before it is worth while to look at them

	last     moment // the latest moments in B of those that were looked at: when they ended in A
	below    moment // the latest in A of those before it in B
	reversed uint64
	first    *Reversal
}

// moment is when events of a location were in A that are at one time in B.
type moment struct {
	place    int // of the location
	from, to int64
	b        int64
}

// none is a moment before all others.
var none = moment{place: -1, from: math.MinInt64, to: math.MinInt64, b: math.MinInt64}

// leastWaiting is the number of moments from which on they are looked at.
const leastWaiting = 1 << 15

// add adds a location, and returns its place.
func (o *order) add(location uint64) int {
	if len(o.reach) == 0 {
		o.last, o.below, o.least = none, none, leastWaiting
	}
	o.locations, o.reach = append(o.locations, location), append(o.reach, math.MinInt64)
	return len(o.reach) - 1
}

// event adds the next event of a location.
func (o *order) event(place int, a, b int64) {
	if n := len(o.waiting); n > 0 && o.waiting[n-1].place == place && o.waiting[n-1].b == b && o.waiting[n-1].to <= a {
		o.waiting[n-1].to = a
		return
	}
	o.waiting = append(o.waiting, moment{place, a, a, b})
}

// reached says up to which time the events of a location are known.
func (o *order) reached(place int, at int64, finished bool) {
	if o.reach[place] = at; finished {
		o.reach[place] = math.MaxInt64
	}
	if len(o.waiting) < o.least {
		return
	}
	o.check(slices.Min(o.reach))
	o.least = max(leastWaiting, 2*len(o.waiting))
}

// flush looks at all that is left.
func (o *order) flush() { o.check(math.MaxInt64) }

// check looks at the moments that ended before a time.
func (o *order) check(before int64) {
	var ready []moment
	later := o.waiting[:0]
	for _, m := range o.waiting {
		if m.to < before || before == math.MaxInt64 {
			ready = append(ready, m)
		} else {
			later = append(later, m)
		}
	}
	o.waiting = later
	slices.SortFunc(ready, func(x, y moment) int {
		return cmp.Or(cmp.Compare(x.b, y.b), cmp.Compare(x.from, y.from), cmp.Compare(x.place, y.place))
	})
	for _, m := range ready {
		o.look(m)
	}
}

// look compares a moment with those before it. All that end later in A than some time, and were not looked at before, are still to come.
func (o *order) look(m moment) {
	switch {
	case m.b > o.last.b:
		if o.last.to > o.below.to {
			o.below = o.last
		}
		o.last = m
	case m.b == o.last.b && m.to > o.last.to:
		o.last = m
	case m.b < o.last.b: // it ended behind a moment that stands behind it
		if m.to >= o.last.from {
			o.reverse(o.last, o.last.from, m, m.to)
		}
		if m.to > o.below.to {
			o.below = m
		}
		return
	}
	if m.from <= o.below.to {
		o.reverse(m, m.from, o.below, o.below.to)
	}
}

// reverse notes that an event of x was not later than one of y, and is later in B.
func (o *order) reverse(x moment, atX int64, y moment, atY int64) {
	if o.reversed++; o.reversed == 1 {
		o.first = &Reversal{o.instant(x, atX), o.instant(y, atY)}
	}
}

func (o *order) instant(m moment, at int64) Instant {
	return Instant{o.locations[m.place], uint64(at) + o.epoch, uint64(m.b) + o.epoch}
}
