package slice

import (
	"slices"
	"sync"

	"github.com/pandotrace/pando/encode/internal/bitio"
	"github.com/pandotrace/pando/encode/shape"
)

// Small shapes come again and again. What the events of one are, and which contexts the values inside have, is found once and copied
// from then on; only the first event of a shape depends on what stands before it.

const (
	// templateEvents bounds the events of a shape that has a template.
	templateEvents = 1024
	// keptTemplateEvents bounds the events of the templates that are kept from slice to slice.
	keptTemplateEvents = 1 << 18
)

// template is a small shape, or a leaf, of runs with or without a lattice. It may lie within that of a larger shape.
type template struct {
	shape, lattice uint32
	from, to       uint32 // its events
	first, last    uint32 // its values
	inner, end     uint32 // the templates inside
	before         uint32 // number of its last event, for the event behind it
	uses           int    // in the slice
}

// templates are those of a lane with certain statistics. They are for one goroutine.
type templates struct {
	dictionary *shape.Dictionary
	contexts   *contexts

	of     [2][]uint32 // by lattice and shape: number of the template, from 1
	all    []template
	leaves []uint32        // of all events
	times  []uint32        // by event: the context of its time; of the first event of a template anything
	values []valueCount    // the contexts of all values, those of the first event of a template and of templates inside left out
	inner  []templateCount // templates inside of others, with how often they stand there

	used    uint32 // templates up to the last one used in the slice
	pieces  []shape.Token
	counts  []int // by context: values in the slice
	unknown bool  // a column has no context
}

// valueCount says how many values of a template have a context.
type valueCount struct{ context, n uint32 }

// templateCount says how often another template, of smaller number, stands in one.
type templateCount struct{ template, n uint32 }

var templatePool = sync.Pool{New: func() any { return new(templates) }}

// takeTemplates returns templates that are no one else's until they are put back, if possible those of the same statistics.
func takeTemplates(d *shape.Dictionary, c *contexts) *templates {
	t := templatePool.Get().(*templates)
	if t.dictionary != d || t.contexts != c || len(t.times) > keptTemplateEvents {
		t.reset(d, c)
	}
	return t
}

func (t *templates) reset(d *shape.Dictionary, c *contexts) {
	for _, x := range t.all {
		t.of[x.lattice][x.shape] = 0
	}
	for l, of := range t.of {
		if len(of) < d.Len() {
			t.of[l] = make([]uint32, d.Len())
		}
	}
	t.dictionary, t.contexts, t.unknown = d, c, false
	t.all, t.leaves, t.times, t.values, t.inner = t.all[:0], t.leaves[:0], t.times[:0], t.values[:0], t.inner[:0]
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
		t.counts[shape.ResidualColumn] += len(run.Residuals)
	}
	t.countUses()
	return !t.unknown
}

// run lays out the events of a run.
func (t *templates) run(run *Run, leaves, times []uint32) {
	lattice, before := uint32(bitio.FromBool(len(run.Phases) > 0)), uint32(0)
	t.pieces = t.dictionary.Pieces(t.pieces[:0], run.Tokens, templateEvents)
	for _, p := range t.pieces {
		x := t.use(p, lattice)
		leaf := t.leaves[x.from]
		first := t.begin(leaf, lattice, before, 1)
		again := first
		if p.Count > 1 {
			again = t.begin(leaf, lattice, x.before, int(p.Count)-1)
		}
		n := int(x.to-x.from) * int(p.Count)
		repeat(leaves[:n], t.leaves[x.from:x.to], leaf)
		repeat(times[:n], t.times[x.from:x.to], again)
		times[0], before = first, x.before
		leaves, times = leaves[n:], times[n:]
	}
}

// repeat fills a list with a part that stands in a row, with another first element.
func repeat(list, part []uint32, first uint32) {
	n := copy(list, part)
	for list[0] = first; n < len(list); n *= 2 {
		copy(list[n:], list[:n])
	}
}

// use returns the template of a piece of the slice.
func (t *templates) use(p shape.Token, lattice uint32) *template {
	i, _ := t.template(p.Shape, lattice)
	x := &t.all[i]
	t.used = max(t.used, i+1)
	x.uses += int(p.Count)
	return x
}

// template returns the number of a shape's template. A new one comes behind all others.
func (t *templates) template(shape, lattice uint32) (number uint32, added bool) {
	if i := t.of[lattice][shape]; i > 0 {
		return i - 1, false
	}
	x := template{shape: shape, lattice: lattice, from: uint32(len(t.times)), first: uint32(len(t.values)), inner: uint32(len(t.inner))}
	if leaf, ok := t.dictionary.AsLeaf(shape); ok {
		t.leaves, t.times = append(t.leaves, leaf), append(t.times, 0)
		x.before = uint32(t.dictionary.Info()[leaf].Number)
	} else {
		x.before = t.edges(t.dictionary.EdgesOf(shape), lattice, x.from, 0)
	}
	x.to, x.last, x.end = uint32(len(t.times)), uint32(len(t.values)), uint32(len(t.inner))
	t.all = append(t.all, x)
	t.of[lattice][shape] = uint32(len(t.all))
	return uint32(len(t.all) - 1), true
}

