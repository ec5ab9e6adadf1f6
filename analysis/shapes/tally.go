package shapes

import (
	"cmp"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// sample is a call whose times are kept.
type sample struct {
	key           uint64 // a hash of the call
	duration, own int64
}

// Call is a call that neither end of the window cuts.
type Call struct {
	Location uint64 // id
	// Event is the number of the enter among the events of the location.
	Event      uint64
	Start, End int64
	// Own is the exclusive time: the duration less that of the calls directly inside, in ticks.
	Own int64

	index int32 // of the location
}

// sooner orders calls by start, location and event.
func sooner(a, b *Call) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.index, b.index), cmp.Compare(a.Event, b.Event))
}

// tally is what is added up for a class.
type tally struct {
	calls         uint64
	duration, own trace.Sum
	least, most   int64 // duration
	first         Call
	samples       []sample
	sift          uint // number of leading bits of a key that are 0 if its call is kept
	last          int32
	locations     []uint64 // bit set, by index
	long, short   []Call   // those with the largest and the smallest exclusive times, the outermost first
}

// add adds a call. Of the longest and of the shortest ones, as many as extremes are kept.
func (t *tally) add(c *Call, extremes int) {
	d := c.End - c.Start
	if t.calls == 0 {
		t.least, t.most, t.first, t.last = d, d, *c, -1
	} else if sooner(c, &t.first) < 0 {
		t.first = *c
	}
	t.calls++
	t.duration.Add(uint64(d))
	t.own.Add(uint64(c.Own))
	t.least, t.most = min(t.least, d), max(t.most, d)
	if c.index != t.last {
		t.last = c.index
		for int(c.index>>6) >= len(t.locations) {
			t.locations = append(t.locations, 0)
		}
		t.locations[c.index>>6] |= 1 << (c.index & 63)
	}
	if extremes > 0 {
		t.long = extreme(t.long, c, extremes, longer)
		t.short = extreme(t.short, c, extremes, shorter)
	}
}

func longer(a, b *Call) int  { return cmp.Or(cmp.Compare(b.Own, a.Own), sooner(a, b)) }
func shorter(a, b *Call) int { return cmp.Or(cmp.Compare(a.Own, b.Own), sooner(a, b)) }

// extreme puts a call into a list of the first ones of an order.
func extreme(list []Call, c *Call, most int, order func(a, b *Call) int) []Call {
	n := len(list)
	if n == most {
		if order(c, &list[n-1]) >= 0 {
			return list
		}
		list = list[:n-1]
	}
	at, _ := slices.BinarySearchFunc(list, c, func(a Call, c *Call) int { return order(&a, c) })
	return slices.Insert(list, at, *c)
}

// keep keeps the times of a call, if its hash is one of those that are kept, and returns by how many the samples have grown.
func (t *tally) keep(s sample, most int) int {
	if s.key>>(64-t.sift) != 0 {
		return 0
	}
	n := len(t.samples)
	if t.samples = append(t.samples, s); len(t.samples) > most {
		t.thin(most)
	}
	return len(t.samples) - n
}

// thin halves the samples until they are no more than a number. Which are left depends on the calls alone, and not on their order.
func (t *tally) thin(most int) {
	for len(t.samples) > most && t.sift < 64 {
		t.sift++
		t.samples = slices.DeleteFunc(t.samples, func(s sample) bool { return s.key>>(64-t.sift) != 0 })
	}
	if cap(t.samples) > 2*most {
		t.samples = slices.Clone(t.samples)
	}
}
