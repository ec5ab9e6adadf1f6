package model

import (
	"slices"
	"sort"

	"github.com/pandotrace/pando/trace"
)

// Segment is a piece of a location's time.
type Segment struct {
	Location uint64
	// Number is that among the segments of the location, from the trace's begin.
	Number          int64
	Start, Duration int64
	// Own is the time in which calls are open and the location does not synchronise, in ticks.
	Own int64
}

// RegionSegments returns the outermost calls of a name that lie in a window, begin and end included, in order of locations.
func (t *Trace) RegionSegments(w *Window, calls []trace.Call, name string) (all []Segment) {
	for _, l := range t.segmented(w, calls) {
		number := int64(0)
		for i := range l.calls {
			c := &l.calls[i]
			if l.name(c) != name || l.standsIn(c, name) {
				continue
			}
			if l.has(c) {
				all = append(all, l.segment(number, c.Start, c.End))
			}
			number++
		}
	}
	return all
}

// GroupSegments returns the segments of a group of calls: each lasts from a call of the first name directly inside of an outermost call of the
// name around to the next such call there, the last one to the end of the last call there that is in the body. Around is empty for calls
// that are outermost themselves.
func (t *Trace) GroupSegments(w *Window, calls []trace.Call, around, first string, body []string) (all []Segment) {
	for _, l := range t.segmented(w, calls) {
		number := int64(0)
		add := func(start, end int64, whole bool) {
			if whole && start >= w.From {
				all = append(all, l.segment(number, start, end))
			}
			number++
		}
		for _, inside := range l.bodies(around) {
			begin := -1
			var end int64
			for i := range inside.calls {
				c := &inside.calls[i]
				if l.name(c) == first {
					if begin >= 0 {
						add(inside.calls[begin].Start, c.Start, c.Start < w.To)
					}
					begin, end = i, c.End
				}
				if slices.Contains(body, l.name(c)) && begin >= 0 {
					end = max(end, c.End)
				}
			}
			if begin >= 0 {
				add(inside.calls[begin].Start, end, inside.whole)
			}
		}
	}
	return all
}

// segmented is a location whose time is cut into segments.
type segmented struct {
	trace  *Trace
	window *Window
	last   int64
	id     uint64
	calls  []trace.Call
	by     map[uint64]*trace.Call // by ordinal
	waits  map[uint64]bool        // by ordinal
}

// segmented returns the locations of a window.
func (t *Trace) segmented(w *Window, calls []trace.Call) (all []*segmented) {
	_, last, _ := t.Span()
	kinds := map[uint64][2]bool{} // by region
	for i := range calls {
		id := calls[i].Region
		if _, known := kinds[id]; !known {
			waits, works := t.synchronises(t.RegionName(id))
			kinds[id] = [2]bool{waits, works}
		}
	}
	for i := range t.Locations {
		if id := t.Locations[i].ID; passes(w.Locations, id) {
			l := &segmented{trace: t, window: w, last: last, id: id, by: map[uint64]*trace.Call{}, waits: map[uint64]bool{}}
			for _, c := range calls {
				if c.Location == id {
					l.calls = append(l.calls, c)
				}
			}
			slices.SortFunc(l.calls, func(a, b trace.Call) int { return int(a.Ordinal) - int(b.Ordinal) })
			for j := range l.calls {
				c := &l.calls[j]
				l.by[c.Ordinal] = c
				l.waits[c.Ordinal] = l.waits[c.Parent] && c.Parent != trace.Undefined
				switch kind := kinds[c.Region]; {
				case kind[0]:
					l.waits[c.Ordinal] = true
				case kind[1]:
					l.waits[c.Ordinal] = false
				}
			}
			all = append(all, l)
		}
	}
	return all
}

// synchronises reports whether any region of a name synchronises, or works inside of others that do.
func (t *Trace) synchronises(name string) (waits, works bool) {
	for _, id := range t.Definitions.Regions() {
		if t.RegionName(id) == name {
			class := t.Definitions.RegionClass(id)
			waits, works = waits || class.Synchronises(), works || class.WorksInside()
		}
	}
	return waits, works
}

func (l *segmented) name(c *trace.Call) string { return l.trace.RegionName(c.Region) }

// standsIn reports whether a call stands in one of a name.
func (l *segmented) standsIn(c *trace.Call, name string) bool {
	for p := l.by[c.Parent]; p != nil && c.Parent != trace.Undefined; p, c = l.by[p.Parent], p {
		if l.name(p) == name {
			return true
		}
	}
	return false
}

// has reports whether begin and end of a call lie in the window.
func (l *segmented) has(c *trace.Call) bool {
	return c.Start >= l.window.From && c.End < l.window.To && c.Flags&trace.CallOpen == 0
}

// inside is the calls directly inside of another one. Whole says that no more of them can come.
type inside struct {
	calls []trace.Call
	whole bool
}

// bodies returns what is directly inside of the outermost calls of a name, or what is outermost.
func (l *segmented) bodies(around string) (all []inside) {
	if around == "" {
		all := l.children(trace.Undefined)
		open := slices.ContainsFunc(all, func(c trace.Call) bool { return c.Flags&trace.CallOpen != 0 })
		return []inside{{all, l.window.To > l.last && !open}}
	}
	for i := range l.calls {
		if c := &l.calls[i]; l.name(c) == around && !l.standsIn(c, around) {
			all = append(all, inside{l.children(c.Ordinal), c.End < l.window.To && c.Flags&trace.CallOpen == 0})
		}
	}
	return all
}

func (l *segmented) children(parent uint64) (all []trace.Call) {
	for _, c := range l.calls {
		if c.Parent == parent {
			all = append(all, c)
		}
	}
	return all
}

// segment makes one of an interval: its own time is that in which the innermost call does not synchronise.
func (l *segmented) segment(number, start, end int64) Segment {
	s := Segment{Location: l.id, Number: number, Start: start, Duration: end - start}
	add := func(c *trace.Call) {
		if !l.waits[c.Ordinal] {
			s.Own += clipped(c, start, end)
		}
		if c.Parent != trace.Undefined && !l.waits[c.Parent] {
			s.Own -= clipped(c, start, end)
		}
	}
	first := sort.Search(len(l.calls), func(i int) bool { return l.calls[i].Start >= start })
	if first > 0 { // calls that are open at the start are this one, or around it
		for c := &l.calls[first-1]; c != nil; c = l.by[c.Parent] {
			add(c)
		}
	}
	for i := first; i < len(l.calls) && l.calls[i].Start < end; i++ {
		add(&l.calls[i])
	}
	return s
}