// edges appends the events of edges to the template that begins at from, and returns the number of the last event. It recurses: shapes
// with few events are not deep.
func (t *templates) edges(edges []shape.Edge, lattice, from, before uint32) uint32 {
	for _, e := range edges {
		if leaf, ok := t.dictionary.AsLeaf(e.Shape); ok {
			before = t.leaf(leaf, e.Count, lattice, from, before)
		} else if _, hole, ok := t.dictionary.Recursion(e.Shape); ok {
			edges := t.dictionary.EdgesOf(e.Shape)
			before = t.group(edges[:hole], e.Count, lattice, from, before)
			before = t.edges(edges[hole:hole+1], lattice, from, before)
			before = t.group(edges[hole+1:], e.Count, lattice, from, before)
		} else {
			before = t.edge(e, lattice, from, before)
		}
	}
	return before
}

// group appends the events of edges several times. All times from the second on are alike.
func (t *templates) group(edges []shape.Edge, count, lattice, from, before uint32) uint32 {
	before = t.edges(edges, lattice, from, before)
	if count == 1 {
		return before
	}
	at, values, inner := len(t.times), len(t.values), len(t.inner)
	before = t.edges(edges, lattice, from, before)
	t.copy(at, len(t.times), count-2)
	for i := range t.values[values:] {
		t.values[values+i].n *= count - 1
	}
	for i := range t.inner[inner:] {
		t.inner[inner+i].n *= count - 1
	}
	return before
}

// leaf appends the events of an edge to a leaf.
func (t *templates) leaf(leaf, count, lattice, from, before uint32) uint32 {
	time := uint32(0)
	if len(t.times) > int(from) {
		time = t.note(leaf, lattice, before, 1)
	}
	t.leaves, t.times = append(t.leaves, leaf), append(t.times, time)
	number := uint32(t.dictionary.Info()[leaf].Number)
	if count == 1 {
		return number
	}
	time = t.note(leaf, lattice, number, count-1)
	for range count - 1 {
		t.leaves, t.times = append(t.leaves, leaf), append(t.times, time)
	}
	return number
}

// edge appends the events of an edge. The first events of a shape become its template.
func (t *templates) edge(e shape.Edge, lattice, from, before uint32) uint32 {
	at, copies := len(t.times), e.Count
	i, added := t.template(e.Shape, lattice)
	x := t.all[i]
	if added {
		copies--
	}
	if copies > 0 {
		t.copy(int(x.from), int(x.to), copies)
		t.inner = append(t.inner, templateCount{i, copies})
	}
	leaf := t.leaves[at]
	if at > int(from) {
		t.times[at] = t.note(leaf, lattice, before, 1)
	}
	if n := int(x.to - x.from); e.Count > 1 {
		again := t.note(leaf, lattice, x.before, e.Count-1)
		for at += n; at < len(t.times); at += n {
			t.times[at] = again
		}
	}
	return x.before
}

// copy appends the events [from, to) a number of times.
func (t *templates) copy(from, to int, copies uint32) {
	for range copies {
		t.leaves, t.times = append(t.leaves, t.leaves[from:to]...), append(t.times, t.times[from:to]...)
	}
}

// note notes the values of events that are alike, and returns the context of their times.
func (t *templates) note(leaf, lattice, before, events uint32) uint32 {
	l := &t.dictionary.Info()[leaf]
	time := t.context(l.TimeColumn+lattice, before)
	t.values = append(t.values, valueCount{time, events})
	if l.Layout > 0 {
		for _, s := range t.dictionary.Slots(leaf) {
			t.values = append(t.values, valueCount{t.context(s.Column, before), events})
		}
	}
	return time
}

// begin counts the values of events with which a template begins, and returns the context of their times.
func (t *templates) begin(leaf, lattice, before uint32, events int) uint32 {
	l := &t.dictionary.Info()[leaf]
	time := t.context(l.TimeColumn+lattice, before)
	t.counts[time] += events
	if l.Layout > 0 {
		for _, s := range t.dictionary.Slots(leaf) {
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

// countUses counts the values inside of the templates used, and makes ready for the next slice. What is inside of a template has a
// smaller number.
func (t *templates) countUses() {
	for ; t.used > 0; t.used-- {
		x := &t.all[t.used-1]
		if x.uses == 0 {
			continue
		}
		for _, v := range t.values[x.first:x.last] {
			t.counts[v.context] += int(v.n) * x.uses
		}
		for _, i := range t.inner[x.inner:x.end] {
			t.all[i.template].uses += int(i.n) * x.uses
		}
		x.uses = 0
	}
	t.counts = nil
}
