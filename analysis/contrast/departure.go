package contrast

import (
	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/encode/shape"
)

// Departure is where the calls of two locations first differ, as they were aligned.
type Departure struct {
	// Pair is the pair of locations, as a place in Comparison.Pairs.
	Pair int
	// State is OnlyA or OnlyB for a call that one side alone has, Different where the sides have calls of different regions.
	State align.State
	// Places are those of the first call on each side, up to 128 levels of it. A side that lacks the call has no path.
	Places [2]Place
}

// Departure returns where the calls of a pair first differ, as a place in Pairs; ok is false if they are the same.
func (c *Comparison) Departure(pair int) (d Departure, ok bool) {
	for _, s := range c.Pairs[pair].Segments {
		if s.State == align.Equal {
			continue
		}
		d = Departure{Pair: pair, State: s.State}
		t := c.twins[pair]
		if s.State != align.OnlyB {
			d.Places[0] = placeAt(c.Forest, c.sources[0].locations[t.a].Root, s.A)
		}
		if s.State != align.OnlyA {
			d.Places[1] = placeAt(c.Forest, c.sources[1].locations[t.b].Root, s.B)
		}
		return d, true
	}
	return d, false
}

// LeastAlike returns the pair of locations whose calls are least alike, as a place in Pairs; -1 if there is none.
func (c *Comparison) LeastAlike() int {
	least := -1
	for i := range c.Pairs {
		if least < 0 || c.Pairs[i].Similarity.Lowest < c.Pairs[least].Similarity.Lowest {
			least = i
		}
	}
	return least
}

// placeAt returns the place of the call that has an event, of which the location's own enter is number 0.
func placeAt(f *calltree.Forest, root calltree.Node, event uint64) Place {
	w := walk{forest: f, left: max(event, 1) - 1}
	for at := root; len(w.path) < deepestPath; {
		next, ok := w.step(at)
		if !ok {
			break
		}
		if at = next; f.IsGroup(at) {
			continue
		}
		if w.path = append(w.path, f.Name(at)); w.left == 0 {
			break
		}
		w.left--
	}
	l := locator{forest: f, path: w.path, known: map[below]int{}}
	p := Place{Path: w.path, Before: make([]uint64, len(w.path)), Calls: make([]uint64, len(w.path))}
	copy(p.Calls, l.counts(root, 0))
	for _, s := range w.skipped {
		if s.level < len(w.path) {
			l.skip(&p, s)
		}
	}
	return p
}

// walk goes down to an event of a call.
type walk struct {
	forest  *calltree.Forest
	left    uint64 // events before it, in what is directly below
	path    []calltree.Name
	skipped []skipped
}

// skipped is calls or groups before the one that has the event, in a call on a level.
type skipped struct {
	level int
	calltree.Run
}

// step finds the call or group directly below that has the event; ok is false if that is the leave of the call itself.
func (w *walk) step(at calltree.Node) (next calltree.Node, ok bool) {
	for _, r := range w.forest.Runs(at) {
		events := shape.Times(2, w.forest.Size(r.Node))
		n := min(r.Count, w.left/events)
		w.left -= n * events
		if n > 0 {
			w.skipped = append(w.skipped, skipped{len(w.path), calltree.Run{Node: r.Node, Count: n}})
		}
		if n < r.Count {
			return r.Node, true
		}
	}
	return 0, false
}

// skip counts calls before a place.
func (l *locator) skip(p *Place, s skipped) {
	levels := len(l.path) - s.level
	at := len(l.sums)
	l.sums = append(l.sums, make([]uint64, levels)...)
	l.add(at, s.Run, s.level)
	for i, n := range l.sums[at : at+levels] {
		p.Before[s.level+i] += n
	}
}
