package shapes

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/order"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Answer is the classes of the calls of a window.
type Answer struct {
	Level Level
	// Classes are those with most exclusive time first.
	Classes []Class
	// Cut is the number of calls in no class: the window cuts them, or they are never left.
	Cut uint64
	// Unusual are the calls that differ most from what is usual, by exclusive time, the farthest first.
	Unusual []UnusualCall

	states *states
}

// Class is calls that are alike. Times are in ticks.
type Class struct {
	// Fingerprint is a hash of the names of all regions in it: equal for equal classes of any trace.
	Fingerprint uint64
	Region      string
	// Waits says that calls of the region wait for others.
	Waits bool
	// Depth is the number of levels of calls, 1 for calls without calls inside.
	Depth     int
	Calls     uint64
	Locations int
	First     Call
	Duration  Times
	Own       Times
	// Measured is the number of calls that quantiles are of: all of them, or as many as memory has, chosen by a hash.
	Measured int
	// Unusual is the number of measured calls that are unusual.
	Unusual int

	state uint32
	tally *tally
	keep  bool // its calls can be listed
}

// Times are those of the calls of a class. Quantiles are the lower of two values that lie around them.
type Times struct {
	Sum trace.Sum
	// Least and Largest are of all calls; for exclusive times, of those that are measured.
	Least, Median, P90, P99, Largest int64
	// MAD is the median absolute deviation from the median.
	MAD int64
}

// timesOf returns the quantiles of times, whose order it changes.
func timesOf(list []int64, sum trace.Sum) Times {
	n := len(list) - 1
	t := Times{Sum: sum, Largest: slices.Max(list), Least: slices.Min(list)}
	t.P99, t.P90, t.Median = order.Nth(list, n*99/100), order.Nth(list, n*9/10), order.Nth(list, n/2)
	for i, v := range list {
		list[i] = max(v-t.Median, t.Median-v)
	}
	t.MAD = order.Nth(list, n/2)
	return t
}

// answer makes the classes of what was added up.
func (w *walk) answer(defs *trace.Definitions, window *store.Window, o *Options) *Answer {
	a := &Answer{Level: w.level, Cut: w.cut, states: w.states}
	waits, keep := w.regions(defs, window)
	for at, t := range w.tallies {
		if t != nil {
			c := w.class(uint32(at), t)
			name := w.list[at].name
			c.Waits = waits[name]
			c.keep = keep[name] && (o.Waits || !c.Waits)
			a.Classes = append(a.Classes, c)
		}
	}
	slices.SortFunc(a.Classes, func(a, b Class) int {
		return cmp.Or(b.Own.Sum.Cmp(a.Own.Sum), cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Region, b.Region), sooner(&a.First, &b.First))
	})
	a.judge(o.Unusual)
	for i := range a.Classes {
		a.Classes[i].tally = nil
	}
	return a
}

// regions returns, by name, which regions wait for others, and which the window keeps.
func (w *walk) regions(defs *trace.Definitions, window *store.Window) (waits, keep []bool) {
	waits, keep = make([]bool, w.names.Names()), make([]bool, w.names.Names())
	named := map[string]int{}
	for n := range keep {
		keep[n] = window.HasRegion(trace.Undefined)
		named[w.names.NameOf(calltree.Name(n))] = n
	}
	for _, id := range defs.Regions() {
		if n, ok := named[defs.RegionName(id)]; ok {
			waits[n] = waits[n] || defs.RegionClass(id).Synchronises()
			keep[n] = keep[n] || window.HasRegion(id)
		}
	}
	return waits, keep
}

// class makes a class of what was added up.
func (w *walk) class(at uint32, t *tally) Class {
	s := &w.list[at]
	c := Class{
		Fingerprint: s.print, Region: w.names.NameOf(s.name), Depth: int(s.depth), Calls: t.calls, First: t.first, Measured: len(t.samples), state: at, tally: t,
	}
	for _, word := range t.locations {
		c.Locations += bits.OnesCount64(word)
	}
	c.Duration, c.Own = Times{Sum: t.duration}, Times{Sum: t.own}
	if len(t.samples) > 0 {
		list := make([]int64, len(t.samples))
		for i := range t.samples {
			list[i] = t.samples[i].duration
		}
		c.Duration = timesOf(list, t.duration)
		for i := range t.samples {
			list[i] = t.samples[i].own
		}
		c.Own = timesOf(list, t.own)
	}
	c.Duration.Least, c.Duration.Largest = t.least, t.most
	return c
}

// Structure returns the class of a number as text, the calls inside in parentheses: "iterate(sweep(stencil) exchange)". It is cut with "..." where it
// becomes longer than a number of bytes; 0 for no limit.
func (a *Answer) Structure(class, most int) string {
	var b strings.Builder
	a.states.write(&b, a.Classes[class].state, most)
	text := b.String()
	if most > 0 && len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// write writes a state until the text is longer than a number of bytes.
func (s *states) write(b *strings.Builder, at uint32, most int) {
	b.WriteString(s.names.NameOf(s.list[at].name))
	for i, kind := range s.kinds(at) {
		if most > 0 && b.Len() > most {
			return
		}
		if i == 0 {
			b.WriteByte('(')
		} else {
			b.WriteByte(' ')
		}
		s.write(b, kind, most)
	}
	if s.list[at].inside > 0 {
		b.WriteByte(')')
	}
}
