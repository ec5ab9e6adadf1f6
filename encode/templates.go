package encode

import (
	"slices"
	"sync"
)

// Small shapes come again and again. What the events of one are, and which contexts the values inside have, is found once and copied
// from then on; only the first event of a shape depends on what stands before it.

const (
	// templateEvents bounds the events of a shape that has a template.
	templateEvents = 1024
	// keptTemplateEvents bounds the events of the templates that are kept from slice to slice.
	keptTemplateEvents = 1 << 18
)

// template is a small shape, or a leaf, of runs with or without a lattice.
type template struct {
	shape, lattice uint32
	leaves         []uint32
	from           uint32 // where its events begin in times
	first, last    uint32 // its values
	before         uint32 // number of its last event, for the event behind it
	uses           int    // in the slice
}

// templates are those of a lane with certain statistics. They are for one goroutine.
type templates struct {
	dictionary *Dictionary
	contexts   *contexts

	of     [2][]uint32 // by lattice and shape: number of the template, from 1
	all    []template
	times  []uint32 // by event: the context of its time; of the first event of a template anything
	values []uint32 // the contexts of all values, those of the first event of a template left out

	used    []uint32 // templates used in the slice
	pieces  []Token
	counts  []int // by context: values in the slice
	unknown bool  // a column has no context
}

var templatePool = sync.Pool{New: func() any { return new(templates) }}

// takeTemplates returns templates that are no one else's until they are put back, if possible those of the same statistics.
func takeTemplates(d *Dictionary, c *contexts) *templates {
	t := templatePool.Get().(*templates)
	if t.dictionary != d || t.contexts != c || len(t.times) > keptTemplateEvents {
		t.reset(d, c)
	}
	return t
}

func (t *templates) reset(d *Dictionary, c *contexts) {
	for _, x := range t.all {
		t.of[x.lattice][x.shape] = 0
	}
	for l, of := range t.of {
		if len(of) < d.Len() {
			t.of[l] = make([]uint32, d.Len())
		}
	}
	t.dictionary, t.contexts, t.unknown = d, c, false
	t.all, t.times, t.values = t.all[:0], t.times[:0], t.values[:0]
}

// layOut lays out the events of all runs, the contexts of their times, and counts the values of each context. It reports false if
// there is a value of a column that has no context.
func (t *templates) layOut(e *Events) bool {
	n := 0
	for i := range e.Runs {
		n += e.Runs[i].Events
	}
	e.Leaves = slices.Grow(e.Leaves[:0], n)[:n]
	e.timeContexts = slices.Grow(e.timeContexts[:0], n)[:n]
	e.counts = append(e.counts[:0], make([]int, t.contexts.all)...)
	t.counts = e.counts
	at := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		t.run(run, e.Leaves[at:at+run.Events], e.timeContexts[at:at+run.Events])
		at += run.Events
		t.counts[ResidualColumn] += len(run.Residuals)
	}
	t.countUses()
	return !t.unknown
}

// run lays out the events of a run.
func (t *templates) run(run *Run, leaves, times []uint32) {
	lattice, before := uint32(b2u(len(run.Phases) > 0)), uint32(0)
	t.pieces = t.dictionary.pieces(t.pieces[:0], run.Tokens, templateEvents)
	for _, p := range t.pieces {
		x := t.use(p, lattice)
		events, contexts := x.leaves, t.times[x.from:x.from+uint32(len(x.leaves))]
		first := t.begin(events[0], lattice, before, 1)
		before = x.before
		again := first
		if p.Count > 1 {
			again = t.begin(events[0], lattice, before, int(p.Count)-1)
		}
		for range p.Count {
			copy(leaves, events)
			copy(times, contexts)
			times[0], first = first, again
			leaves, times = leaves[len(events):], times[len(events):]
		}
	}
}

// use returns the template of a shape, made if there is none.
func (t *templates) use(p Token, lattice uint32) *template {
	i := t.of[lattice][p.Shape]
	if i == 0 {
		i = t.add(p.Shape, lattice)
	}
	x := &t.all[i-1]
	if x.uses == 0 {
		t.used = append(t.used, i-1)
	}
	x.uses += int(p.Count)
	return x
}

func (t *templates) add(shape, lattice uint32) uint32 {
	x := template{shape: shape, lattice: lattice, from: uint32(len(t.times)), first: uint32(len(t.values))}
	x.leaves = t.dictionary.flatten(shape)
	info := t.dictionary.Info()
	t.times = append(t.times, 0)
	for i, leaf := range x.leaves {
		if i > 0 {
			t.times = append(t.times, t.event(leaf, lattice, x.before))
		}
		x.before = uint32(info[leaf].Number)
	}
	x.last = uint32(len(t.values))
	t.all = append(t.all, x)
	t.of[lattice][shape] = uint32(len(t.all))
	return uint32(len(t.all))
}

// event notes the contexts of an event's values, and returns that of its time.
func (t *templates) event(leaf, lattice, before uint32) uint32 {
	d := t.dictionary
	time := t.context(d.Info()[leaf].TimeColumn+lattice, before)
	t.values = append(t.values, time)
	if d.Info()[leaf].Slots > 0 {
		for _, s := range d.Leaf(leaf).Slots {
			t.values = append(t.values, t.context(s.Column, before))
		}
	}
	return time
}

// begin counts the values of events with which a template begins, and returns the context of their times.
func (t *templates) begin(leaf, lattice, before uint32, events int) uint32 {
	l := &t.dictionary.Info()[leaf]
	time := t.context(l.TimeColumn+lattice, before)
	t.counts[time] += events
	if l.Slots > 0 {
		for _, s := range t.dictionary.Leaf(leaf).Slots {
			t.counts[t.context(s.Column, before)] += events
		}
	}
	return time
}

func (t *templates) context(column, before uint32) uint32 {
	if int(column) >= t.contexts.columns {
		t.unknown = true
		return 0
	}
	return t.contexts.of(column, before)
}

// countUses counts the values inside of the templates used, and makes ready for the next slice.
func (t *templates) countUses() {
	for _, i := range t.used {
		x := &t.all[i]
		for _, c := range t.values[x.first:x.last] {
			t.counts[c] += x.uses
		}
		x.uses = 0
	}
	t.used, t.counts = t.used[:0], nil
}
