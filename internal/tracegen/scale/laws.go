package scale

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// law is a distribution of distances, in ticks: quantiles of those that the base has, at equal steps. There are at least two.
type law []int64

// lawSteps is the number of steps of a law, at most.
const lawSteps = 512

// lawOf returns the law of some distances. It sorts them.
func lawOf(distances []int64) law {
	slices.Sort(distances)
	last := len(distances) - 1
	steps := min(max(last, 1), lawSteps)
	l := make(law, steps+1)
	for i := range l {
		l[i] = distances[i*last/steps]
	}
	return l
}

// at returns the distance at the quantile x/2^32.
func (l law) at(x uint32) int64 {
	position := uint64(x) * uint64(len(l)-1)
	i := position >> 32
	part := position >> 16 & 0xffff
	return l[i] + int64((uint64(l[i+1]-l[i])*part+1<<15)>>16)
}

// minLawEvents is the number of events from which on a context has a law of its own.
const minLawEvents = 16

// fitLaws finds out how far events are from the ones before them. That depends on the kinds and keys of both (on which
// region is entered after which), and on whether the distance is one of the long ones.
func (b *Base) fitLaws(longFrom int64) {
	f := fitter{keys: keysOf(b.meta.Table()), classes: map[uint64]uint32{}, numbers: map[context]uint32{}, longFrom: longFrom}
	for _, l := range b.locations {
		f.location(l)
	}
	b.laws = f.laws()
}

// fitter collects distances by context.
type fitter struct {
	keys      [][]int           // by kind: the positions of its key fields
	classes   map[uint64]uint32 // number of a kind with its keys, by hash
	numbers   map[context]uint32
	contexts  []context
	distances [][]int64 // by number of the context
	longFrom  int64
}

// context is what a law depends on.
type context struct {
	before, class uint32
	long          bool
}

// keysOf returns the positions of key fields before a repeated group, by kind.
func keysOf(table *trace.Table) [][]int {
	var keys [][]int
	for _, spec := range table.All() {
		for len(keys) <= int(spec.ID) {
			keys = append(keys, nil)
		}
		scalars, _, _ := spec.Shape()
		for i := range scalars {
			if spec.Fields[i].Key {
				keys[spec.ID] = append(keys[spec.ID], i)
			}
		}
	}
	return keys
}

// location notes which context each event of a location has.
func (f *fitter) location(l *location) {
	l.laws = make([]uint32, l.events.Len())
	tick, before := int64(0), uint32(0)
	for i, t := range l.events.Times {
		class := f.class(&l.events, i)
		l.laws[i] = f.number(context{before, class, t-tick >= f.longFrom})
		f.distances[l.laws[i]] = append(f.distances[l.laws[i]], t-tick)
		tick, before = t, class
	}
}

// class returns the number, from 1 on, of an event's kind and keys.
func (f *fitter) class(b *trace.Batch, i int) uint32 {
	h := uint64(b.Kinds[i])
	for _, k := range f.keys[b.Kinds[i]] {
		h = hash(h, b.Fields(i)[k])
	}
	n, ok := f.classes[h]
	if !ok {
		n = uint32(len(f.classes) + 1)
		f.classes[h] = n
	}
	return n
}

func (f *fitter) number(c context) uint32 {
	n, ok := f.numbers[c]
	if !ok {
		n = uint32(len(f.contexts))
		f.numbers[c] = n
		f.contexts, f.distances = append(f.contexts, c), append(f.distances, nil)
	}
	return n
}

// laws returns the laws of all contexts. Rare contexts that differ in the event before share one.
func (f *fitter) laws() []law {
	rare := map[context][]int64{}
	for n, c := range f.contexts {
		if c.before = 0; len(f.distances[n]) < minLawEvents {
			rare[c] = append(rare[c], f.distances[n]...)
		}
	}
	shared := map[context]law{}
	for c, distances := range rare {
		shared[c] = lawOf(distances)
	}
	laws := make([]law, len(f.contexts))
	for n, c := range f.contexts {
		if c.before = 0; len(f.distances[n]) < minLawEvents {
			laws[n] = shared[c]
		} else {
			laws[n] = lawOf(f.distances[n])
		}
	}
	return laws
}

// longShare is one in how many distances are long.
const longShare = 24

// longFrom returns the least of the long distances.
func (b *Base) longFrom() int64 {
	var some []int64
	for _, l := range b.locations {
		for i := 1; i < l.events.Len(); i += 7 {
			some = append(some, l.events.Times[i-1]-l.events.Times[i])
		}
	}
	if len(some) == 0 {
		return 1
	}
	slices.Sort(some)
	return max(1, -some[len(some)/longShare])
}
